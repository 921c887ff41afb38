import { afterEach, expect, test } from 'vitest';
import { startFakeStripe, type FakeStripe } from '../../test/fake-stripe-process.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { createWorkerHouse, whileRunning, type WorkerHouse } from '../../test/worker-house.ts';

let house: WorkerHouse;
let stripe: FakeStripe;
afterEach(async () => {
  await house.close();
  await stripe.stop();
});

const howMany = 1_000;

const countOf = async (state: string): Promise<number> => {
  const [row] = await house.database.admin<{ count: number }[]>`
    select count(*)::int as count from operations where state = ${state}`;
  return row?.count ?? 0;
};

/** Watches from outside: an unfinished operation with neither a wake-up nor a person is a forgotten one. */
const watchForForgotten = (): { readonly stop: () => Promise<number> } => {
  let watching = true;
  let forgotten = 0;
  const watched = (async () => {
    while (watching) {
      const [row] = await house.database.admin<{ count: number }[]>`
        select count(*)::int as count from operations
        where state in ('proposed', 'approved', 'submitting', 'pending', 'outcome_unknown')
          and wake_at is null and attention = '[]'`;
      forgotten += row?.count ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    stop: async () => {
      watching = false;
      await watched;
      return forgotten;
    },
  };
};

/** One operation goes through the real intake; the others are its copies, since this is about what comes after. */
const approveAll = async (): Promise<void> => {
  await house.order('order-0', 'pi_0', 5_000);
  const first = await house.approved('order-0', 1_000);
  const { admin } = house.database;
  const copyOf = (table: string, changes: Readonly<Record<string, string>>, where: string): string => {
    const assignments = Object.entries(changes).map(([column, value]) => `'${column}', ${value}`);
    return `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${assignments.join(', ')}))).*
      from ${table} t, generate_series(1, ${String(howMany - 1)}) n where ${where}`;
  };
  const idOf = `('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))`;
  const payment = `'pi_' || n`;
  const order = `'order-' || n`;
  await admin.unsafe(copyOf('payments', { payment_reference: payment, reserved: '1000 + n' }, 'true'));
  await admin.unsafe(copyOf('orders', { order_id: order, payment_reference: payment }, 'true'));
  await admin.unsafe(copyOf('returns', { order_id: order }, 'true'));
  await admin.unsafe(
    copyOf(
      'operations',
      { id: idOf, order_id: order, payment_reference: payment, amount_minor: '1000 + n' },
      `t.id = '${first}'`,
    ),
  );
  await admin.unsafe(copyOf('approvals', { operation_id: idOf }, `t.operation_id = '${first}'`));
};

// Red when: an ambiguous answer is settled as failed, or a resubmission makes a new key.
test('1,000 operations with a provider that loses every third answer: 1,000 refunds, 1,000 confirmed, none forgotten', async () => {
  stripe = await startFakeStripe();
  house = await createWorkerHouse(stripe.adapter, {
    settings: { checkBackoffMs: [50, 100, 500], providerTimeoutMs: 20_000, leaseMs: 60_000 },
    maximum: 20,
  });
  await stripe.pay(
    ...Array.from({ length: howMany }, (_, number) => ({
      id: `pi_${String(number)}`,
      amount: 5_000,
      currency: 'eur',
    })),
  );
  await approveAll();
  expect(await countOf('approved')).toBe(howMany);
  await stripe.fault({ on: 'refund.create', do: 'execute_then_drop', every: 3, times: 'always' });
  const watch = watchForForgotten();
  await whileRunning(house.worker({ width: 16 }), async () => {
    // Looked at seldom: the watching must not take the machine from what is watched.
    await eventually(async () => {
      await new Promise((resolve) => setTimeout(resolve, 250));
      return (await countOf('confirmed')) === howMany;
    }, 280_000);
  });
  expect(await watch.stop()).toBe(0);
  const ledger = await stripe.ledger();
  expect(ledger).toHaveLength(howMany);
  expect(new Set(ledger.map(({ payment_intent }) => payment_intent)).size).toBe(howMany);
  const [sums] = await house.database.admin<{ refunded: string; reserved: string }[]>`
    select sum(refunded)::text as refunded, sum(reserved)::text as reserved from payments`;
  expect(sums).toEqual({
    refunded: String(ledger.reduce((sum, { amount }) => sum + amount, 0)),
    reserved: '0',
  });
}, 300_000);

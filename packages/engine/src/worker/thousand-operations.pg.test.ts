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

const howMany = Number(process.env['HOW_MANY'] ?? 1_000);

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

// Red when: an ambiguous answer is settled as failed, or a resubmission makes a new key.
test('1,000 operations with a provider that loses every third answer: 1,000 refunds, 1,000 confirmed, none forgotten', async () => {
  const t0 = Date.now();
  stripe = await startFakeStripe();
  house = await createWorkerHouse(stripe.adapter, {
    settings: { checkBackoffMs: [50, 100, 500], providerTimeoutMs: 20_000, leaseMs: 60_000 },
    maximum: 20,
  });
  const numbers = Array.from({ length: howMany }, (_, index) => index);
  await stripe.pay(
    ...numbers.map((number) => ({ id: `pi_${String(number)}`, amount: 5_000, currency: 'eur' })),
  );
  for (let start = 0; start < howMany; start += 20) {
    await Promise.all(
      numbers.slice(start, start + 20).map(async (number) => {
        await house.order(`order-${String(number)}`, `pi_${String(number)}`, 5_000);
        await house.approved(`order-${String(number)}`, 1_000 + number);
      }),
    );
  }
  await stripe.fault({ on: 'refund.create', do: 'execute_then_drop', every: 3, times: 'always' });
  console.log('setup', Date.now() - t0);
  const began = Date.now();
  const watch = watchForForgotten();
  await whileRunning(
    house.worker({ width: 16, log: (l, m, a) => l !== 'info' && console.log(l, m, a) }),
    async () => {
      await eventually(async () => (await countOf('confirmed')) === howMany, 100_000);
    },
  );
  console.log('took', Date.now() - began);
  expect(await watch.stop()).toBe(0);
  const ledger = await stripe.ledger();
  expect(ledger).toHaveLength(howMany);
  expect(new Set(ledger.map(({ payment_intent }) => payment_intent)).size).toBe(howMany);
  expect(await countOf('confirmed')).toBe(howMany);
  const [sums] = await house.database.admin<{ refunded: string; reserved: string }[]>`
    select sum(refunded)::text as refunded, sum(reserved)::text as reserved from payments`;
  expect(sums).toEqual({
    refunded: String(ledger.reduce((sum, { amount }) => sum + amount, 0)),
    reserved: '0',
  });
}, 180_000);

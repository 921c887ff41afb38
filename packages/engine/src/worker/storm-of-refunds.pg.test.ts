import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderAdapter } from '@holdfast/providers';
import { startFakeStripe, type FakeStripe } from '../../test/fake-stripe-process.ts';
import { eventually } from '../../test/postgres-rig.ts';
import type { Worker } from '../engine-interface.ts';
import { createWorkerHouse, whileRunning, type WorkerHouse } from '../../test/worker-house.ts';

let house: WorkerHouse;
let stripe: FakeStripe;

beforeAll(async () => {
  stripe = await startFakeStripe();
  house = await createWorkerHouse(stripe.adapter, {
    settings: { checkBackoffMs: [200, 200, 500], providerTimeoutMs: 20_000, leaseMs: 60_000 },
    maximum: 20,
  });
});
afterAll(async () => {
  await house.close();
  await stripe.stop();
});

/**
 * The field case names 2,000 at 25 a second. The ways in which the limit is said are the same here; the numbers are what
 * CI has time for, with a limit that a slow machine runs into as well.
 */
const payments = 40;
const paymentsWithTwo = 20;
const lostBefore = 5;
const perSecond = 8;

const orderWith = async (number: number): Promise<string> => {
  const name = String(number);
  await stripe.pay({ id: `pi_${name}`, amount: 5_000, currency: 'eur' });
  await house.order(`order-${name}`, `pi_${name}`, 5_000);
  return `order-${name}`;
};

const approveStorm = async (): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let number = 0; number < payments; number += 1) {
    const order = await orderWith(number);
    ids.push(await house.approved(order, 1_000));
    if (number < paymentsWithTwo) ids.push(await house.approved(order, 1_500));
  }
  return ids;
};

/** Operations whose answer is lost before the storm begins, so that there is something to look up during it. */
const loseSome = async (): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let number = 0; number < lostBefore; number += 1) {
    ids.push(await house.approved(await orderWith(1_000 + number), 1_000));
  }
  await stripe.fault({ on: 'refund.create', do: 'execute_then_drop', times: lostBefore });
  await house.worker().runOnce();
  await house.database.admin`update operations set wake_at = now() + interval '1 second'
    where state = 'outcome_unknown'`;
  return ids;
};

/** What the test sees of the requests of both workers: who sent, whose request of a payment is on its way, and what left beside one. */
type Seen = {
  readonly senders: Set<string>;
  readonly inFlight: Map<string, string>;
  readonly together: string[];
};

/** A worker as another process would run it: its own limiter, its own view of the account. */
const watchedWorker = (name: string, seen: Seen): Worker => {
  const [account] = house.providers.accounts();
  if (account === undefined) throw new Error('no account');
  const submit: ProviderAdapter['submit'] = async (request, expected, deadlineMs) => {
    const { paymentReference, operationId } = expected;
    seen.senders.add(name);
    const beside = seen.inFlight.get(paymentReference);
    seen.inFlight.set(paymentReference, operationId);
    // One whose refund a list has shown is settled, though its own answer may still be on its way.
    if (beside !== undefined && (await house.operation(beside)).state !== 'confirmed')
      seen.together.push(paymentReference);
    try {
      return await account.adapter.submit(request, expected, deadlineMs);
    } finally {
      if (seen.inFlight.get(paymentReference) === operationId) seen.inFlight.delete(paymentReference);
    }
  };
  const watched = { ...account, adapter: { ...account.adapter, submit } };
  return house.worker({ name, width: 8, providers: { accountOf: () => watched, accounts: () => [watched] } });
};

const bothWorkersUntilAllIsConfirmed = (count: number, seen: Seen): Promise<void> =>
  whileRunning(watchedWorker('one', seen), () =>
    whileRunning(watchedWorker('two', seen), async () => {
      await eventually(async () => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        const [row] = await house.database.admin<{ count: number }[]>`
          select count(*)::int as count from operations where state = 'confirmed'`;
        return row?.count === count;
      }, 100_000);
    }),
  );

// Red when: `heed` in `sendClaimed` does not tell the limiter that the provider refused.
test('F124 a storm of refunds at a provider that allows few a second: all go through once, few are refused, and looking goes on', async () => {
  const lost = await loseSome();
  const storm = await approveStorm();
  await stripe.fault({
    on: 'refund.create',
    do: 'rate_limit',
    perSecond,
    retryAfter: 1,
    lockTimeoutEvery: 5,
  });
  const seen: Seen = { senders: new Set(), inFlight: new Map(), together: [] };
  await bothWorkersUntilAllIsConfirmed(lost.length + storm.length, seen);

  const ledger = await stripe.ledger();
  const refunded = ledger.map(({ metadata }) => metadata['holdfast_operation']);
  expect(ledger).toHaveLength(lost.length + storm.length);
  expect(new Set(refunded).size).toBe(ledger.length);
  const { admin } = house.database;
  const [never] = await admin`select count(*)::int as count from audit where state = 'failed'`;
  expect(never).toEqual({ count: 0 });

  const keys = await admin<{ operation_id: string; keys: number }[]>`
    select operation_id, count(distinct request ->> 'idempotencyKey')::int as keys from attempts
    group by operation_id having count(distinct request ->> 'idempotencyKey') > 1`;
  expect([...keys]).toEqual([]);
  expect(seen.together).toEqual([]);

  const [counted] = await admin<{ all: number; refused: number }[]>`
    select count(*)::int as all, count(*) filter (where result = 'deferred')::int as refused
    from attempts where operation_id = any(${[...storm]})`;
  if (counted === undefined) throw new Error('nothing was attempted');
  expect([...seen.senders].sort()).toEqual(['one', 'two']);
  expect(counted.refused).toBeGreaterThan(0);
  expect(counted.refused).toBeLessThan(counted.all / 4);

  const endOf = async (ids: readonly string[]): Promise<Date> => {
    const [row] = await admin<{ at: Date }[]>`
      select max(settled_at) as at from operations where id = any(${[...ids]})`;
    if (row === undefined) throw new Error('nothing was settled');
    return row.at;
  };
  expect((await endOf(lost)).getTime()).toBeLessThan((await endOf(storm)).getTime());
}, 120_000);

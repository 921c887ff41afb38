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

/** A worker as another process would run it: its own limiter, its own view of the account; it counts what it sends. */
const workerThatCounts = (name: string, sent: Map<string, number>): Worker => {
  const [account] = house.providers.accounts();
  if (account === undefined) throw new Error('no account');
  const submit: ProviderAdapter['submit'] = (...request) => {
    sent.set(name, (sent.get(name) ?? 0) + 1);
    return account.adapter.submit(...request);
  };
  const counting = { ...account, adapter: { ...account.adapter, submit } };
  return house.worker({ name, providers: { accountOf: () => counting, accounts: () => [counting] } });
};

const bothWorkersUntilAllIsConfirmed = (count: number, sent: Map<string, number>): Promise<void> =>
  whileRunning(workerThatCounts('one', sent), () =>
    whileRunning(workerThatCounts('two', sent), async () => {
      await eventually(async () => {
        await new Promise((resolve) => setTimeout(resolve, 200));
        const [row] = await house.database.admin<{ count: number }[]>`
          select count(*)::int as count from operations where state = 'confirmed'`;
        return row?.count === count;
      }, 100_000);
    }),
  );

// Red when: a 429 settles as failed or makes a new key, a process keeps its limit to itself (`change` in `createWorker`
// over a budget of its own), or the pace is not lowered by a refusal.
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
  const sent = new Map<string, number>();
  await bothWorkersUntilAllIsConfirmed(lost.length + storm.length, sent);

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
  const overlaps = await admin`
    select from attempts a join operations o on o.org_id = a.org_id and o.id = a.operation_id
    join operations p on p.org_id = o.org_id and p.payment_reference = o.payment_reference and p.id <> o.id
    join attempts b on b.org_id = p.org_id and b.operation_id = p.id
    where a.started_at < b.started_at and a.ended_at > b.started_at`;
  expect([...overlaps]).toEqual([]);

  const [counted] = await admin<{ all: number; refused: number }[]>`
    select count(*)::int as all, count(*) filter (where result = 'deferred')::int as refused
    from attempts where operation_id = any(${[...storm]})`;
  if (counted === undefined) throw new Error('nothing was attempted');
  expect([...sent.keys()].sort()).toEqual(['one', 'two']);
  expect(counted.refused).toBeGreaterThan(0);
  expect(counted.refused).toBeLessThan(counted.all / 3);

  const endOf = async (ids: readonly string[]): Promise<Date> => {
    const [row] = await admin<{ at: Date }[]>`
      select max(settled_at) as at from operations where id = any(${[...ids]})`;
    if (row === undefined) throw new Error('nothing was settled');
    return row.at;
  };
  expect((await endOf(lost)).getTime()).toBeLessThan((await endOf(storm)).getTime());
}, 120_000);

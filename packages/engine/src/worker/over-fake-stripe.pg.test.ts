import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startFakeStripe, type FakeStripe } from '../../test/fake-stripe-process.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { createWorkerHouse, whileRunning, type WorkerHouse } from '../../test/worker-house.ts';

let house: WorkerHouse;
let stripe: FakeStripe;
let orders = 0;

beforeAll(async () => {
  stripe = await startFakeStripe();
  house = await createWorkerHouse(stripe.adapter, { settings: { checkBackoffMs: [50, 50, 200] } });
});
afterAll(async () => {
  await house.close();
  await stripe.stop();
});
beforeEach(async () => {
  await stripe.clearFaults();
});

const newOrder = async (): Promise<{ readonly order: string; readonly payment: string }> => {
  orders += 1;
  const names = { order: `order-${String(orders)}`, payment: `pi_over${String(orders)}` };
  await stripe.pay({ id: names.payment, amount: 10_000, currency: 'eur' });
  await house.order(names.order, names.payment, 10_000);
  return names;
};

const inLedger = async (payment: string): Promise<number> =>
  (await stripe.ledger()).filter(({ payment_intent }) => payment_intent === payment).length;

// Red when: any of these ways to lose an answer is settled as anything but unknown.
test.each([
  ['execute_then_drop', {}],
  ['execute_then_hang', {}],
  ['execute_then_500', {}],
  ['html_502', { execute: true }],
  ['truncated_body', {}],
  ['drip_body', { ms: 200 }],
  ['empty_200', {}],
])('an answer lost to %s is looked up and confirmed: one refund in the ledger', async (fault, more) => {
  const { order, payment } = await newOrder();
  await stripe.fault({ on: 'refund.create', paymentIntent: payment, do: fault, ...more });
  const id = await house.approved(order, 2_500);
  const worker = house.worker({ settings: { ...short, providerTimeoutMs: 1_500 } });
  await whileRunning(worker, async () => {
    await house.settled(id, 'confirmed', 40_000);
  });
  const [seen] = await house.database.admin<{ failed: boolean; requests: number }[]>`
    select bool_or(state = 'failed') as failed,
      (select count(*)::int from attempts where operation_id = ${id}) as requests
    from audit where operation_id = ${id}`;
  expect(seen).toEqual({ failed: false, requests: 1 });
  expect(await inLedger(payment)).toBe(1);
});

const short = {
  providerTimeoutMs: 10_000,
  leaseMs: 30_000,
  checkBackoffMs: [50, 50, 200],
  needsPersonAfterMs: 120_000,
  undoMs: 0,
};

test('a request cut before anything was done is sent again under the same key: one refund', async () => {
  const { order, payment } = await newOrder();
  await stripe.fault({ on: 'refund.create', paymentIntent: payment, do: 'drop_before' });
  const id = await house.approved(order, 2_500);
  await whileRunning(house.worker({ settings: short }), async () => {
    await house.settled(id, 'confirmed', 40_000);
  });
  expect(await inLedger(payment)).toBe(1);
});

test('F053: pending at the provider is pending here, and confirmed once the provider says so', async () => {
  const { order, payment } = await newOrder();
  await stripe.fault({
    on: 'refund.create',
    paymentIntent: payment,
    do: 'pending_then',
    then: 'succeeded',
    ms: 3_000,
  });
  const id = await house.approved(order, 9_900);
  await whileRunning(house.worker({ settings: short }), async () => {
    await house.settled(id, 'pending', 20_000);
    await house.settled(id, 'confirmed', 40_000);
  });
  expect(await inLedger(payment)).toBe(1);
});

test('F121: a refusal of the provider is failed, and the ledger and our figures hold nothing', async () => {
  const { order, payment } = await newOrder();
  await stripe.fault({
    ...{ on: 'refund.create', paymentIntent: payment, do: 'error_before', status: 400 },
    ...{
      code: 'charge_not_refundable',
      type: 'invalid_request_error',
      message: 'This charge is not refundable.',
    },
  });
  const id = await house.approved(order, 4_000);
  await whileRunning(house.worker({ settings: short }), async () => {
    await house.settled(id, 'failed', 20_000);
  });
  expect(await inLedger(payment)).toBe(0);
  const [figures] = await house.database.admin`
    select refunded::int, reserved::int from payments where payment_reference = ${payment}`;
  expect(figures).toEqual({ refunded: 0, reserved: 0 });
});

test('a refund made by hand is in the figures within seconds, without a webhook and without an operation', async () => {
  const { order, payment } = await newOrder();
  // The last listing found nothing going on, and left the account to its slow pace.
  // Red when: a proposal that comes then waits for the end of that pause.
  await house.worker({ settings: short }).runOnce();
  await house.database.admin`update mirror_positions
    set next_listing_at = now() + interval '1 hour', listing_with_work_at = now()`;
  await house.propose(order, 1_000);
  await stripe.control('POST', '/fake/refunds', { payment_intent: payment, amount: 1_500 });
  await whileRunning(house.worker({ settings: short }), async () => {
    await eventually(async () => {
      const [row] = await house.database.admin<{ elsewhere: number }[]>`
        select refunded_elsewhere::int as elsewhere from payments where payment_reference = ${payment}`;
      return row?.elsewhere === 1_500;
    }, 20_000);
  });
});

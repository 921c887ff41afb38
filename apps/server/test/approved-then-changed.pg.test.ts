import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { mintId, openHouse, proposalOf, type Answered, type House } from './house-rig.ts';

let house: House;
let agent: string;
let approver: { userId: string; cookie: string };
beforeAll(async () => {
  house = await openHouse({ HOLDFAST_RATE_LIMIT: 'off' });
  agent = await house.key('agent');
  approver = await house.person('approver', 'ben@example.test');
});
afterAll(() => house.stop());

type Refund = { readonly payment_intent: string; readonly amount: number };
const refundsOf = async (payment: string): Promise<number[]> => {
  const answer = await fetch(`${house.fake.access.apiBase}/fake/ledger`);
  const { refunds } = (await answer.json()) as { refunds: Refund[] };
  return refunds.filter((one) => one.payment_intent === payment).map(({ amount }) => amount);
};
/** As somebody does it by hand in the provider's dashboard. */
const refundElsewhere = async (payment: string, minor: number): Promise<void> => {
  const answer = await fetch(`${house.fake.access.apiBase}/fake/refunds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payment_intent: payment, amount: minor, metadata: {} }),
  });
  expect(answer.ok).toBe(true);
};

const read = async (id: string): Promise<Record<string, unknown>> =>
  (await house.ask('GET', `/v1/operations/${id}`, { key: agent })).body;
const orderOf = async (id: string): Promise<Record<string, unknown>> =>
  (await house.ask('GET', `/v1/orders/${id}`, { key: agent })).body;
const propose = async (orderId: string, minor: number, differentFrom: readonly string[] = []) => {
  const id = mintId();
  const body = { ...proposalOf(orderId, minor), ...(differentFrom.length === 0 ? {} : { differentFrom }) };
  // Whoever says that it is a different refund is a person.
  const by = differentFrom.length === 0 ? { key: agent } : { cookie: (await proposer()).cookie };
  const answer = await house.ask('PUT', `/v1/operations/${id}`, { ...by, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return { id, fingerprint: answer.body['fingerprint'] };
};
let known: Promise<{ userId: string; cookie: string }> | undefined;
const proposer = () => (known ??= house.person('agent', 'ada@example.test'));

const approve = (of: { id: string; fingerprint: unknown }, seen?: unknown): Promise<Answered> =>
  house.ask('POST', `/v1/operations/${of.id}/approve`, {
    cookie: approver.cookie,
    body: { commandId: mintId(), fingerprint: of.fingerprint, ...(seen === undefined ? {} : { seen }) },
  });
const slugOf = ({ body }: Answered): string | undefined => String(body['type']).split('/').at(-1);

describe('F099: money that went back elsewhere', () => {
  // Red when: the claim judges by what was so at the approval, or does not ask the provider before it sends.
  it('after the approval is seen at the claim: nothing is sent, the approval is void, and what is left is said', async () => {
    const { reference } = await house.order('changed-after', 10_000);
    const operation = await propose('changed-after', 6_000);
    const { refundable, version: orderVersion } = await orderOf('changed-after');
    const approved = await approve(operation, { refundable, orderVersion });
    expect([approved.status, approved.body['state']]).toEqual([200, 'approved']);
    await refundElsewhere(reference, 7_000);

    await house.opened.made.worker.runOnce();
    expect(await refundsOf(reference)).toEqual([7_000]);
    const now = await read(operation.id);
    expect(now).toMatchObject({ state: 'proposed', attemptCount: 0, approvals: [] });
    const [sentBack] = await house.admin<{ data: { reasons: string[] } }[]>`
      select data from audit where operation_id = ${operation.id} and type = 'send-back'`;
    expect(sentBack?.data.reasons).toContain('refunded-elsewhere');
    expect(await orderOf('changed-after')).toMatchObject({
      refundedElsewhere: { minor: 7_000 },
      reserved: { minor: 0 },
      refundable: { minor: 3_000 },
    });

    const again = await approve(operation);
    expect([slugOf(again), again.body['refundable']]).toEqual([
      'exceeds-refundable',
      { minor: 3_000, currency: 'EUR' },
    ]);
    await house.opened.made.worker.runOnce();
    expect(await refundsOf(reference)).toEqual([7_000]);
  });

  // Red when: what happened elsewhere after an approval is passed over because enough is left.
  it('and leaves enough is shown to an approver again all the same; approved anew it is sent, once', async () => {
    const { reference } = await house.order('changed-little', 10_000);
    const operation = await propose('changed-little', 3_000);
    expect((await approve(operation)).status).toBe(200);
    await refundElsewhere(reference, 7_000);
    await house.opened.made.worker.runOnce();
    expect(await read(operation.id)).toMatchObject({ state: 'proposed', attemptCount: 0, approvals: [] });
    expect((await approve(operation)).status).toBe(200);
    await house.opened.made.worker.runOnce();
    expect((await read(operation.id))['state']).toBe('confirmed');
    expect((await refundsOf(reference)).toSorted((one, other) => one - other)).toEqual([3_000, 7_000]);
  });
});

describe('F030: twenty approvals of one payment at once', () => {
  // Red when: reserving is no conditional update, or the worker sends what holds no reservation.
  it('never let more out than was captured: the provider’s ledger holds exactly that, however the worker runs', async () => {
    const { reference } = await house.order('twenty', 10_000);
    const all: { id: string; fingerprint: unknown }[] = [];
    for (let index = 0; index < 20; index += 1) {
      const before = all.map(({ id }) => id);
      all.push(await propose('twenty', 1_000, before));
    }
    const { worker } = house.opened.made;
    const running = Promise.all([worker.runOnce(), worker.runOnce()]);
    const answers = await Promise.all(all.map((one) => approve(one)));
    await running;
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 422)).toHaveLength(10);
    const sum = async () => (await refundsOf(reference)).reduce((total, amount) => total + amount, 0);
    expect(await sum()).toBeLessThanOrEqual(10_000);
    const statesNow = () => Promise.all(all.map(async ({ id }) => (await read(id))['state']));
    // One is in flight on a payment at a time; one whose answer was not heard is looked for until it is found.
    const states = await eventually('ten to be confirmed', async () => {
      await Promise.all([worker.runOnce(), worker.runOnce()]);
      expect(await sum()).toBeLessThanOrEqual(10_000);
      const now = await statesNow();
      return now.filter((state) => state === 'confirmed').length === 10 && now;
    });
    expect(states.filter((state) => state === 'proposed')).toHaveLength(10);
    for (const one of all) await approve(one);
    await Promise.all([worker.runOnce(), worker.runOnce()]);
    expect(await refundsOf(reference)).toEqual(Array.from({ length: 10 }, () => 1_000));
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintId, openHouse, proposalOf, type Answered, type House } from './house-rig.ts';

let house: House;
let agent: string;
let ben: string;
let cleo: string;
let olga: string;
let otto: string;
beforeAll(async () => {
  // Nothing is looked at again by itself while a test runs; only what the test asks for happens.
  house = await openHouse({ HOLDFAST_CHECK_BACKOFF_MS: '600000', HOLDFAST_PROVIDER_TIMEOUT_MS: '5000' });
  agent = await house.key('agent');
  const owned = async (role: 'approver' | 'operator', email: string): Promise<string> =>
    house.key(role, await house.person(role, email));
  ben = await owned('approver', 'ben@example.test');
  cleo = await owned('approver', 'cleo@example.test');
  olga = await owned('operator', 'olga@example.test');
  otto = await owned('operator', 'otto@example.test');
});
afterAll(() => house.stop());

const post = (id: string, what: string, body: unknown, key: string) =>
  house.ask('POST', `/v1/operations/${id}/${what}`, { key, ...(body === undefined ? {} : { body }) });
const slugOf = ({ body }: Answered): string => String(body['type']).split('/').at(-1) ?? '';
const now = async (id: string) => (await house.ask('GET', `/v1/operations/${id}`, { key: olga })).body;

const fake = async (route: string, body: unknown): Promise<void> => {
  const answer = await fetch(`${house.fake.access.apiBase}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.ok, await answer.text()).toBe(true);
};
type Refund = { readonly id: string; readonly payment_intent: string; readonly amount: number };
const ledgerOf = async (payment: string): Promise<readonly Refund[]> => {
  const answer = await fetch(`${house.fake.access.apiBase}/fake/ledger`);
  const { refunds } = (await answer.json()) as { refunds: readonly Refund[] };
  return refunds.filter((refund) => refund.payment_intent === payment);
};

const proposed = async (orderId: string) => {
  const { reference } = await house.order(orderId);
  const id = mintId();
  const { body } = await house.ask('PUT', `/v1/operations/${id}`, { key: agent, body: proposalOf(orderId) });
  return { id, payment: reference, fingerprint: body['fingerprint'] };
};
const approved = async (orderId: string) => {
  const operation = await proposed(orderId);
  const approval = { commandId: mintId(), fingerprint: operation.fingerprint };
  expect((await post(operation.id, 'approve', approval, ben)).status).toBe(200);
  return operation;
};
/** Submitted, and the answer lost: with or without the refund in the provider's ledger. */
const unknown = async (orderId: string, what: 'execute_then_drop' | 'drop_before') => {
  await fake('/fake/faults', { on: 'refund.create', do: what, times: 1 });
  // Nor does a listing settle it, however long the test takes.
  await fake('/fake/faults', { on: 'refund.list', do: 'hide_from_list', ms: 600_000, times: 'always' });
  const operation = await approved(orderId);
  await house.opened.made.worker.runOnce();
  expect(await now(operation.id)).toMatchObject({ state: 'outcome_unknown', attemptCount: 1 });
  return operation;
};
const resolution = async (id: string, more: object) => ({
  commandId: mintId(),
  version: (await now(id))['version'],
  note: 'looked at both sides',
  ...more,
});

describe('withdrawing', () => {
  // Red when: anybody may take an approval back, or taking it back leaves the money reserved.
  it('takes back one’s own approval alone, and frees what it reserved', async () => {
    const { id } = await approved('withdrawn');
    const others = await post(id, 'withdraw', { commandId: mintId() }, cleo);
    expect(others.status).toBeGreaterThanOrEqual(400);
    expect(await now(id)).toMatchObject({ state: 'approved', approvals: [{}] });
    const body = { commandId: mintId() };
    expect(await post(id, 'withdraw', body, ben)).toMatchObject({
      status: 200,
      body: { state: 'proposed', approvals: [] },
    });
    expect((await post(id, 'withdraw', body, ben)).status).toBe(200);
    const order = await house.ask('GET', '/v1/orders/withdrawn', { key: agent });
    expect(order.body).toMatchObject({ reserved: { minor: 0 }, refundable: { minor: 5_000 } });
  });

  // Red when: what may have been sent can still be taken back, denied or cancelled.
  it('like denying and cancelling is too late once it may have been sent', async () => {
    const { id } = await unknown('sent', 'execute_then_drop');
    const end = () => ({ commandId: mintId(), reason: 'too late' });
    const answers = [
      await post(id, 'withdraw', { commandId: mintId() }, ben),
      await post(id, 'deny', end(), ben),
      await post(id, 'cancel', end(), agent),
    ];
    expect(answers.map((one) => [one.status, slugOf(one)])).toEqual(
      Array.from({ length: 3 }, () => [409, 'too-late']),
    );
    expect(await now(id)).toMatchObject({ state: 'outcome_unknown' });
  });
});

describe('asking about it now', () => {
  // Red when: the pause between two questions is not kept, or asking submits.
  it('is 429 within two seconds, and never submits', async () => {
    const { id, payment } = await unknown('asked', 'drop_before');
    expect((await post(id, 'check', undefined, agent)).status).toBe(200);
    const again = await post(id, 'check', undefined, agent);
    expect([again.status, slugOf(again), again.body['final']]).toEqual([429, 'rate-limited', false]);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    await house.opened.made.worker.runOnce();
    expect(await now(id)).toMatchObject({ state: 'outcome_unknown', attemptCount: 1 });
    expect(await ledgerOf(payment)).toEqual([]);
    expect((await post(mintId(), 'check', undefined, agent)).status).toBe(404);
  });

  it('of what was never sent changes nothing', async () => {
    // Red when: a check wakes what only a claim may wake.
    const { id } = await proposed('unsent');
    expect(await post(id, 'check', undefined, agent)).toMatchObject({
      status: 200,
      body: { state: 'proposed', version: 1 },
    });
  });
});

describe('resolving', () => {
  // Red when: one operator's word is enough, or the same one's second word counts as another's.
  it('as failed takes two operators who say the same', async () => {
    const { id, payment } = await unknown('two', 'drop_before');
    const failed = () => resolution(id, { outcome: 'failed' });
    const first = await post(id, 'resolve', await failed(), olga);
    expect(first).toMatchObject({
      status: 202,
      body: {
        state: 'outcome_unknown',
        resolution: { outcome: 'failed', waiting: true, note: 'looked at both sides', by: {} },
      },
    });
    const same = await post(id, 'resolve', await failed(), olga);
    expect(same.body['state']).not.toBe('failed');
    expect(await now(id)).toMatchObject({ state: 'outcome_unknown', resolution: { waiting: true } });
    expect(await post(id, 'resolve', await failed(), otto)).toMatchObject({
      status: 200,
      body: { state: 'failed' },
    });
    expect(await ledgerOf(payment)).toEqual([]);
    const order = await house.ask('GET', '/v1/orders/two', { key: agent });
    expect(order.body).toMatchObject({ reserved: { minor: 0 } });
  });

  // Red when: a reference is taken without asking the provider, or one that another operation holds.
  it('as confirmed takes a reference that the provider knows on this payment, and no other', async () => {
    const { id, payment } = await unknown('named', 'execute_then_drop');
    const other = await unknown('other', 'execute_then_drop');
    const [own] = await ledgerOf(payment);
    const [foreign] = await ledgerOf(other.payment);
    const confirm = async (providerReference?: string) =>
      post(
        id,
        'resolve',
        await resolution(id, {
          outcome: 'confirmed',
          ...(providerReference === undefined ? {} : { providerReference }),
        }),
        olga,
      );
    for (const wrong of [await confirm(), await confirm('re_nobody_knows'), await confirm(foreign?.id)]) {
      expect(wrong.status, JSON.stringify(wrong.body)).toBeGreaterThanOrEqual(400);
      expect(wrong.headers.get('content-type')).toBe('application/problem+json');
    }
    expect(await now(id)).toMatchObject({ state: 'outcome_unknown' });
    const stale = { commandId: mintId(), version: 1, outcome: 'failed', note: 'n' };
    expect(slugOf(await post(id, 'resolve', stale, olga))).toBe('stale');
    const done = await confirm(own?.id);
    expect(done).toMatchObject({
      status: 200,
      body: { state: 'confirmed', provider: { reference: own?.id } },
    });
  });

  // Red when: a refund of another amount is booked on one operator's word, or at the amount that was approved.
  it('by a reference of another amount takes a second operator, and books the provider’s amount', async () => {
    const { id, payment } = await unknown('amount', 'drop_before');
    await fake('/fake/refunds', { payment_intent: payment, amount: 700 });
    const [byHand] = await ledgerOf(payment);
    const confirm = () => resolution(id, { outcome: 'confirmed', providerReference: byHand?.id });
    expect(await post(id, 'resolve', await confirm(), olga)).toMatchObject({
      status: 202,
      body: { state: 'outcome_unknown' },
    });
    expect(await post(id, 'resolve', await confirm(), otto)).toMatchObject({
      status: 200,
      body: { state: 'confirmed' },
    });
    const order = await house.ask('GET', '/v1/orders/amount', { key: agent });
    expect(order.body).toMatchObject({ refunded: { minor: 700 }, reserved: { minor: 0 } });
  });

  it('takes a note always, and does nothing to what was never sent', async () => {
    // Red when: the note is optional, or a proposal can be resolved away.
    const { id } = await proposed('unresolvable');
    const without = { commandId: mintId(), version: 1, outcome: 'failed' };
    expect((await post(id, 'resolve', without, olga)).status).toBe(422);
    expect((await post(id, 'resolve', { ...without, note: 'n' }, olga)).status).toBe(409);
    expect(await now(id)).toMatchObject({ state: 'proposed' });
  });
});

describe('a further approval', () => {
  // Red when: an approval where none is needed any more is refused or forgotten.
  it('where none is needed is 200 and recorded', async () => {
    const { id, fingerprint } = await approved('further');
    const more = await post(id, 'approve', { commandId: mintId(), fingerprint }, cleo);
    expect(more).toMatchObject({ status: 200, body: { state: 'approved', approvals: [{}, {}] } });
  });

  // Red when: what the approver saw is not compared with what is there now.
  it('of figures that have changed since they were seen is 409 with what is now', async () => {
    const { id, fingerprint } = await proposed('seen');
    const order = await house.ask('GET', '/v1/orders/seen', { key: ben });
    const seen = { refundable: { minor: 1, currency: 'EUR' }, orderVersion: order.body['version'] };
    const stale = await post(id, 'approve', { commandId: mintId(), fingerprint, seen }, ben);
    expect([stale.status, slugOf(stale)]).toEqual([409, 'stale-approval']);
    expect(JSON.stringify(stale.body)).toContain('5000');
    const right = { ...seen, refundable: order.body['refundable'] };
    expect((await post(id, 'approve', { commandId: mintId(), fingerprint, seen: right }, ben)).status).toBe(
      200,
    );
  });
});

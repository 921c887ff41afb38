import { describe, expect, test } from 'vitest';
import type { AttemptFinding, ProviderRecord } from '@holdfast/operation';
import { createStripeAdapter } from '@holdfast/providers/stripe';
import { pspM } from '../../test/scripted-provider.ts';
import { eventually } from '../../test/postgres-rig.ts';
import { scriptedHouse } from '../../test/scripted-house.ts';
import { shortSettings, whileRunning } from '../../test/worker-house.ts';

const scripted = await scriptedHouse();
const { house, provider, newOrder, figures, inLedger, refundByHand, statesOf, sentenceOf, wakeNow } =
  scripted;
const { another, accountBy } = scripted;

const impatient = { ...shortSettings, needsPersonAfterMs: 1_000 };
const reasonsOf = async (id: string): Promise<readonly string[]> =>
  (await house.operation(id)).attention.map(({ reason }) => reason);

describe('F021: a provider that takes no equal amount on one payment within a day', () => {
  // Red when: the earliest time is lost between the finding and the cause, or an equal refund is taken for its own.
  test('refuses a second return: failed with the rule and the earliest time, and the first one untouched', async () => {
    const { order, payment } = await newOrder();
    const m = another(pspM);
    const first = await house.approved(order, 500);
    await house.worker({ providers: m.providers }).runOnce();
    const before = await house.operation(first);
    expect(before.state).toBe('confirmed');
    const second = await house.approved(order, 500, { differentFrom: [first] });
    await house.worker({ providers: m.providers }).runOnce();
    const [refund] = m.provider.ledger;
    const notBeforeMs = (refund?.createdAtMs ?? 0) + 24 * 3_600_000;
    const row = await house.operation(second);
    expect(row).toMatchObject({ state: 'failed', provider_reference: null });
    expect(row.settlement).toMatchObject({
      cause: { kind: 'declined', decline: 'repeated-too-soon', notBeforeMs },
    });
    const earliest = new Date(Math.ceil(notBeforeMs / 60_000) * 60_000).toISOString();
    const sentence = await sentenceOf(second);
    expect(sentence).toContain('same amount');
    expect(sentence).toContain(earliest.slice(0, 16).replace('T', ' '));
    expect(await house.operation(first)).toMatchObject({
      ...{ version: before.version, provider_reference: refund?.reference, attention: [] },
    });
    expect(m.provider.ledger).toHaveLength(1);
    expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 500 });
  });

  // Red when: an answer that carries another operation's refund is taken for the acceptance of this one.
  test('or answers with the first one’s refund: never confirmed by it, a person decides', async () => {
    const { order, payment } = await newOrder();
    const first = await house.approved(order, 500);
    await house.worker().runOnce();
    const [record] = inLedger(payment);
    if (record === undefined) throw new Error('no refund');
    const second = await house.approved(order, 500, { differentFrom: [first] });
    provider.script.push({ do: 'find', status: 200, finding: { kind: 'accepted', record } });
    await house.worker().runOnce();
    expect(await house.operation(second)).toMatchObject({
      ...{ state: 'outcome_unknown', provider_reference: null },
      attention: [expect.objectContaining({ reason: 'conflicting-evidence' })],
    });
    expect((await house.operation(first)).state).toBe('confirmed');
    expect(await figures(payment)).toMatchObject({ reserved: 500, refunded: 500 });
  });
});

const alreadyRefunded = [
  ['already refunded', 'already-refunded'],
  ['the amount must be less than the charge', 'exceeds-unrefunded'],
] as const;

describe('F059: refunded in the dashboard a minute before', () => {
  /** The last check saw nothing of it yet; the refusal is the first word of it. */
  const refusedWith = async (decline: 'already-refunded' | 'exceeds-unrefunded', id: string) => {
    provider.script.push({ do: 'find', status: 400, finding: { kind: 'rejected', decline, code: null } });
    await house.worker().runOnce();
    expect((await house.operation(id)).state).toBe('outcome_unknown');
  };
  const aMinuteBefore = { createdAtMs: Date.now() - 60_000 };

  // Red when: the refusal alone ends it, or the refund that exhausts the payment is not named.
  test.each(alreadyRefunded)('and answered "%s": failed, with that refund named', async (_says, decline) => {
    const { order, payment } = await newOrder();
    const id = await house.approved(order, 10_000);
    await refusedWith(decline, id);
    const elsewhere = refundByHand(payment, 10_000, aMinuteBefore);
    await whileRunning(house.worker(), async () => {
      await house.settled(id, 'failed');
    });
    expect((await house.operation(id)).settlement).toMatchObject({
      cause: {
        kind: 'refunded-elsewhere',
        refunds: [{ reference: elsewhere.reference, amount: elsewhere.amount }],
      },
    });
    expect(await sentenceOf(id)).toContain(elsewhere.reference);
    expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 0, elsewhere: 10_000 });
    expect(provider.requests).toHaveLength(1);
  });

  // Red when: settling takes a record that carries our operation's ID for somebody else's (`isForeign`).
  test.each(alreadyRefunded)('and answered "%s" with our own ID on it: confirmed', async (_says, decline) => {
    const { order, payment } = await newOrder();
    const id = await house.approved(order, 10_000);
    await refusedWith(decline, id);
    const own = { ...aMinuteBefore, organisationId: house.organisationId, operationId: id };
    const { reference } = refundByHand(payment, 10_000, own);
    await whileRunning(house.worker(), async () => {
      await house.settled(id, 'confirmed');
    });
    expect((await house.operation(id)).provider_reference).toBe(reference);
    expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 10_000, elsewhere: 0 });
  });

  // Red when: any refund made elsewhere explains the refusal, whether or not it exhausts the payment.
  test('in part, and answered with a refusal: not silently failed, a person decides', async () => {
    const { order, payment } = await newOrder();
    const id = await house.approved(order, 8_000);
    await refusedWith('exceeds-unrefunded', id);
    refundByHand(payment, 6_000, aMinuteBefore);
    await whileRunning(house.worker({ settings: impatient }), async () => {
      await eventually(async () => (await reasonsOf(id)).length > 0);
    });
    expect(await statesOf(id)).not.toContain('failed');
    expect(await figures(payment)).toMatchObject({ reserved: 8_000, elsewhere: 6_000 });
  });
});

// Red when: a refusal for now is answered with another request than the one approved, or its reason is lost.
test('F061: a payment that is not settled yet ends as failed with that reason: no void, no other amount', async () => {
  const { order, payment } = await newOrder();
  const notBeforeMs = Date.now() + 3_600_000;
  const decline = 'not-settled-yet' as const;
  const finding: AttemptFinding = { kind: 'rejected', decline, code: 'unsettled', notBeforeMs };
  provider.script.push({ do: 'find', status: 400, finding });
  const id = await house.approved(order, 1_000);
  await house.worker().runOnce();
  await wakeNow(id);
  await house.worker().runOnce();
  expect((await house.operation(id)).settlement).toMatchObject({ cause: { decline, notBeforeMs } });
  expect(await sentenceOf(id)).toMatch(/not settled yet.*would be taken from/);
  expect(provider.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v1/refunds']);
  expect(provider.requests[0]?.body).toContain('amount=1000');
  expect(inLedger(payment)).toHaveLength(0);
  expect(await figures(payment)).toMatchObject({ reserved: 0, refunded: 0 });
});

const recordOf = (organisationId: string, operationId: string, paymentReference: string): ProviderRecord => ({
  reference: `re_of_${operationId}`,
  ...{ status: 'succeeded', statusText: 'succeeded', failureReason: null, createdAtMs: Date.now() },
  amount: { minor: 1_000, currency: 'EUR' },
  ...{ paymentReference, organisationId, operationId },
});

describe('F076: the amount', () => {
  // Red when: an amount that is missing is encoded, or a refusal to encode is sent all the same.
  test('lost by a renamed field: nothing is sent, and it goes back for approval', async () => {
    const { order, payment } = await newOrder();
    const stripe = createStripeAdapter({ secretKey: 'sk_test_x', nowMs: () => Date.now() });
    const id = await house.approved(order, 1_000);
    const renamed = accountBy({
      encodeRefund: ({ amount: amountMinor, ...request }) =>
        stripe.encodeRefund({ ...request, amountMinor } as never),
    });
    await house.worker({ providers: renamed }).runOnce();
    expect(await house.operation(id)).toMatchObject({
      state: 'proposed',
      sent_back: { reasons: ['provider-cannot-express-it'] },
    });
    expect(provider.requests).toHaveLength(0);
    expect(await figures(payment)).toMatchObject({ reserved: 0 });
  });

  // Red when: an accepted answer confirms whatever amount, currency or payment it shows.
  test.each([
    ['the whole payment', { amount: { minor: 10_000, currency: 'EUR' } }],
    ['another currency', { amount: { minor: 1_000, currency: 'USD' } }],
    ['another payment', { paymentReference: 'pi_another' }],
  ])('answered with %s: never confirmed, and everything of the payment stops', async (_what, changes) => {
    const { order, payment } = await newOrder();
    const id = await house.approved(order, 1_000);
    const other = await house.approved(order, 2_000, { differentFrom: [id] });
    const record = { ...recordOf(house.organisationId, id, payment), ...changes };
    provider.script.push({ do: 'find', status: 200, finding: { kind: 'accepted', record } });
    await house.worker({ width: 1 }).runOnce();
    await wakeNow(other);
    await house.worker().runOnce();
    expect((await house.operation(id)).state).toBe('outcome_unknown');
    expect(await reasonsOf(id)).toContain('amount-differs');
    expect(await house.operation(other)).toMatchObject({
      ...{ state: 'proposed', sent_back: { reasons: expect.arrayContaining(['payment-blocked']) } },
    });
    expect(provider.requests).toHaveLength(1);
  });
});

// Red when: a look-up asks about anything but the operation's own payment.
test('F117: of a customer with two payments only the operation’s own is asked about, and its refund is found', async () => {
  await newOrder();
  const { order, payment } = await newOrder();
  const asked = new Set<string>();
  const watched = accountBy({
    askAboutPayment: (reference, deadlineMs) => {
      asked.add(reference);
      return provider.adapter.askAboutPayment(reference, deadlineMs);
    },
  });
  provider.script.push({ do: 'execute-then-lose' });
  const id = await house.approved(order, 1_000);
  await whileRunning(house.worker({ providers: watched }), async () => {
    await house.settled(id, 'confirmed');
  });
  expect([...asked]).toEqual([payment]);
  expect((await house.operation(id)).provider_reference).toBe(inLedger(payment)[0]?.reference);
});

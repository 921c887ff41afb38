import { describe, expect, test } from 'vitest';
import {
  judgeAbsence,
  judgeLookUp,
  recordsOfOperation,
  type AbsenceFacts,
  type MirroredRefund,
  type PaymentAnswer,
} from '@holdfast/providers';
import { stripeContract } from '../src/stripe/stripe.ts';

const subject = { organisationId: 'org', operationId: 'op', capturedMinor: 10_000 };

const refund = (changes: Partial<MirroredRefund> = {}): MirroredRefund => ({
  reference: 're_1',
  status: 'succeeded',
  statusText: 'succeeded',
  amount: { minor: 2_500, currency: 'EUR' },
  paymentReference: 'pi_A',
  failureReason: null,
  createdAtMs: 1,
  organisationId: null,
  operationId: null,
  ...changes,
});
const ours = (changes: Partial<MirroredRefund> = {}): MirroredRefund =>
  refund({ organisationId: 'org', operationId: 'op', ...changes });

const answerWith = (
  refunds: readonly MirroredRefund[],
  capturedMinor: number | null = 10_000,
): PaymentAnswer => ({
  kind: 'answer',
  captured: capturedMinor === null ? null : { minor: capturedMinor, currency: 'EUR' },
  refunds,
  disputes: [],
  providerDateMs: null,
});

const judged = (refunds: readonly MirroredRefund[], capturedMinor?: number | null): string =>
  judgeLookUp(answerWith(refunds, capturedMinor), subject).kind;

describe('judging a look-up', () => {
  // Red when: recordsOfOperation compares only one of the two IDs, or the amount.
  test.each([
    ['organisation and operation are ours', ours(), 'found'],
    [
      'the amount differs: settling says so, not this',
      ours({ amount: { minor: 1, currency: 'EUR' } }),
      'found',
    ],
    ['same amount, made by hand', refund(), 'absent-yet'],
    ['our operation’s ID under another organisation', ours({ organisationId: 'other' }), 'absent-yet'],
    ['another operation of ours', ours({ operationId: 'other' }), 'absent-yet'],
    ['an operation ID without an organisation', ours({ organisationId: null }), 'absent-yet'],
  ])('%s', (_what, seen, kind) => {
    expect(judged([seen])).toBe(kind);
  });

  test('of two records of one operation the one that moved money is shown, and both can be had', () => {
    const refunds = [
      ours({ reference: 're_f', status: 'failed' }),
      ours({ reference: 're_p', status: 'pending' }),
      ours({ reference: 're_s', createdAtMs: 9 }),
    ];
    expect(judgeLookUp(answerWith(refunds), subject)).toMatchObject({ record: { reference: 're_s' } });
    expect(recordsOfOperation(refunds, subject).map(({ reference }) => reference)).toEqual([
      're_s',
      're_p',
      're_f',
    ]);
  });

  // Red when: refunds of our other operations, or failed ones, are counted as made elsewhere.
  test.each([
    [
      'alone exhaust what was captured',
      [refund({ amount: { minor: 10_000, currency: 'EUR' } })],
      10_000,
      'exhausted-elsewhere',
    ],
    [
      'are pending and exhaust it',
      [refund({ status: 'pending', amount: { minor: 10_000, currency: 'EUR' } })],
      10_000,
      'exhausted-elsewhere',
    ],
    [
      'are several and exhaust it',
      [
        refund({ amount: { minor: 9_000, currency: 'EUR' } }),
        refund({ reference: 're_2', amount: { minor: 1_000, currency: 'EUR' } }),
      ],
      10_000,
      'exhausted-elsewhere',
    ],
    ['leave a cent', [refund({ amount: { minor: 9_999, currency: 'EUR' } })], 10_000, 'absent-yet'],
    [
      'did not last',
      [refund({ status: 'failed', amount: { minor: 10_000, currency: 'EUR' } })],
      10_000,
      'absent-yet',
    ],
    [
      'exhaust it only together with one of ours',
      [
        refund({ amount: { minor: 9_000, currency: 'EUR' } }),
        ours({ operationId: 'other', amount: { minor: 1_000, currency: 'EUR' } }),
      ],
      10_000,
      'absent-yet',
    ],
    [
      'exhaust our figure, but not the provider’s',
      [refund({ amount: { minor: 10_000, currency: 'EUR' } })],
      12_000,
      'absent-yet',
    ],
    [
      'exhaust our figure, and the provider names none',
      [refund({ amount: { minor: 10_000, currency: 'EUR' } })],
      null,
      'exhausted-elsewhere',
    ],
    [
      'exhaust the provider’s figure, but not ours',
      [refund({ amount: { minor: 8_000, currency: 'EUR' } })],
      8_000,
      'absent-yet',
    ],
    [
      'are of another currency',
      [refund({ amount: { minor: 10_000, currency: 'USD' } })],
      10_000,
      'absent-yet',
    ],
    ['are none, of a payment without a known amount', [], null, 'absent-yet'],
  ] as const)('refunds made elsewhere that %s', (_what, refunds, captured, kind) => {
    expect(judged(refunds, captured)).toBe(kind);
  });

  test('names the refunds that exhausted it', () => {
    const finding = judgeLookUp(
      answerWith([refund({ amount: { minor: 10_000, currency: 'EUR' } })]),
      subject,
    );
    expect(finding).toEqual({
      kind: 'exhausted-elsewhere',
      refunds: [{ reference: 're_1', amount: { minor: 10_000, currency: 'EUR' }, atMs: 1 }],
    });
  });

  test('no answer is no conclusion, also with foreign refunds seen that would exhaust the payment', () => {
    const refundsSeen = [refund({ amount: { minor: 10_000, currency: 'EUR' } })];
    const finding = judgeLookUp(
      { kind: 'no-answer', because: 'x', ourKeyRefused: false, refundsSeen },
      subject,
    );
    expect(finding).toEqual({ kind: 'no-answer', because: 'x' });
  });
});

describe('judging a look-up where records name nobody', () => {
  const minutes = (count: number): number => count * 60_000;
  const unnamed = {
    amount: { minor: 10_000, currency: 'EUR' },
    sentFromMs: minutes(60),
    heldReferences: ['re_held'],
    operations: ['op', 'op-2'],
  };
  const equal = (changes: Partial<MirroredRefund> = {}): MirroredRefund =>
    refund({ amount: { minor: 10_000, currency: 'EUR' }, createdAtMs: minutes(61), ...changes });

  // Red when: such a record is taken for ours, for somebody else's, or for nobody's at all.
  test.each<readonly [string, MirroredRefund, string]>([
    ['F067: one of this amount, made since it was sent, may be ours', equal(), 'unattributed'],
    ['so may one that is still pending', equal({ status: 'pending' }), 'unattributed'],
    ['and one a little older, by another clock', equal({ createdAtMs: minutes(55) }), 'unattributed'],
    ['one much older is not', equal({ createdAtMs: minutes(1) }), 'exhausted-elsewhere'],
    ['nor one that another operation holds', equal({ reference: 're_held' }), 'exhausted-elsewhere'],
    ['nor one of another amount', equal({ amount: { minor: 9_999, currency: 'EUR' } }), 'absent-yet'],
    ['nor one of another currency', equal({ amount: { minor: 9_000, currency: 'USD' } }), 'absent-yet'],
    ['nor one that failed', equal({ status: 'failed' }), 'absent-yet'],
    ['nor one that names somebody', equal({ organisationId: 'other' }), 'exhausted-elsewhere'],
  ])('%s', (_what, seen, kind) => {
    expect(judgeLookUp(answerWith([seen]), { ...subject, unnamed }).kind).toBe(kind);
  });

  test('shows every such record, and every operation that it could be', () => {
    const seen = [equal(), equal({ reference: 're_2' })];
    expect(judgeLookUp(answerWith(seen), { ...subject, unnamed })).toMatchObject({
      refunds: [{ reference: 're_1' }, { reference: 're_2' }],
      operations: ['op', 'op-2'],
    });
  });

  test('a record that does name us is ours all the same', () => {
    expect(judgeLookUp(answerWith([equal(), ours()]), { ...subject, unnamed }).kind).toBe('found');
  });
});

const minuteMs = 60_000;
const facts = (changes: Partial<AbsenceFacts> = {}): AbsenceFacts => ({
  nowMs: 20 * minuteMs,
  attempts: [{ endedAtMs: 0 }],
  emptyReadsAtMs: [6 * minuteMs, 12 * minuteMs],
  savedFailureReplayed: false,
  mayStillBeResubmitted: false,
  ...changes,
});

describe('calling an absence final', () => {
  // Red when: any one of the guards in judge-absence.ts is taken out.
  test.each<readonly [string, Partial<AbsenceFacts>, string]>([
    ['quiet, ended, read three times', {}, 'absent-final'],
    [
      'an attempt without a recorded end',
      { attempts: [{ endedAtMs: 0 }, { endedAtMs: null }] },
      'absent-yet',
    ],
    ['no attempt at all', { attempts: [] }, 'absent-yet'],
    ['a saved failure', { savedFailureReplayed: true }, 'absent-yet'],
    ['the same key can still be sent', { mayStillBeResubmitted: true }, 'absent-yet'],
    ['one read too few', { emptyReadsAtMs: [6 * minuteMs] }, 'absent-yet'],
    ['a read within the quiet period', { emptyReadsAtMs: [4 * minuteMs, 12 * minuteMs] }, 'absent-yet'],
    [
      'the quiet period counts from the last attempt',
      { attempts: [{ endedAtMs: 0 }, { endedAtMs: 10 * minuteMs }] },
      'absent-yet',
    ],
    ['reads that are too close', { emptyReadsAtMs: [19.5 * minuteMs, 19.9 * minuteMs] }, 'absent-yet'],
    [
      'many close reads count as one',
      { emptyReadsAtMs: [18, 18.1, 18.2, 18.3].map((at) => at * minuteMs) },
      'absent-yet',
    ],
    [
      'the order of the reads does not matter',
      { emptyReadsAtMs: [12 * minuteMs, 6 * minuteMs] },
      'absent-final',
    ],
    [
      'a read from the future does not count',
      { emptyReadsAtMs: [6 * minuteMs, 30 * minuteMs] },
      'absent-yet',
    ],
  ])('%s', (_what, changes, expected) => {
    expect(judgeAbsence(facts(changes), stripeContract)).toBe(expected);
  });

  test('never of a provider that cannot be asked', () => {
    expect(judgeAbsence(facts(), { ...stripeContract, lookUp: 'by-replay' })).toBe('absent-yet');
  });
});

test('Stripe’s contract leaves a final absence to a person, and a margin before its keys are forgotten', () => {
  expect(stripeContract.finalAbsenceProves).toBe('a-person-decides');
  expect(stripeContract.keyWindowMs - stripeContract.keyWindowMarginMs).toBe(23 * 60 * minuteMs);
});

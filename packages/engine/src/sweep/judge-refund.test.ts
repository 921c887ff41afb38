import { describe, expect, test } from 'vitest';
import type { MirroredRefund } from '@holdfast/providers';
import { judgeRefund, type RefundToJudge } from './judge-refund.ts';
import type { SweptOperation } from './sweep-finding.ts';

const operation = (changes: Partial<SweptOperation> = {}): SweptOperation => ({
  id: 'op-1',
  state: 'confirmed',
  reference: 're_1',
  paymentReference: 'pi_1',
  amount: { minor: 500, currency: 'EUR' },
  ...changes,
});
const refund = (changes: Partial<MirroredRefund> = {}): MirroredRefund => ({
  reference: 're_1',
  status: 'succeeded',
  statusText: 'succeeded',
  amount: { minor: 500, currency: 'EUR' },
  paymentReference: 'pi_1',
  failureReason: null,
  createdAtMs: 1,
  organisationId: 'us',
  operationId: 'OP-1',
  ...changes,
});
const kinds = (changes: Partial<RefundToJudge>): readonly string[] =>
  judgeRefund({
    refund: refund(),
    organisationId: 'us',
    before: operation(),
    after: operation(),
    held: true,
    ...changes,
  }).map(({ kind }) => kind);

const byHand = { organisationId: null, operationId: null };

describe('one refund of the ledger, beside what is known here', () => {
  // Red when: the finding of a row below is not made, or made of what agrees.
  test.each<[string, Partial<RefundToJudge>, readonly string[]]>([
    ['its operation’s own', {}, []],
    [
      'settled just now by the sweep',
      { before: operation({ state: 'outcome_unknown', reference: null }) },
      [],
    ],
    [
      'booked at what two operators took it for',
      { after: operation({ amount: { minor: 500, currency: 'EUR' } }) },
      [],
    ],
    ['a further one', { refund: refund({ reference: 're_2' }) }, ['duplicate']],
    ['of an unknown operation', { before: null, after: null }, ['unaccounted']],
    ['of a denied operation', { before: operation({ state: 'denied', reference: null }) }, ['unaccounted']],
    ['of a failed operation', { before: operation({ state: 'failed', reference: null }) }, ['unaccounted']],
    [
      'that settled nothing',
      { after: operation({ state: 'outcome_unknown', reference: null }) },
      ['unaccounted'],
    ],
    [
      'of another amount',
      { refund: refund({ amount: { minor: 501, currency: 'EUR' } }) },
      ['amount-differs'],
    ],
    [
      'of another currency',
      { refund: refund({ amount: { minor: 500, currency: 'USD' } }) },
      ['amount-differs'],
    ],
    [
      'failed, though we called it confirmed',
      { refund: refund({ status: 'failed' }), after: operation({ state: 'reversed' }) },
      ['failed-at-provider'],
    ],
    [
      'failed, as we say',
      { refund: refund({ status: 'failed' }), before: operation({ state: 'reversed' }) },
      [],
    ],
    ['made elsewhere', { refund: refund(byHand), before: null, after: null, held: false }, ['foreign']],
    ['made elsewhere and taken for an operation', { refund: refund(byHand), before: null, after: null }, []],
    [
      'made elsewhere and failed',
      { refund: refund({ ...byHand, status: 'failed' }), after: null, held: false },
      [],
    ],
    ['of another organisation', { refund: refund({ organisationId: 'them' }), held: false }, ['foreign']],
  ])('%s', (_what, changes, expected) => {
    expect(kinds(changes)).toEqual(expected);
  });
});

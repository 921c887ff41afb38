import { describe, expect, test } from 'vitest';
import {
  attentionReasons,
  blockingAttention,
  defaultPolicy,
  eligibilityReasons,
  findPossibleDuplicates,
  judgeEligibility,
  judgeProposal,
  mayDiffer,
  operationStates,
  type DuplicateSubject,
  type EligibilityFacts,
  type LedgerRefund,
  type OtherOperation,
} from '../src/operation.ts';

const dayMs = 86_400_000;
const nowMs = 1_764_410_400_000;

const facts: EligibilityFacts = {
  nowMs,
  policy: defaultPolicy,
  order: { id: 'o-1', placedAtMs: nowMs - 10 * dayMs },
  payment: {
    currency: 'EUR',
    captured: 5000,
    refunded: 0,
    refundedElsewhere: 0,
    reserved: 0,
    disputed: false,
  },
  returns: [
    { id: 'r-1', status: 'received' },
    { id: 'r-2', status: 'expected' },
  ],
  reason: 'returned',
  note: null,
  returnId: null,
  amount: { minor: 1099, currency: 'EUR' },
  operationId: 'op-1',
  paymentOperations: [],
};

const reasonsOf = (changes: Partial<EligibilityFacts>): readonly string[] =>
  judgeEligibility({ ...facts, ...changes }).map(({ reason }) => reason);

describe('eligibility', () => {
  test('has nothing to say against a plain refund of a received return', () => {
    expect(reasonsOf({})).toEqual([]);
  });

  // Red when: the rule named in the row is taken out.
  test.each<[string, Partial<EligibilityFacts>]>([
    ['payment-not-captured', { payment: { ...facts.payment, captured: 0 } }],
    ['currency-differs', { amount: { minor: 1099, currency: 'USD' } }],
    ['amount-not-positive', { amount: { minor: 0, currency: 'EUR' } }],
    ['amount-not-positive', { amount: { minor: -1, currency: 'EUR' } }],
    ['amount-not-positive', { amount: { minor: 10.5, currency: 'EUR' } }],
    ['return-not-received', { returns: [{ id: 'r-2', status: 'expected' }] }],
    ['return-not-received', { returns: [] }],
    ['return-not-received', { returnId: 'r-2' }],
    ['note-missing', { reason: 'goodwill' }],
    ['reason-not-allowed', { policy: { ...defaultPolicy, allowedReasons: [] } }],
    ['reason-not-allowed', { policy: { ...defaultPolicy, allowedReasons: ['damaged', 'goodwill'] } }],
    ['note-missing', { reason: 'goodwill', note: '  ' }],
    ['too-old', { order: { id: 'o-1', placedAtMs: nowMs - 180 * dayMs - 1 } }],
    ['disputed', { payment: { ...facts.payment, disputed: true } }],
    ['payment-blocked', { paymentOperations: [{ id: 'op-2', attention: ['contradicted'] }] }],
    ['cannot-replace', { replaces: null }],
    ['cannot-replace', { replaces: { state: 'confirmed', orderId: 'o-1' } }],
    ['cannot-replace', { replaces: { state: 'failed', orderId: 'o-2' } }],
  ])('refuses: %s (%o)', (reason, changes) => {
    expect(reasonsOf(changes)).toEqual([reason]);
  });

  test.each<[string, Partial<EligibilityFacts>]>([
    ['exactly 180 days old', { order: { id: 'o-1', placedAtMs: nowMs - 180 * dayMs } }],
    ['the named return was received', { returnId: 'r-1' }],
    ['another reason with a note', { reason: 'goodwill', note: 'loyal customer', returns: [] }],
    ['its own attention', { paymentOperations: [{ id: 'op-1', attention: ['contradicted'] }] }],
    ['it replaces an ended one of the same order', { replaces: { state: 'failed', orderId: 'o-1' } }],
  ])('lets pass: %s', (_name, changes) => {
    expect(reasonsOf(changes)).toEqual([]);
  });

  // Red when: the list of blocking reasons shrinks.
  test('is blocked by exactly the attention that leaves the payment’s money open', () => {
    for (const reason of attentionReasons) {
      const blocked = reasonsOf({ paymentOperations: [{ id: 'op-2', attention: [reason] }] }).length > 0;
      expect(blocked, reason).toBe(blockingAttention.includes(reason));
    }
    expect([...blockingAttention].sort()).toEqual(
      [
        'outcome-unresolved',
        'duplicate-action',
        'conflicting-evidence',
        'amount-differs',
        'contradicted',
      ].sort(),
    );
  });

  // Red when: `judgeEligibility` returns at the first reason.
  test('names all reasons at once, in their documented order, each with a sentence', () => {
    const problems = judgeEligibility({
      ...facts,
      payment: { ...facts.payment, captured: 0, disputed: true },
      amount: { minor: 0, currency: 'USD' },
      returns: [],
      order: { id: 'o-1', placedAtMs: 0 },
      paymentOperations: [{ id: 'op-2', attention: ['outcome-unresolved'] }],
      policy: { ...defaultPolicy, allowedReasons: ['goodwill'] },
      replaces: null,
    });
    expect(problems.map(({ reason }) => reason)).toEqual(
      eligibilityReasons.filter((reason) => reason !== 'note-missing'),
    );
    for (const { sentence } of problems) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });
});

const subject: DuplicateSubject = {
  operationId: 'op-1',
  organisationId: 'org-1',
  paymentReference: 'pi_1',
  amount: { minor: 1099, currency: 'EUR' },
  returnId: null,
  lines: [],
  ticketId: null,
  differentFrom: [],
};
const other: OtherOperation = {
  id: 'op-2',
  state: 'proposed',
  paymentReference: 'pi_1',
  amount: { minor: 500, currency: 'EUR' },
  returnId: null,
  lines: [],
  ticketId: null,
};
const byHand: LedgerRefund = {
  reference: 're_9',
  paymentReference: 'pi_1',
  amount: { minor: 1099, currency: 'EUR' },
  atMs: nowMs,
  organisationId: null,
  operationId: null,
};
const found = (
  changes: Partial<OtherOperation>,
  proposal: Partial<DuplicateSubject> = {},
  refunds: readonly LedgerRefund[] = [],
) => findPossibleDuplicates({ ...subject, ...proposal }, [{ ...other, ...changes }], refunds);

describe('a possible duplicate', () => {
  // Red when: one of the four comparisons is taken out.
  test('has the same amount, return, line or ticket on the same payment', () => {
    expect(found({}).operations).toHaveLength(0);
    expect(found({ amount: subject.amount }).operations).toHaveLength(1);
    expect(found({ returnId: 'r-1' }, { returnId: 'r-1' }).operations).toHaveLength(1);
    expect(found({ lines: [{ sku: 'A' }] }, { lines: [{ sku: 'B' }, { sku: 'A' }] }).operations).toHaveLength(
      1,
    );
    expect(found({ ticketId: 't-1' }, { ticketId: 't-1' }).operations).toHaveLength(1);
    expect(found({ amount: subject.amount, paymentReference: 'pi_2' }).operations).toHaveLength(0);
    expect(found({ amount: subject.amount, id: 'op-1' }).operations).toHaveLength(0);
  });

  // Red when: absent is compared with absent.
  test('is never found in fields that are absent', () => {
    expect(found({ returnId: null, ticketId: null, lines: [], amount: null }).operations).toHaveLength(0);
  });

  test('is live, confirmed or unknown; an unknown one of the payment always is', () => {
    const alike = operationStates.filter(
      (state) => found({ state, amount: subject.amount }).operations.length > 0,
    );
    expect([...alike].sort()).toEqual(
      ['proposed', 'approved', 'submitting', 'pending', 'confirmed', 'outcome_unknown'].sort(),
    );
    expect(found({ state: 'outcome_unknown' }).operations).toHaveLength(1);
  });

  // Red when: `madeElsewhere` looks at the organisation alone.
  test('may have been made elsewhere; a refund with our organisation and an operation ID never was', () => {
    expect(found({}, {}, [byHand]).elsewhere).toEqual([byHand]);
    expect(found({}, {}, [{ ...byHand, amount: { minor: 1, currency: 'EUR' } }]).elsewhere).toEqual([]);
    expect(found({}, {}, [{ ...byHand, paymentReference: 'pi_2' }]).elsewhere).toEqual([]);
    expect(found({}, {}, [{ ...byHand, organisationId: 'org-1', operationId: 'op-7' }]).elsewhere).toEqual(
      [],
    );
    expect(found({}, {}, [{ ...byHand, organisationId: 'org-1' }]).elsewhere).toHaveLength(1);
    expect(
      found({}, {}, [{ ...byHand, organisationId: 'org-2', operationId: 'op-7' }]).elsewhere,
    ).toHaveLength(1);
  });

  test('is passed by naming it, each by its own name', () => {
    const alike = { amount: subject.amount };
    expect(found(alike, { differentFrom: ['OP-2'] }).operations).toHaveLength(0);
    expect(found(alike, { differentFrom: ['op-3'] }).operations).toHaveLength(1);
    expect(found({}, { differentFrom: ['re_9'] }, [byHand]).elsewhere).toHaveLength(0);
    expect(found({}, { differentFrom: ['RE_9'] }, [byHand]).elsewhere).toHaveLength(1);
  });

  // Red when: `via` or `assistant` is not looked at.
  test('may be passed by a person or a key that a person owns, never by an assistant or an ownerless key', () => {
    const actor = { id: 'a', name: 'A', role: 'agent', assistant: false, via: 'session' } as const;
    expect(mayDiffer(actor)).toBe(true);
    expect(mayDiffer({ ...actor, via: 'owned-key' })).toBe(true);
    expect(mayDiffer({ ...actor, via: 'ownerless-key' })).toBe(false);
    expect(mayDiffer({ ...actor, assistant: true })).toBe(false);
  });
});

// Red when: the steps of `judgeProposal` change places.
test('a proposal is judged: not eligible, then possible duplicate, then more than what is left', () => {
  const everything = { ...facts, amount: { minor: 9000, currency: 'EUR' }, returns: [] };
  const duplicate = { ...subject, amount: everything.amount };
  const alike = [{ ...other, amount: everything.amount }];
  expect(judgeProposal(everything, duplicate, alike, []).kind).toBe('not-eligible');
  const eligible = { ...everything, returns: facts.returns };
  expect(judgeProposal(eligible, duplicate, alike, [])).toMatchObject({
    kind: 'possible-duplicate',
    operations: alike,
  });
  expect(judgeProposal(eligible, duplicate, [], [])).toEqual({
    kind: 'exceeds-refundable',
    refundable: { minor: 5000, currency: 'EUR' },
  });
  const exactly = { ...eligible, amount: { minor: 5000, currency: 'EUR' } };
  expect(judgeProposal(exactly, subject, [], []).kind).toBe('acceptable');
});

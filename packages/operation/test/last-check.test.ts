import { describe, expect, test } from 'vitest';
import { defaultPolicy, judgeLastCheck, type LastCheckFacts } from '../src/operation.ts';
import { record } from './evidence.ts';

const dayMs = 86_400_000;
const nowMs = 1_764_410_400_000;
const foreign = { reference: 're_hand', amount: { minor: 1000, currency: 'EUR' }, atMs: nowMs };

const facts: LastCheckFacts = {
  resubmission: false,
  onHold: false,
  hasProviderAccount: true,
  undoUntilMs: null,
  notBeforeMs: null,
  anotherInFlightOnPayment: false,
  fingerprint: 'f',
  proposedBy: 'ada',
  approvals: [{ by: 'ben', atMs: nowMs - 60_000, fingerprint: 'f' }],
  eligibility: {
    nowMs,
    policy: defaultPolicy,
    order: { id: 'o-1', placedAtMs: nowMs - 10 * dayMs },
    payment: {
      currency: 'EUR',
      captured: 5000,
      refunded: 0,
      refundedElsewhere: 0,
      reserved: 5000,
      disputed: false,
    },
    returns: [{ id: 'r-1', status: 'received' }],
    reason: 'returned',
    note: null,
    returnId: null,
    amount: { minor: 5000, currency: 'EUR' },
    operationId: 'op-1',
    paymentOperations: [],
  },
  ownReservationMinor: 5000,
  provider: { kind: 'seen', disputed: false, refundsElsewhere: [], unaccounted: [] },
  elsewhereKnownAtApproval: [],
  replaced: null,
};

const verdict = (changes: Partial<LastCheckFacts>) => judgeLastCheck({ ...facts, ...changes });
const seen = (changes: object): LastCheckFacts['provider'] => ({
  kind: 'seen',
  disputed: false,
  refundsElsewhere: [],
  unaccounted: [],
  ...changes,
});
const reasonsOf = (changes: Partial<LastCheckFacts>): readonly string[] => {
  const given = verdict(changes);
  return given.verdict === 'send-back' ? given.reasons.map(({ reason }) => reason) : [given.verdict];
};

describe('the last check', () => {
  test('lets through what is approved, affordable and unchanged, its own reservation not counted against it', () => {
    expect(verdict({})).toEqual({ verdict: 'ok' });
  });

  // Red when: the wait named in the row is taken out.
  test.each<[string, Partial<LastCheckFacts>]>([
    ['hold', { onHold: true }],
    ['provider-account', { hasProviderAccount: false }],
    ['undo', { undoUntilMs: nowMs + 1 }],
    ['payment', { anotherInFlightOnPayment: true }],
    ['provider', { provider: { kind: 'no-answer' } }],
    ['provider', { notBeforeMs: nowMs + 1 }],
  ])('waits: %s', (waitingFor, changes) => {
    expect(verdict(changes)).toMatchObject({ verdict: 'wait', waitingFor });
  });

  test('no longer waits once the undo window is over, and on hold nothing else is judged', () => {
    expect(verdict({ undoUntilMs: nowMs }).verdict).toBe('ok');
    expect(
      verdict({ onHold: true, replaced: { id: 'x', state: 'confirmed', contradicted: false } }),
    ).toMatchObject({
      verdict: 'wait',
      waitingFor: 'hold',
    });
  });

  // Red when: the reason named in the row is not collected.
  test.each<[string, Partial<LastCheckFacts>]>([
    ['disputed', { provider: seen({ disputed: true }) }],
    ['refunded-elsewhere', { provider: seen({ refundsElsewhere: [foreign] }) }],
    [
      'too-little-left',
      {
        eligibility: {
          ...facts.eligibility,
          payment: { ...facts.eligibility.payment, refundedElsewhere: 1 },
        },
      },
    ],
    ['approvals-not-in-force', { approvals: [] }],
    ['approvals-not-in-force', { fingerprint: 'g' }],
    ['approvals-not-in-force', { proposedBy: 'ben' }],
    [
      'approvals-not-in-force',
      { eligibility: { ...facts.eligibility, policy: { ...defaultPolicy, approvalsNeeded: 2 } } },
    ],
    ['replaced-took-effect', { replaced: { id: 'x', state: 'confirmed', contradicted: false } }],
    ['replaced-took-effect', { replaced: { id: 'x', state: 'pending', contradicted: false } }],
    ['replaced-took-effect', { replaced: { id: 'x', state: 'failed', contradicted: true } }],
    [
      'too-old',
      { eligibility: { ...facts.eligibility, policy: { ...defaultPolicy, refundWindowMs: dayMs } } },
    ],
    [
      'payment-blocked',
      {
        eligibility: {
          ...facts.eligibility,
          paymentOperations: [{ id: 'op-2', attention: ['amount-differs'] }],
        },
      },
    ],
  ])('sends back: %s', (reason, changes) => {
    expect(reasonsOf(changes)).toEqual([reason]);
  });

  test('does not send back for a refund made elsewhere that the approver knew of', () => {
    expect(
      reasonsOf({ provider: seen({ refundsElsewhere: [foreign] }), elsewhereKnownAtApproval: ['re_hand'] }),
    ).toEqual(['ok']);
  });

  test('sends back on what is known here even while the provider gives no answer', () => {
    expect(reasonsOf({ approvals: [], provider: { kind: 'no-answer' } })).toEqual(['approvals-not-in-force']);
  });

  // Red when: two approvals of one person are counted as two.
  test('counts one approval a person', () => {
    const twice = [...facts.approvals, { by: 'ben', atMs: nowMs, fingerprint: 'f' }];
    const eligibility = { ...facts.eligibility, policy: { ...defaultPolicy, approvalsNeeded: 2 } };
    expect(reasonsOf({ approvals: twice, eligibility })).toEqual(['approvals-not-in-force']);
    expect(
      reasonsOf({ approvals: [...twice, { by: 'cleo', atMs: nowMs, fingerprint: 'f' }], eligibility }),
    ).toEqual(['ok']);
  });

  // Red when: `unaccounted` is judged after the reasons to send back.
  test('settles first what is ours at the provider and nothing here accounts for', () => {
    expect(verdict({ approvals: [], provider: seen({ unaccounted: [record()] }) })).toEqual({
      verdict: 'settle-first',
      records: [record()],
    });
  });

  // Red when: the expiry is counted from the proposal, or also for a resubmission.
  test('ends an approval that ran out, but not a request that may be at the provider already', () => {
    const approvals = [{ by: 'ben', atMs: nowMs - 7 * dayMs - 1, fingerprint: 'f' }];
    expect(verdict({ approvals })).toEqual({ verdict: 'expire' });
    expect(verdict({ approvals, resubmission: true })).toEqual({ verdict: 'ok' });
  });

  // Red when: the expiry is judged after the reason to wait that the row names.
  test.each<[string, Partial<LastCheckFacts>]>([
    ['on hold', { onHold: true }],
    ['without an account', { hasProviderAccount: false }],
    ['inside the undo window', { undoUntilMs: nowMs + 1 }],
    ['beside another in flight', { anotherInFlightOnPayment: true }],
    ['while the provider gives no answer', { provider: { kind: 'no-answer' } }],
    ['beside a refund of ours that nothing accounts for', { provider: seen({ unaccounted: [record()] }) }],
  ])('ends an approval that ran out %s', (_name, changes) => {
    const approvals = [{ by: 'ben', atMs: nowMs - 7 * dayMs - 1, fingerprint: 'f' }];
    expect(verdict({ approvals, ...changes })).toEqual({ verdict: 'expire' });
  });
});

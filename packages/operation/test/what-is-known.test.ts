import { describe, expect, test } from 'vitest';
import {
  attentionReasons,
  operationStates,
  whatIsKnown,
  type KnownFacts,
  type ProviderRefund,
} from '../src/operation.ts';

const facts = (changes: Partial<KnownFacts>): KnownFacts => ({
  state: 'outcome_unknown',
  attention: [],
  providerName: 'Stripe',
  providerReference: null,
  amountText: 'EUR 10.00',
  amount: { minor: 1_000, currency: 'EUR' },
  attempts: [{ endedAt: '2026-11-30T10:00:00.000Z', result: 'unknown' }],
  mayBeRepeated: true,
  waitingFor: null,
  ledger: null,
  ...changes,
});

const refund = (changes: Partial<ProviderRefund> = {}): ProviderRefund => ({
  reference: 're_1',
  status: 'succeeded',
  statusText: 'succeeded',
  amount: { minor: 1_000, currency: 'EUR' },
  createdAt: '2026-11-30T10:00:00.000Z',
  failureReason: null,
  whose: 'this-operation',
  operationId: null,
  dashboard: null,
  ...changes,
});

describe('the plain account of an operation', () => {
  // Red when: a state has no words, or one that is not settled says that nothing is open.
  test.each(operationStates)('says something true of every state: %s', (state) => {
    const attempts = ['proposed', 'approved', 'denied', 'cancelled', 'expired'].includes(state)
      ? []
      : facts({}).attempts;
    const account = whatIsKnown(facts({ state, attempts, providerReference: 're_1' }));
    expect(account.known.length).toBeGreaterThan(0);
    const open = ['proposed', 'approved', 'submitting', 'outcome_unknown', 'pending'].includes(state);
    expect(account.settles.includes('Nothing is open.')).toBe(!open);
    expect(account.known.includes('Nothing was sent to Stripe.')).toBe(attempts.length === 0);
  });

  test('of an unknown outcome says that nothing shows whether it happened, and that failing needs two', () => {
    const { notKnown, settles } = whatIsKnown(facts({}));
    expect(notKnown).toEqual(['Whether Stripe carried it out.']);
    expect(settles.join(' ')).toContain('two operators');
    expect(settles.join(' ')).toContain('under the same key');
  });

  // Red when: an empty list is taken for a proof.
  test('never takes an empty list for a proof that it did not happen', () => {
    const { known, notKnown } = whatIsKnown(facts({ ledger: [] }));
    expect(known).toContain('Asked just now, Stripe shows no refund of this operation.');
    expect(notKnown).toContain(
      'Whether it may still appear: a list that does not show it proves nothing by itself.',
    );
  });

  test('names the record that is this operation’s, and one of its amount that names nobody', () => {
    expect(whatIsKnown(facts({ ledger: [refund()] })).known).toContain(
      'Asked just now, Stripe shows re_1 for this operation: succeeded.',
    );
    const nameless = refund({ whose: 'nobody-here', reference: 're_2' });
    expect(whatIsKnown(facts({ ledger: [nameless] })).known.join(' ')).toContain('re_2 of exactly EUR 10.00');
    // Another amount, or one that another operation holds, is no candidate.
    for (const other of [
      { ...nameless, amount: { minor: 900, currency: 'EUR' } },
      { ...nameless, operationId: 'another' },
      refund({ whose: 'another-operation' }),
    ]) {
      expect(whatIsKnown(facts({ ledger: [other] })).known.join(' ')).toContain('shows no refund of this');
    }
  });

  test('says that nothing is sent any more while a person is needed, and whose second word is missing', () => {
    const account = whatIsKnown(
      facts({ attention: ['outcome-unresolved'], waitingFor: { name: 'Olga', outcome: 'failed' } }),
    );
    expect(account.settles[0]).toBe(
      'Olga says that it did not happen. The same word of a second operator carries it out.',
    );
    expect(account.settles.at(-1)).toContain('sends nothing more while it waits for a person');
  });

  test.each(attentionReasons)('of a settled outcome with %s says what clears it', (reason) => {
    const { settles } = whatIsKnown(facts({ state: 'confirmed', attention: [reason] }));
    expect(settles).toHaveLength(1);
    expect(settles[0]).not.toBe('Nothing is open.');
  });
});

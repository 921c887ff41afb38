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
  askedText: '30 Nov, 14:05',
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
    const account = whatIsKnown(facts({ state, attempts }));
    expect(account.known.length).toBeGreaterThan(0);
    const open = ['proposed', 'approved', 'submitting', 'outcome_unknown', 'pending'].includes(state);
    expect(account.settles.includes('Nothing is open.')).toBe(!open);
    expect(account.known.includes('No request is on record here.')).toBe(attempts.length === 0);
  });

  // Red when: an attempt that came to nothing is counted as a request that was submitted.
  test.each(['not-sent', 'deferred'])('counts no attempt as submitted that ended as %s', (result) => {
    const endedAt = '2026-11-30T10:00:00.000Z';
    const none = whatIsKnown(facts({ state: 'approved', attempts: [{ endedAt, result }] })).known;
    expect(none.join(' ')).not.toMatch(/requests? (was|were) submitted\. |submitted, all/);
    expect(none).toEqual([
      'No request was submitted: each attempt was held back or put off.',
      'It is approved and has not been submitted.',
    ]);
    const attempts = [
      { endedAt, result },
      { endedAt, result: 'accepted' },
    ];
    expect(whatIsKnown(facts({ state: 'pending', attempts })).known[0]).toBe(
      'One request was submitted. Its key stands for at most one refund.',
    );
  });

  // Red when: a case that is contradicted says that something else was recorded, and not what, by whom and when.
  test('says what people recorded, each under their own name, and that the provider shows something else since', () => {
    const words = [
      { name: 'Dan House', note: 'Nothing at Stripe.', atText: '14:02:00' },
      { name: 'Cleo Desk', note: 'I looked too.', atText: '14:09:00' },
    ];
    const settled = { state: 'failed', settledByPeople: { outcome: 'failed', words } } as const;
    const recorded = [
      'Dan House recorded (14:02:00) that it did not happen: “Nothing at Stripe.”',
      'Cleo Desk said the same (14:09:00), that it did not happen: “I looked too.”',
    ];
    const { known } = whatIsKnown(facts(settled));
    expect(known).toEqual(expect.arrayContaining(recorded));
    expect(known.join(' ')).not.toContain('Since then');
    const shown = { state: 'confirmed', providerReference: 're_1', attention: ['contradicted'] } as const;
    const contradicted = whatIsKnown(facts({ ...settled, ...shown })).known;
    expect(contradicted.slice(2)).toEqual([
      ...recorded,
      'Since then Stripe has shown something else.',
      "Stripe's record re_1 says that it succeeded.",
    ]);
    const unkept = [{ name: 'Dan House', note: '', atText: null }];
    const older = whatIsKnown(facts({ settledByPeople: { outcome: 'confirmed', words: unkept } })).known;
    expect(older).toContain('Dan House recorded that it was refunded.');
  });

  // Red when: what was carried out before a restore is said to differ from something that was recorded.
  test('says of what was carried out with nothing on record that it was, and that its approval is not here', () => {
    const retold = { state: 'confirmed', providerReference: 're_1', attempts: [] } as const;
    const carriedOutUnrecorded = { approvals: 0 };
    const account = whatIsKnown(facts({ ...retold, attention: ['contradicted'], carriedOutUnrecorded }));
    expect(account.known[0]).toBe(
      'It was carried out before this copy of the records held anything of its sending, as after a restore from a backup; its approval is not in this copy either.',
    );
    expect([...account.known, ...account.notKnown].join(' ')).not.toContain('was recorded');
  });

  test.each([
    ['accepted', []],
    ['rejected', []],
    ['unknown', ['Its answer was not heard, or proves nothing.']],
    [null, ['Its answer was not heard, or proves nothing.']],
  ])('says of a request that ended as %s whether its answer was heard', (result, unheard) => {
    const endedAt = result === null ? null : '2026-11-30T10:00:00.000Z';
    const { known } = whatIsKnown(facts({ state: 'outcome_unknown', attempts: [{ endedAt, result }] }));
    expect(known.slice(1)).toEqual(unheard);
  });

  // Red when: no attempts on record, as after a restore, are taken for "nothing was sent".
  test('of a reference without an attempt on record does not say that nothing was sent', () => {
    const restored = facts({ state: 'confirmed', attempts: [], providerReference: 're_1' });
    expect(whatIsKnown(restored).known).toEqual(["Stripe's record re_1 says that it succeeded."]);
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
    expect(known).toContain('Asked at 30 Nov, 14:05, Stripe shows no refund of this operation.');
    expect(notKnown).toContain(
      'Whether it may still appear: a list that does not show it proves nothing by itself.',
    );
  });

  test('names the record that is this operation’s, and one of its amount that names nobody', () => {
    expect(whatIsKnown(facts({ ledger: [refund()] })).known).toContain(
      'Asked at 30 Nov, 14:05, Stripe shows re_1 for this operation: succeeded.',
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

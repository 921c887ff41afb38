import { describe, expect, test } from 'vitest';
import {
  approvedSentenceNow,
  attentionReasons,
  declineClasses,
  deviceStates,
  operationStates,
  sentenceOf,
  tellTheCustomer,
  type SentenceFacts,
} from '../src/operation.ts';

const say = (facts: Partial<SentenceFacts> & Pick<SentenceFacts, 'state'>): string =>
  sentenceOf({ providerName: 'Stripe', ...facts });

describe('what people read', () => {
  test.each<[string, Partial<SentenceFacts> & Pick<SentenceFacts, 'state'>]>([
    ['Not sent. Only on this device.', { state: 'draft' }],
    ['Saved on this device. It will be sent when there is a connection.', { state: 'queued' }],
    ['Saved on this device. It will be sent when you sign in.', { state: 'queued', queuedUntil: 'sign-in' }],
    [
      'Saved on this device. It will be sent when Holdfast is open and there is a connection.',
      { state: 'queued', queuedUntil: 'open' },
    ],
    ['Sent. Waiting to hear that it arrived.', { state: 'sent' }],
    ['Waiting for approval.', { state: 'proposed' }],
    ['Waiting for a second approval.', { state: 'proposed', approvalsGiven: 1, approvalsNeeded: 2 }],
    [
      'Back for approval: The payment is disputed; the dispute decides about the money.',
      {
        state: 'proposed',
        sentBackBecause: ['The payment is disputed; the dispute decides about the money.'],
      },
    ],
    ['Approved. It will be submitted next.', { state: 'approved' }],
    [
      'Approved. It can be taken back for 4 seconds.',
      { state: 'approved', waitingFor: 'undo', undoSeconds: 4 },
    ],
    ['Approved. Submitting is on hold.', { state: 'approved', waitingFor: 'hold' }],
    [
      'Approved. Stripe could not be asked or is not taking requests from us; we will submit it when it does.',
      { state: 'approved', waitingFor: 'provider' },
    ],
    ['Submitting to Stripe…', { state: 'submitting' }],
    [
      'Stripe reports it refunded, reference re_1. The bank may need a few days.',
      { state: 'confirmed', providerReference: 're_1' },
    ],
    [
      'The request was submitted, but confirmation is delayed. We are checking it.',
      { state: 'outcome_unknown', certainlySubmitted: true },
    ],
    ['The request may have been submitted. We are checking it.', { state: 'outcome_unknown' }],
    [
      'We could not establish the outcome yet. It waits for a person.',
      { state: 'outcome_unknown', certainlySubmitted: true, attention: ['outcome-unresolved'] },
    ],
    [
      'We could not establish the outcome yet. Ada is looking into it.',
      { state: 'outcome_unknown', attention: ['outcome-unresolved'], lookedIntoBy: 'Ada' },
    ],
    [
      'Stripe shows 1 refund of this amount and does not say whose: 1 of 2 paid. We could not establish the outcome yet. It waits for a person.',
      {
        state: 'outcome_unknown',
        attention: ['conflicting-evidence'],
        unattributed: { refunds: 1, operations: 2 },
      },
    ],
    [
      'No money moved. Stripe declined it: it takes no second refund of the same amount on one payment so soon after the first. Later a new refund can be proposed; the earlier one is not touched by this. It would be taken from 2026-01-02 03:05 UTC on.',
      {
        state: 'failed',
        failure: {
          ...{ kind: 'declined', decline: 'repeated-too-soon', code: null },
          notBeforeMs: Date.UTC(2026, 0, 2, 3, 4, 1),
        },
      },
    ],
    [
      'No money moved. It was already refunded elsewhere (re_9).',
      {
        state: 'failed',
        failure: {
          kind: 'refunded-elsewhere',
          refunds: [{ reference: 're_9', amount: { minor: 1, currency: 'EUR' }, atMs: 0 }],
        },
      },
    ],
    [
      'No money moved. Stripe could not complete it: expired_or_canceled_card.',
      {
        state: 'failed',
        failure: { kind: 'provider-failed', reference: 're_1', reason: 'expired_or_canceled_card' },
      },
    ],
    [
      'No money moved. Settled by Ada (“nothing at Stripe”) and Ben (“asked the bank.”).',
      {
        state: 'failed',
        failure: {
          ...{ kind: 'settled-by-people', by: 'Ada', secondBy: 'Ben' },
          ...{ note: 'nothing at Stripe', secondNote: 'asked the bank.' },
        },
      },
    ],
    [
      'No money moved. Settled by Ada and Ben: asked the bank.',
      {
        state: 'failed',
        failure: { kind: 'settled-by-people', by: 'Ada', secondBy: 'Ben', note: 'asked the bank.' },
      },
    ],
    [
      'The refund did not last: card closed. The customer does not have the money.',
      { state: 'reversed', reversalReason: 'card closed' },
    ],
    ['Denied by Ada: wrong order.', { state: 'denied', endedBy: 'Ada', endedWhy: 'wrong order' }],
    ['Cancelled by Ada.', { state: 'cancelled', endedBy: 'Ada' }],
    ['Nobody decided in time.', { state: 'expired' }],
    ['The approval ran out before it was submitted.', { state: 'expired', expiredAfterApproval: true }],
  ])('%s', (sentence, facts) => {
    expect(say(facts)).toBe(sentence);
  });

  // Red when: `pending` is given the sentence of `failed` or of `confirmed`.
  test('F053: a pending refund reads as accepted and not yet paid, and nothing invites another', () => {
    const sentence = say({ state: 'pending', providerReference: 're_1' });
    expect(sentence).toBe(
      'Stripe has accepted it and is processing it. The customer does not have the money yet.',
    );
    for (const text of [sentence, tellTheCustomer({ state: 'pending' })]) {
      expect(text).not.toMatch(/try again|new refund|failed|declined/i);
    }
  });

  const refusedFacts = declineClasses.map((decline): SentenceFacts => ({
    state: 'failed',
    providerName: 'Stripe',
    failure: { kind: 'declined', decline, code: null },
  }));

  // Red when: two classes share a text, or a class loses its own.
  test('each class of refusal has its own plain reason and next step, and its own line for the customer', () => {
    const sentences = refusedFacts.map((facts) => sentenceOf(facts));
    expect(new Set(sentences).size).toBe(declineClasses.length);
    for (const sentence of sentences)
      expect(sentence).toMatch(/^No money moved\. Stripe declined it: .+\. .+\.$/);
  });

  // Red when: any state but `confirmed` says that the refund was carried out.
  test('F121: no state before confirmed says refunded, neither here nor to the customer; a refusal says so and why', () => {
    const claims = /reports it refunded|has been carried out|has been refunded\b|we refunded/i;
    for (const state of [...deviceStates, ...operationStates]) {
      if (state === 'confirmed') continue;
      for (const attention of [[], [...attentionReasons]]) {
        const facts: SentenceFacts = { state, providerName: 'Stripe', providerReference: 're_1', attention };
        expect(sentenceOf(facts), state).not.toMatch(claims);
        expect(tellTheCustomer(facts), state).not.toMatch(claims);
      }
    }
    for (const facts of refusedFacts) {
      expect(sentenceOf(facts)).not.toMatch(claims);
      expect(sentenceOf(facts)).toMatch(/^No money moved/);
      expect(tellTheCustomer(facts)).not.toMatch(claims);
      expect(tellTheCustomer(facts)).toMatch(/not|before|cannot/);
    }
  });

  // Red when: another state's sentence offers a new refund or says that no money moved.
  test('only what definitely did not happen says "no money moved" or invites a new refund', () => {
    for (const state of [...deviceStates, ...operationStates]) {
      if (state === 'failed') continue;
      expect(say({ state, attention: [...attentionReasons] })).not.toMatch(
        /no money moved|try again|propose/i,
      );
    }
  });

  // Red when: attention is left out of a state's sentence.
  test('attention is said in every state', () => {
    for (const state of operationStates) {
      for (const reason of attentionReasons) {
        expect(say({ state, attention: [reason] }), `${state} ${reason}`).toMatch(/waits for a person/);
      }
    }
  });

  // Red when: a screen on which the seconds of the undo window run on says nothing else any more.
  test('that a person is waited for stays on the screen while the seconds of an approval run on', () => {
    for (const reason of attentionReasons) {
      const at = (undoSeconds: number): string =>
        say({ state: 'approved', waitingFor: 'undo', undoSeconds, attention: [reason] });
      expect(approvedSentenceNow(at(5), 1)).toBe(at(1));
      expect(approvedSentenceNow(at(5), 0)).toBe(at(0));
      expect(approvedSentenceNow(at(0), 0)).toBe(at(0));
      expect(approvedSentenceNow(at(5), 0)).toMatch(/^Approved\. .*waits for a person/);
    }
  });

  test('every state has a sentence and a line for the customer', () => {
    for (const state of [...deviceStates, ...operationStates]) {
      for (const text of [sentenceOf({ state }), tellTheCustomer({ state })]) {
        expect(text).toMatch(/^[A-Z].*[.…]$/s);
        expect(text).not.toMatch(/undefined|null|NaN|!/);
      }
    }
  });
});

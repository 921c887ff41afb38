import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attentionReasons } from '@holdfast/operation';
import { decideUnknown, mayBeResubmitted, type UnknownFacts } from './unknown-verdict.ts';

const settings = {
  checkBackoffMs: [1_000, 2_000, 5_000],
  needsPersonAfterMs: 900_000,
  providerTimeoutMs: 10_000,
};
const withKeys = { keyWindowMs: 24 * 3_600_000, lookUp: 'by-payment' } as const;

const factsArbitrary: fc.Arbitrary<UnknownFacts> = fc.record({
  nowMs: fc.integer({ min: 0, max: 100_000_000 }),
  unknownSinceMs: fc.integer({ min: 0, max: 100_000_000 }),
  attention: fc.uniqueArray(fc.constantFrom(...attentionReasons), { maxLength: 3 }),
  onHold: fc.boolean(),
  onlyLook: fc.boolean(),
  replayDeadlineMs: fc.option(fc.integer({ min: 0, max: 200_000_000 })),
  checksSinceSend: fc.nat(20),
  requestsMade: fc.integer({ min: 1, max: 20 }),
  emptyReadsInARow: fc.nat(5),
  savedFailureReplayed: fc.boolean(),
  notBeforeMs: fc.option(fc.integer({ min: 0, max: 200_000_000 })),
});

describe('an operation with an unknown outcome', () => {
  test('is submitted again only with the key still in its window, off hold, and while nobody is needed', () => {
    // Red when: any one of these conditions is taken out of `decideUnknown`.
    fc.assert(
      fc.property(factsArbitrary, (facts) => {
        if (decideUnknown(facts, withKeys, settings).kind !== 'resubmit') return;
        expect(facts.attention).toEqual([]);
        expect(facts.onHold).toBe(false);
        expect(facts.onlyLook).toBe(false);
        expect(facts.savedFailureReplayed).toBe(false);
        expect(facts.emptyReadsInARow).toBeGreaterThanOrEqual(2);
        expect(facts.nowMs + settings.providerTimeoutMs).toBeLessThan(facts.replayDeadlineMs ?? 0);
        expect(facts.nowMs).toBeLessThan(facts.unknownSinceMs + settings.needsPersonAfterMs);
        expect(facts.nowMs).toBeGreaterThanOrEqual(facts.notBeforeMs ?? 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('always has a next check in the future, whoever is needed', () => {
    // Red when: `decideUnknown` answers with a time that has passed, for instance by taking `personDueMs` alone.
    fc.assert(
      fc.property(factsArbitrary, (facts) => {
        const verdict = decideUnknown(facts, withKeys, settings);
        if (verdict.kind === 'resubmit') return;
        expect(verdict.untilMs).toBeGreaterThan(facts.nowMs);
      }),
      { numRuns: 2_000 },
    );
  });

  test('F019: waits longer after each request that brought no answer', () => {
    // Red when: the pauses begin anew with each request.
    const calm = { ...settings, checkBackoffMs: [1_000, 2_000, 4_000, 8_000, 16_000] };
    const facts: UnknownFacts = {
      ...{ nowMs: 0, unknownSinceMs: 0, attention: [], onHold: false, onlyLook: false, notBeforeMs: null },
      ...{ replayDeadlineMs: 100_000_000, checksSinceSend: 1, emptyReadsInARow: 1, requestsMade: 1 },
      savedFailureReplayed: false,
    };
    const pauses = [1, 2, 3].map((requestsMade) => {
      const verdict = decideUnknown({ ...facts, requestsMade }, withKeys, calm);
      return verdict.kind === 'wait' ? verdict.untilMs : 0;
    });
    expect(pauses).toEqual([2_000, 4_000, 8_000]);
  });

  test('is brought before a person once its time is over, however it got there', () => {
    fc.assert(
      fc.property(factsArbitrary, (facts) => {
        const overdue = { ...facts, nowMs: facts.unknownSinceMs + settings.needsPersonAfterMs };
        const verdict = decideUnknown(overdue, withKeys, settings);
        expect(verdict.kind === 'need-person').toBe(!facts.attention.includes('outcome-unresolved'));
      }),
    );
  });

  test('is never submitted again to a provider that does not know keys, nor after a saved failure was replayed', () => {
    fc.assert(
      fc.property(factsArbitrary, (facts) => {
        for (const lookUp of ['by-payment', 'by-replay', 'by-webhook', 'none'] as const) {
          expect(decideUnknown(facts, { keyWindowMs: 0, lookUp }, settings).kind).not.toBe('resubmit');
        }
        expect(mayBeResubmitted({ ...facts, savedFailureReplayed: true }, withKeys, 10_000)).toBe(false);
      }),
    );
  });

  // Red when: a provider without a list waits for empty looks that never come, or a webhook gets no time to come first.
  test('is asked by sending again where that is the look-up: at once, or after the time of two checks for a webhook', () => {
    const facts: UnknownFacts = {
      ...{ nowMs: 0, unknownSinceMs: 0, attention: [], onHold: false, onlyLook: false, notBeforeMs: null },
      ...{ replayDeadlineMs: 100_000_000, checksSinceSend: 1, emptyReadsInARow: 0, requestsMade: 1 },
      savedFailureReplayed: false,
    };
    const kindOf = (lookUp: 'by-payment' | 'by-replay' | 'by-webhook' | 'none', checksSinceSend: number) =>
      decideUnknown({ ...facts, checksSinceSend }, { ...withKeys, lookUp }, settings).kind;
    expect(kindOf('by-replay', 1)).toBe('resubmit');
    expect(kindOf('by-webhook', 1)).toBe('wait');
    expect(kindOf('by-webhook', 2)).toBe('resubmit');
    expect(kindOf('by-payment', 9)).toBe('wait');
    expect(kindOf('none', 9)).toBe('wait');
  });
});

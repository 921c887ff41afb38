import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastCheckSource, type LastCheckNeed } from './last-check-source.ts';

const time = fc.option(fc.nat(1_000_000));
const needArbitrary: fc.Arbitrary<LastCheckNeed> = fc.record({
  nowMs: fc.nat(1_000_000),
  mirror: fc.record({ readAtMs: time, unbrokenSinceMs: time, paymentAskedAtMs: time }),
  resubmission: fc.boolean(),
  replacesAnother: fc.boolean(),
  olderThanHistory: fc.boolean(),
});
const terms = { mirrorFreshForMs: 15_000, lookUp: 'by-payment' } as const;

describe('the last check before sending', () => {
  test('asks afresh for a resubmission, for a replacement and for what is older than this history', () => {
    // Red when: any of the three is taken out of `lastCheckSource`.
    fc.assert(
      fc.property(needArbitrary, (need) => {
        if (need.resubmission || need.replacesAnother || need.olderThanHistory) {
          expect(lastCheckSource(need, terms)).toBe('question');
        }
      }),
    );
  });

  test('goes by the mirror only where listings were unbroken since the payment itself was asked about, and fresh', () => {
    // Red when: a gap between the question and the listings, or the mirror's age, is not looked at.
    fc.assert(
      fc.property(needArbitrary, (need) => {
        if (lastCheckSource(need, terms) === 'question') return;
        const { readAtMs, unbrokenSinceMs, paymentAskedAtMs } = need.mirror;
        expect(paymentAskedAtMs).not.toBeNull();
        expect(paymentAskedAtMs ?? 0).toBeGreaterThanOrEqual(unbrokenSinceMs ?? Number.POSITIVE_INFINITY);
        expect(need.nowMs - Math.max(readAtMs ?? 0, paymentAskedAtMs ?? 0)).toBeLessThanOrEqual(15_000);
      }),
      { numRuns: 5_000 },
    );
  });

  test('stands on our own record where the provider cannot be asked, and never where a send may have been forgotten', () => {
    // Red when: a restored record counts as knowing what was sent.
    fc.assert(
      fc.property(needArbitrary, fc.constantFrom('by-replay', 'by-webhook', 'none'), (need, lookUp) => {
        const forgotten = need.olderThanHistory && !need.resubmission;
        expect(lastCheckSource(need, { ...terms, lookUp })).toBe(forgotten ? 'question' : 'our-record');
      }),
    );
  });
});

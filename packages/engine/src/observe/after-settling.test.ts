import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProviderRecord, Settlement } from '@holdfast/operation';
import { wakeOfWaitMs } from '../claim/pause-of-wait.ts';
import { decideKnown } from '../reconcile/look-at-known.ts';
import { wakeAfterSettlingMs } from './after-settling.ts';

const record: ProviderRecord = {
  reference: 're_1',
  status: 'pending',
  statusText: 'pending',
  amount: { minor: 100, currency: 'EUR' },
  paymentReference: 'pi_1',
  failureReason: null,
  createdAtMs: 0,
  organisationId: null,
  operationId: null,
};

/** Settlements that leave an operation unfinished. */
const unfinished: fc.Arbitrary<Settlement> = fc.oneof(
  fc.constant<Settlement>({ kind: 'no-evidence', attention: [] }),
  fc
    .boolean()
    .map<Settlement>((certainlySubmitted) => ({ kind: 'unknown', certainlySubmitted, attention: [] })),
  fc.constant<Settlement>({ kind: 'pending', record, attention: [] }),
  fc
    .option(fc.integer({ min: 0, max: 10_000_000 }))
    .map<Settlement>((deferredUntilMs) => ({ kind: 'unsent', deferredUntilMs, attention: [] })),
);

const nowMs = fc.integer({ min: 0, max: 5_000_000 });
const backoff = fc.array(fc.integer({ min: 1, max: 600_000 }), { minLength: 1, maxLength: 6 });

const seenArbitrary = fc.constantFrom('answer', 'no-answer', 'key-refused', 'not-found');

describe('nothing is forgotten', () => {
  test('whatever evidence leaves an operation unfinished, it has a next wake-up in the future', () => {
    // Red when: any unfinished kind of `wakeAfterSettlingMs` answers `null` or the deferral alone.
    fc.assert(
      fc.property(unfinished, nowMs, backoff, fc.nat(50), (settlement, now, checkBackoffMs, attemptCount) => {
        const wakeMs = wakeAfterSettlingMs(settlement, {
          nowMs: now,
          checkBackoffMs,
          attemptCount,
          lateFailureWindowMs: 0,
        });
        expect(wakeMs).toBeGreaterThan(now);
      }),
    );
  });

  test('whatever an approved operation waits for, it is looked at again, and never after its approval has ended', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('undo', 'hold', 'provider', 'provider-account', 'payment'),
        fc.record({
          nowMs,
          undoUntilMs: fc.option(fc.nat(10_000_000)),
          notBeforeMs: fc.option(fc.nat(10_000_000)),
          expiresAtMs: fc.option(fc.nat(10_000_000)),
        }),
        (waitingFor, times) => {
          const wakeMs = wakeOfWaitMs(waitingFor, times);
          expect(wakeMs).toBeGreaterThan(times.nowMs);
          if (times.expiresAtMs !== null && times.expiresAtMs > times.nowMs) {
            expect(wakeMs).toBeLessThanOrEqual(times.expiresAtMs);
          }
        },
      ),
    );
  });

  test('a pending operation is always looked at again, and a person is told when it takes too long', () => {
    const terms = { lateFailureWindowMs: 1_000, pendingUsuallyEndsWithinMs: 50_000 };
    fc.assert(
      fc.property(nowMs, fc.nat(200_000), seenArbitrary, (sinceMs, ageMs, seen) => {
        const now = sinceMs + ageMs;
        const verdict = decideKnown(
          { nowMs: now, state: 'pending', attention: [], paymentReference: 'pi', reference: 're', sinceMs },
          seen,
          terms,
          { checkBackoffMs: [1_000] },
        );
        expect(verdict.wakeAtMs).toBeGreaterThan(now);
        const needsPerson = seen === 'not-found' || seen === 'key-refused';
        expect(verdict.raises.length > 0).toBe(ageMs >= terms.pendingUsuallyEndsWithinMs || needsPerson);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultPauses, pauseAfter } from './backoff.ts';
import { takeLease } from './lease.ts';

describe('the pause after a failure', () => {
  it('is anywhere below a ceiling that doubles from 1 s to 60 s', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 7, 8, 500].map((failures) => pauseAfter(failures, 1, null));
    expect(ceilings).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000));
    expect(pauseAfter(5, 0, null)).toBe(0);
    expect(pauseAfter(5, 0.5, null)).toBe(8_000);
  });

  it('is never shorter than Retry-After and never longer than that and the longest pause', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000),
        fc.float({ min: 0, max: 1, noNaN: true }),
        fc.option(fc.nat(100_000)),
        (n, chance, after) => {
          const ms = pauseAfter(n, chance, after);
          expect(ms).toBeGreaterThanOrEqual(after ?? 0);
          expect(ms).toBeLessThanOrEqual(defaultPauses.longestMs + (after ?? 0));
        },
      ),
    );
  });
});

describe('the lease', () => {
  const request = { holder: 'tab-1', lock: 'unavailable', nowMs: 1_000_000, lengthMs: 30_000 } as const;
  const alive = { holder: 'tab-2', untilMs: 1_020_000, withLock: false };

  it.each([
    ['a free one is taken', null, request, true],
    ['one’s own is renewed', { ...alive, holder: 'tab-1' }, request, true],
    ['another’s that is alive is left', alive, request, false],
    [
      'another’s that ran out is taken, as its holder may be frozen',
      { ...alive, untilMs: 999_999 },
      request,
      true,
    ],
    ['one from a clock that was set back is taken', { ...alive, untilMs: 9_000_000 }, request, true],
    [
      'with the lock, a holder that had the lock is gone',
      { ...alive, withLock: true },
      { ...request, lock: 'held' as const },
      true,
    ],
    [
      'with the lock, a holder without locks may be alive',
      alive,
      { ...request, lock: 'held' as const },
      false,
    ],
    [
      'one that began while the lock was busy is gone with its tab',
      { ...alive, isWatched: true },
      { ...request, lock: 'held' as const, gone: alive.holder },
      true,
    ],
    [
      'of one that cannot be watched nothing is known but its time',
      alive,
      { ...request, lock: 'held' as const, gone: alive.holder },
      false,
    ],
    [
      'while the lock is busy an alive one is left',
      { ...alive, withLock: true },
      { ...request, lock: 'busy' as const },
      false,
    ],
    [
      'while the lock is busy one that ran out is taken',
      { ...alive, withLock: true, untilMs: 1 },
      { ...request, lock: 'busy' as const },
      true,
    ],
  ])('%s', (_name, lease, asked, isTaken) => {
    expect(takeLease(lease, asked) !== null).toBe(isTaken);
  });
});

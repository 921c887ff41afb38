import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUnfinished, operationStates } from '@holdfast/operation';
import { assertRemembered, nextLookAtSettledMs, pauseBeforeCheckMs, pauseWhilePendingMs } from './wake-up.ts';

const dayMs = 24 * 3_600_000;

describe('waking up', () => {
  test('the last pause between checks repeats', () => {
    expect([0, 1, 2, 3, 99].map((checks) => pauseBeforeCheckMs([10, 20, 30], checks))).toEqual([
      10, 20, 30, 30, 30,
    ]);
  });

  test('an unfinished operation with neither a wake-up nor a person is a broken promise', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...operationStates),
        fc.option(fc.nat()),
        fc.boolean(),
        (state, wake, person) => {
          const attention = person ? ['outcome-unresolved'] : [];
          const check = (): void => assertRemembered('an-operation', state, wake, attention);
          if (isUnfinished(state) && wake === null && !person) expect(check).toThrow('neither');
          else expect(check).not.toThrow();
        },
      ),
    );
  });

  test('a refund that fails on day 20 without a webhook is looked at afterwards, and looking ends with the window', () => {
    // Red when: the pause grows past the window, or the window's end is not looked at.
    const windowMs = 30 * dayMs;
    const looks: number[] = [];
    let nowMs = 0;
    for (;;) {
      const nextMs = nextLookAtSettledMs(0, windowMs, nowMs);
      if (nextMs === null) break;
      expect(nextMs).toBeGreaterThan(nowMs);
      looks.push(nextMs);
      nowMs = nextMs;
    }
    expect(looks.some((atMs) => atMs > 20 * dayMs && atMs <= 21 * dayMs)).toBe(true);
    expect(looks.at(-1)).toBe(windowMs);
    expect(looks.length).toBeLessThan(60);
  });

  test('F058: a pending refund is looked at some dozens of times in four days, not thousands', () => {
    let nowMs = 0;
    let looks = 0;
    while (nowMs < 4 * dayMs) {
      nowMs += pauseWhilePendingMs(nowMs, 1_000);
      looks += 1;
    }
    expect(looks).toBeLessThan(150);
  });
});

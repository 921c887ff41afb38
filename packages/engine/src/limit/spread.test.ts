import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emptyLine, joinLine, longestSpreadMs, shareOf, spreadPauseMs } from './spread.ts';

const mostInOneOf = (times: readonly number[], partMs: number): number => {
  const parts = new Map<number, number>();
  for (const atMs of times)
    parts.set(Math.floor(atMs / partMs), (parts.get(Math.floor(atMs / partMs)) ?? 0) + 1);
  return Math.max(...parts.values());
};

describe('who comes back together', () => {
  test('1,000 operations lost sight of in one instant do not look in the same second again', () => {
    // Red when: the pause is the same for every operation.
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), fc.integer({ min: 60_000, max: 300_000 }), (first, pauseMs) => {
        const names = Array.from(
          { length: 1_000 },
          (_, index) => `${first.slice(0, 30)}${String(100_000 + index)}`,
        );
        const times = names.map((name) => spreadPauseMs(pauseMs, shareOf(name)));
        for (const atMs of times) {
          expect(atMs).toBeGreaterThanOrEqual(pauseMs);
          expect(atMs).toBeLessThanOrEqual(pauseMs * 1.25);
        }
        const usual = 1_000 / ((pauseMs * 0.25) / 1_000);
        // Six deviations of pure chance and a little: no luck of the draw reaches it.
        expect(mostInOneOf(times, 1_000)).toBeLessThan(usual + 6 * Math.sqrt(usual) + 5);
      }),
      { numRuns: 20 },
    );
  });

  test('whoever is turned away from a budget comes back in turn, at about the pace, within a minute of its opening', () => {
    // Red when: everyone is sent to the same instant, or the line grows without an end.
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(120_000), (perSecond, pausedMs) => {
        const nowMs = 1_000_000;
        const fromMs = nowMs + pausedMs;
        let line = emptyLine;
        const times: number[] = [];
        for (let one = 0; one < 2_000; one += 1) {
          const joined = joinLine(line, nowMs, fromMs, perSecond);
          line = joined.line;
          times.push(joined.atMs);
        }
        for (const atMs of times) {
          expect(atMs).toBeGreaterThan(fromMs);
          expect(atMs).toBeLessThanOrEqual(fromMs + longestSpreadMs);
        }
        const beyond = Math.max(0, 2_000 - perSecond * 1.25 * 60) / 30;
        expect(mostInOneOf(times, 1_000)).toBeLessThanOrEqual(perSecond * 1.25 + 2 * beyond + 3);
      }),
      { numRuns: 20 },
    );
  });
});

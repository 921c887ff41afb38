import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultPauses, pauseAfter } from './backoff.ts';
import { longestReturnSpreadMs, returnDelayMs } from './return-spread.ts';

/** 1,000 devices, each with a chance of its own. */
const fleet = fc.array(fc.integer({ min: 0, max: 999_999 }), { minLength: 1_000, maxLength: 1_000 });

const mostInOneSecond = (delays: readonly number[]): number => {
  const seconds = new Map<number, number>();
  for (const delayMs of delays) {
    const second = Math.floor(delayMs / 1_000);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  }
  return Math.max(...seconds.values());
};

/** Uniform chance from whole numbers: an array of them is drawn far faster than one of fractions. */
const chanceOf = (drawn: number, device: number): number =>
  ((drawn + device * 617_033) % 1_000_000) / 1_000_000;

describe('a fleet that notices "online" in the same second', () => {
  // Red when: everyone goes at once (`returnDelayMs` answers 0), or after the same pause.
  it('is spread over a minute: no second holds more than a small share of 1,000 devices', () => {
    fc.assert(
      fc.property(fleet, fc.integer({ min: 60_000, max: 86_400_000 }), (drawn, outForMs) => {
        const delays = drawn.map((one, device) => returnDelayMs(outForMs, chanceOf(one, device)));
        for (const delayMs of delays) {
          expect(delayMs).toBeGreaterThanOrEqual(0);
          expect(delayMs).toBeLessThan(longestReturnSpreadMs);
        }
        expect(mostInOneSecond(delays)).toBeLessThan(50);
      }),
      { numRuns: 30 },
    );
  });

  // Red when: the minute is spent also on a blip.
  it('holds nobody back for longer than it was away', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5_000, max: 200_000 }), fc.nat(999), (outForMs, drawn) => {
        const delayMs = returnDelayMs(outForMs, drawn / 1_000);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThanOrEqual(Math.max(0, outForMs));
      }),
    );
  });
});

describe('a fleet that is told the same Retry-After in the same second', () => {
  // Red when: `Retry-After` is a floor that everyone stands on.
  it('does not come back in one second, and nobody comes early', () => {
    fc.assert(
      fc.property(fleet, fc.integer({ min: 30, max: 60 }), (drawn, seconds) => {
        const pauses = drawn.map((one, device) => pauseAfter(1, chanceOf(one, device), seconds * 1_000));
        for (const pauseMs of pauses) expect(pauseMs).toBeGreaterThanOrEqual(seconds * 1_000);
        expect(mostInOneSecond(pauses)).toBeLessThan(80);
      }),
      { numRuns: 30 },
    );
  });

  // Red when: the pause after failures is the same for every device.
  it('nor does one that failed as often, once the server is back after a long outage', () => {
    fc.assert(
      fc.property(fleet, (drawn) => {
        const pauses = drawn.map((one, device) => pauseAfter(9, chanceOf(one, device), null, defaultPauses));
        expect(mostInOneSecond(pauses)).toBeLessThan(50);
      }),
      { numRuns: 30 },
    );
  });
});

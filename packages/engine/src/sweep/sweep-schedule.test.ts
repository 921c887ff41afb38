import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventsSince, overlapMs, scheduledSince, scheduleOf } from './sweep-schedule.ts';

const dayMs = 24 * 3_600_000;
const hourMs = 3_600_000;
const now = 1_800_000_000_000;

describe('the schedule of sweeps', () => {
  test('F116 a sweep begins at least a whole day before the last one began, so that no day of any zone falls between two', () => {
    // Red when: the window begins where the last sweep ended, or the overlap is less than a day.
    expect(overlapMs).toBeGreaterThanOrEqual(dayMs);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 29 * dayMs - 1 }), (agoMs) => {
        expect(scheduledSince(now - agoMs, now)).toBeLessThanOrEqual(now - agoMs - dayMs);
      }),
    );
    expect(scheduledSince(null, now)).toBe(now - dayMs);
  });

  test('one is due when its time has come, once, and at once after a downtime; a new account waits a whole pause', () => {
    // Red when: a due sweep leaves the time where it is (every process would begin one), or a fresh account is swept at once.
    expect(scheduleOf(null, now, hourMs)).toEqual({ due: false, nextAtMs: now + hourMs });
    expect(scheduleOf(now + 1, now, hourMs)).toEqual({ due: false, nextAtMs: now + 1 });
    expect(scheduleOf(now, now, hourMs)).toEqual({ due: true, nextAtMs: now + hourMs });
    expect(scheduleOf(now - 20 * dayMs, now, hourMs)).toEqual({ due: true, nextAtMs: now + hourMs });
    expect(scheduleOf(now + dayMs, now, hourMs), 'a shorter pause counts at once').toEqual({
      due: false,
      nextAtMs: now + hourMs,
    });
    expect(scheduleOf(now - dayMs, now, null)).toEqual({ due: false, nextAtMs: null });
  });

  test('events are read from the last one that is known, and no further back than the provider keeps them', () => {
    // Red when: the window of the sweep stands in for what is known of events.
    const since = now - dayMs;
    expect(eventsSince(null, since, now, 30 * dayMs)).toBe(since);
    expect(eventsSince(now - 12 * dayMs, since, now, 30 * dayMs)).toBe(now - 12 * dayMs - hourMs);
    expect(eventsSince(now - 60 * dayMs, since, now, 30 * dayMs)).toBe(now - 30 * dayMs);
  });
});

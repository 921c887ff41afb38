import { expect, test } from 'vitest';
import { exactMoment, relativeMoment } from './moment.ts';

const nowMs = Date.parse('2026-11-29T12:00:00.000Z');
const moment = (seconds: number, isAhead?: boolean): string =>
  relativeMoment(new Date(nowMs + seconds * 1_000).toISOString(), nowMs, isAhead);

// Red when: what is due in a moment, or overdue, is told as if it had happened.
test('what is still to come is never told as past', () => {
  expect([2, 0, -40].map((seconds) => moment(seconds, true))).toEqual(Array(3).fill('any moment now'));
  expect(moment(40, true)).toBe('in 40 s');
  expect([2, 0, -2].map((seconds) => moment(seconds))).toEqual(Array(3).fill('just now'));
  expect(moment(-40)).toBe('40 s ago');
});

// Red when: what was made to last a week is told, a second later, to last six days.
test('what is ahead is told to the nearest unit, and what is past by whole ones', () => {
  const [hour, day] = [3_600, 86_400];
  const told = [7 * day - 2, 90 * day - 40, day - 1, hour - 1, 100, 25 * hour].map((seconds) =>
    moment(seconds),
  );
  expect(told).toEqual(['in 7 days', 'in 90 days', 'in 1 day', 'in 1 h', 'in 2 min', 'in 1 day']);
  expect([-(7 * day - 2), -(hour - 1), -100].map((seconds) => moment(seconds))).toEqual([
    ...['6 days ago', '59 min ago', '1 min ago'],
  ]);
});

// Red when: the exact moment is shown without saying in which zone, so that two people read two days from it.
test('F116: the exact moment names its zone', () => {
  const at = '2026-01-11T00:42:00.000Z';
  const zone = new Intl.DateTimeFormat(globalThis.navigator?.language ?? 'en', { timeZoneName: 'short' })
    .formatToParts(new Date(at))
    .find(({ type }) => type === 'timeZoneName')?.value;
  expect(zone).toMatch(/./);
  expect(exactMoment(at)).toContain(zone);
});

import { expect, test } from 'vitest';
import { undoSecondsLeft } from './undo-seconds.ts';

const approved = { updatedAt: '2026-11-29T12:00:00.000Z', undoUntil: '2026-11-29T12:00:05.000Z' };
const at = (moment: string): number => undoSecondsLeft(approved, Date.parse(moment));

// Red when: a clock that lags behind the server's adds its lag to the time in which an approval can be taken back.
test('never promises more seconds than the server gave, however late this clock is', () => {
  expect(at('2026-11-29T11:59:59.400Z')).toBe(5);
  expect(at('2026-11-29T11:50:00.000Z')).toBe(5);
  expect(at('2026-11-29T12:00:01.500Z')).toBe(4);
  expect(at('2026-11-29T12:00:07.000Z')).toBe(0);
  expect(undoSecondsLeft({ ...approved, undoUntil: null }, 0)).toBe(0);
});

import { expect, it } from 'vitest';
import { isDatabaseAway } from '../http/failure.ts';
import { wholeRows } from './whole-rows.ts';

// Red when: a place without a row passes for an absence.
it('an answer with a place that holds no row is no answer, and is said as a connection that was closed', () => {
  const cut: number[] = [];
  cut[2] = 7;
  let told: unknown;
  try {
    wholeRows(cut);
  } catch (error) {
    told = error;
  }
  expect(isDatabaseAway(told)).toBe(true);
  expect(wholeRows([1, 2])).toEqual([1, 2]);
  expect(wholeRows([])).toEqual([]);
});

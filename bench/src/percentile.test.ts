import { describe, expect, test } from 'vitest';
import { median, percentile } from './percentile.ts';

describe('a percentile', () => {
  // Red when: the rank is rounded down, so that the slowest hundredth is left out of the 99th percentile's bound.
  test('is the measured value that so many lie at or below, whatever their order', () => {
    const hundred = Array.from({ length: 100 }, (_, place) => 100 - place);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 0.991)).toBe(100);
    expect(median(hundred)).toBe(50);
    expect(median([7])).toBe(7);
    expect(percentile([3, 1, 2], 1)).toBe(3);
  });

  // Red when: numbers are put in order as texts, or the caller's own list is.
  test('of numbers is by size and not by text, and leaves what was measured in its order', () => {
    const measured = [100, 9, 30, 8, 7];
    expect(median(measured)).toBe(9);
    expect(measured).toEqual([100, 9, 30, 8, 7]);
  });

  // Red when: no values give 0, which would look like a very good result.
  test('of nothing is no number', () => {
    expect(median([])).toBeNaN();
  });
});

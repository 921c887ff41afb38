import { csvMark, csvRows } from './csv-rows.ts';
import type { CsvCell } from '@holdfast/operation/csv-safe';
import type { ExportFormat } from './export-response.ts';

/** One kind of thing that can be exported. Each line carries a cursor, from which a later export goes on after it. */
export type Exportable<Item> = {
  /** @param timeZone stands in the headings of times */
  readonly headings: (timeZone: string) => readonly string[];
  /** The cells under the headings; the cursor's is the last column, and is added here. */
  readonly row: (item: Item, at: (instant: string) => string) => readonly CsvCell[];
  /** The same as one JSON object. */
  readonly object: (item: Item, at: (instant: string) => string) => Readonly<Record<string, unknown>>;
  readonly cursorOf: (item: Item) => string;
};

export type ExportPages<Item> = (
  cursor: string | undefined,
) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | null }>;

export type ExportWish = {
  readonly format: ExportFormat;
  readonly timeZone: string;
  /** The cursor of the last line that the caller has. */
  readonly after?: string | undefined;
};

/**
 * The export's text, page by page: each is read when the one before it has been taken. What goes on after a cursor has no
 * headings, so that it can be put behind what is there.
 */
export async function* exportLines<Item>(
  { headings, row, object, cursorOf }: Exportable<Item>,
  pages: ExportPages<Item>,
  { format, timeZone, after }: ExportWish,
  zoned: (timeZone: string) => (instant: string) => string,
): AsyncGenerator<string> {
  const at = zoned(timeZone);
  const isCsv = format === 'csv';
  if (isCsv && after === undefined) yield csvMark + csvRows([[...headings(timeZone), 'cursor']]);
  let cursor = after;
  for (;;) {
    const page = await pages(cursor);
    yield isCsv
      ? csvRows(page.items.map((item) => [...row(item, at), cursorOf(item)]))
      : page.items
          .map((item) => `${JSON.stringify({ ...object(item, at), timeZone, cursor: cursorOf(item) })}\n`)
          .join('');
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}

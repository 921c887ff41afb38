import { safeCell, type CsvCell } from '@holdfast/operation/csv-safe';
import { stringify } from 'csv-stringify/sync';

/** Spreadsheets take a file for UTF-8 when it begins with this. */
export const csvMark = '\uFEFF';

/**
 * Rows as RFC 4180 has them, each with its end. Every cell in quotes, so that no separator of another country's
 * spreadsheet splits one, and none is run as a formula.
 */
export const csvRows = (rows: readonly (readonly CsvCell[])[]): string =>
  stringify(
    rows.map((cells) => cells.map(safeCell)),
    { quoted: true, quoted_empty: true, record_delimiter: '\r\n' },
  );

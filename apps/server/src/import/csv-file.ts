import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { parse, type CsvError } from 'csv-parse';

/** One row by column name. `number` is the line it begins on; the header is line 1. */
export type Row = { readonly number: number; readonly cells: Readonly<Record<string, string>> };
export type BadRow = { readonly row: number; readonly reason: string };

/** The file as a whole can't be used; nothing of it was taken. */
export class UnusableFile extends Error {}

const delimiters = [
  { sign: ';', name: 'semicolons' },
  { sign: '\t', name: 'tabs' },
  { sign: '|', name: 'vertical bars' },
] as const;

const firstBytes = async (file: string): Promise<Buffer> => {
  const handle = await open(file).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new UnusableFile(`${file} cannot be read (${code}).`);
  });
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(64 * 1024), position: 0 });
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

const refuseOtherEncodings = (start: Buffer): void => {
  const [first, second] = start;
  const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (marked || start.subarray(0, 200).includes(0)) {
    throw new UnusableFile('The file is encoded as UTF-16; UTF-8 is needed. Save it again as "CSV UTF-8".');
  }
};

/** Reads the whole file once, before anything is taken from it, so that a bad byte at its end spoils no half import. */
const demandUtf8 = async (file: string): Promise<void> => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let lastBadChunk: Buffer | undefined;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      lastBadChunk = chunk;
      const text = decoder.decode(chunk, { stream: true });
      line += text.split('\n').length - 1;
    }
    decoder.decode();
  } catch {
    const about = line + (lastBadChunk === undefined ? 0 : linesBeforeBadByte(lastBadChunk));
    throw new UnusableFile(
      `The file is not encoded as UTF-8 (near line ${String(about)}); Latin-1 or Windows-1252, it seems. Save it again as "CSV UTF-8".`,
    );
  }
};

/** Good lines of a chunk before its first byte that is not UTF-8. */
const linesBeforeBadByte = (chunk: Buffer): number => {
  let lines = 0;
  let start = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(chunk.subarray(start, end));
    } catch {
      return lines;
    }
    lines += 1;
    start = end + 1;
  }
  return lines;
};

const headerOf = (start: Buffer): string =>
  new TextDecoder('utf-8')
    .decode(start)
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)[0] ?? '';

const demandHeader = (header: string, columns: readonly string[]): void => {
  if (header.trim() === '') throw new UnusableFile('The file is empty; its first row must name the columns.');
  const other = delimiters.find(({ sign }) => header.split(sign).length > header.split(',').length);
  if (other !== undefined) {
    throw new UnusableFile(
      `The columns are separated by ${other.name}; commas are needed. Save it again with commas.`,
    );
  }
  const names = header.split(',').map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  const missing = columns.filter((column) => !names.includes(column));
  if (missing.length > 0) {
    throw new UnusableFile(`The header row lacks ${missing.map((name) => `"${name}"`).join(', ')}.`);
  }
};

/**
 * Judges a file before any of it is used: readable, UTF-8, commas, all columns named.
 * @throws UnusableFile
 */
export const inspectFile = async (file: string, columns: readonly string[]): Promise<void> => {
  const start = await firstBytes(file);
  refuseOtherEncodings(start);
  await demandUtf8(file);
  demandHeader(headerOf(start), columns);
};

type ParsedLine = { readonly record: Record<string, string>; readonly info: { readonly lines: number } };

const reasonFor = (error: CsvError): string =>
  error.code === 'CSV_RECORD_INCONSISTENT_COLUMNS'
    ? 'has another number of columns than the header row'
    : `cannot be read: ${error.message}`;

const lineEndsIn = (record: Record<string, string>): number =>
  Object.values(record).join('').split('\n').length - 1;

/** Streams a file's rows; what can't be read as a row goes to `onBadRow` and the rest goes on. */
export async function* readRows(file: string, onBadRow: (bad: BadRow) => void): AsyncGenerator<Row> {
  const parser = createReadStream(file).pipe(
    parse({
      bom: true,
      columns: (names: string[]) => names.map((name) => name.trim()),
      info: true,
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      trim: true,
    }),
  );
  parser.on('skip', (error: CsvError) => {
    onBadRow({ row: Number(error['lines']), reason: reasonFor(error) });
  });
  for await (const { record, info } of parser as AsyncIterable<ParsedLine>) {
    yield { number: info.lines - lineEndsIn(record), cells: record };
  }
}

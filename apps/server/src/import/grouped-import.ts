import type { PutAnswer } from '@holdfast/engine';
import { inspectFile, readRows, type BadRow, type Row } from './csv-file.ts';

/** What an import did. `rows` without the header; a row that is not bad was taken. */
export type ImportReport = {
  readonly rows: number;
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly badRows: readonly BadRow[];
  /** Taken, since facts from outside are not argued with; a person may want to look. */
  readonly warnings: readonly BadRow[];
};

/** A thing being gathered from rows that stand together. `take` answers why a row can't belong to it. */
export type Gathering<Input> = {
  readonly take: (row: Row) => string | undefined;
  /** `undefined` where no good row made it a whole. */
  readonly finish: () => Input | undefined;
};

export type ImportKind<Input, Item> = {
  readonly columns: readonly string[];
  readonly idColumn: string;
  readonly gather: () => Gathering<Input>;
  /** What is odd about a thing that is taken nevertheless. */
  readonly oddity?: (input: Input) => string | undefined;
  readonly put: (id: string, input: Input) => Promise<PutAnswer<Item>>;
};

type Open<Input> = { readonly id: string; readonly firstRow: number; readonly gathering: Gathering<Input> };
type Tally = {
  rows: number;
  created: number;
  changed: number;
  unchanged: number;
  badRows: BadRow[];
  warnings: BadRow[];
};

const putOne = async <Input, Item>(
  open: Open<Input>,
  kind: ImportKind<Input, Item>,
  tally: Tally,
): Promise<void> => {
  const input = open.gathering.finish();
  if (input === undefined) return;
  const answer = await kind.put(open.id, input);
  if (!answer.ok) {
    tally.badRows.push({ row: open.firstRow, reason: answer.problem.detail });
    return;
  }
  const odd = kind.oddity?.(input);
  if (odd !== undefined) tally.warnings.push({ row: open.firstRow, reason: odd });
  if (answer.created) tally.created += 1;
  else if (answer.changed) tally.changed += 1;
  else tally.unchanged += 1;
};

/**
 * Imports a file whose rows of one thing stand together. Good rows are taken, bad ones reported with their number.
 * @throws UnusableFile before anything is taken, when the file as a whole can't be used
 */
export const importFile = async <Input, Item>(
  file: string,
  kind: ImportKind<Input, Item>,
): Promise<ImportReport> => {
  await inspectFile(file, kind.columns);
  const tally: Tally = { rows: 0, created: 0, changed: 0, unchanged: 0, badRows: [], warnings: [] };
  const seen = new Set<string>();
  let open: Open<Input> | undefined;
  const bad = (row: number, reason: string): void => {
    tally.badRows.push({ row, reason });
  };
  const unreadable = (row: BadRow): void => {
    tally.rows += 1;
    tally.badRows.push(row);
  };
  for await (const row of readRows(file, unreadable)) {
    tally.rows += 1;
    const id = row.cells[kind.idColumn] ?? '';
    if (id === '' || id.length > 200) {
      bad(row.number, `${kind.idColumn} must have 1 to 200 characters`);
      continue;
    }
    if (open?.id !== id) {
      if (seen.has(id)) {
        bad(row.number, `${kind.idColumn} ${id} came before; its rows must stand together`);
        continue;
      }
      if (open !== undefined) await putOne(open, kind, tally);
      open = { id, firstRow: row.number, gathering: kind.gather() };
      seen.add(id);
    }
    const refused = open.gathering.take(row);
    if (refused !== undefined) bad(row.number, refused);
  }
  if (open !== undefined) await putOne(open, kind, tally);
  return { ...tally, badRows: tally.badRows.toSorted((one, other) => one.row - other.row) };
};

/**
 * A backup is a gzipped text: a line of JSON about the whole, then for each table a line of JSON, its rows as
 * PostgreSQL's COPY writes them, and a line `\.`; at the end a line of JSON that says how much there was. A file
 * without that last line was cut off.
 */
export type BackupHeader = {
  readonly format: 'holdfast-backup';
  readonly version: 1;
  /** The database's clock. ISO 8601. */
  readonly takenAt: string;
  readonly migrations: readonly { readonly number: number; readonly name: string; readonly hash: string }[];
};
export type TableHeader = {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
};
export type BackupEnd = { readonly tables: number; readonly rows: number };

export type BackupSummary = BackupEnd & { readonly takenAt: string; readonly schemaVersion: number };

export type RestoreSummary = BackupSummary & {
  /** Operations that had not ended when the backup was taken, by state: each may have gone on since. */
  readonly unfinished: Readonly<Record<string, number>>;
};

/** Why a backup could not be taken or put back. `because` is for programs, `message` for people, with the remedy. */
export class BackupRefusal extends Error {
  readonly because: 'not-a-backup' | 'cut-off' | 'not-empty' | 'in-use' | 'other-schema' | 'lacks-rights';
  constructor(because: BackupRefusal['because'], message: string) {
    super(message);
    this.name = 'BackupRefusal';
    this.because = because;
  }
}

export const endOfRows = '\\.\n';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const readJson = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
};

const isMigration = (value: unknown): value is BackupHeader['migrations'][number] =>
  isRecord(value) &&
  typeof value['number'] === 'number' &&
  typeof value['name'] === 'string' &&
  typeof value['hash'] === 'string';

export const readHeader = (line: string): BackupHeader => {
  const value = readJson(line);
  if (
    isRecord(value) &&
    value['format'] === 'holdfast-backup' &&
    value['version'] === 1 &&
    typeof value['takenAt'] === 'string' &&
    Array.isArray(value['migrations']) &&
    value['migrations'].every(isMigration)
  ) {
    const { takenAt, migrations } = value;
    return { format: 'holdfast-backup', version: 1, takenAt, migrations };
  }
  throw new BackupRefusal('not-a-backup', 'The file is no backup that this version of Holdfast can read.');
};

// Names go into statements, so nothing but what a name of ours is made of is taken from a file.
const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value);

/** What stands between two tables: the next one's header, or the end. */
export const readBetween = (line: string): TableHeader | BackupEnd => {
  const value = readJson(line);
  if (isRecord(value)) {
    const { schema, table, columns, tables, rows } = value;
    if (typeof tables === 'number' && typeof rows === 'number') return { tables, rows };
    if (isName(schema) && isName(table) && Array.isArray(columns) && columns.every(isName))
      return { schema, table, columns };
  }
  throw new BackupRefusal('not-a-backup', 'The file holds something that is no part of a backup.');
};

/** Lines of a stream, each with its end. */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const rest = chunk.subarray(from, at + 1);
      yield pending.length === 0 ? rest : Buffer.concat([...pending, rest]);
      pending = [];
      from = at + 1;
    }
    if (from < chunk.length) pending.push(chunk.subarray(from));
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

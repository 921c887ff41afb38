import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type postgres from 'postgres';
import { openDriver, type ConnectOptions } from '../connection.ts';
import {
  BackupRefusal,
  endOfRows,
  type BackupEnd,
  type BackupHeader,
  type BackupSummary,
  type TableHeader,
} from './backup-format.ts';

/**
 * Not kept: the migrations are told in the header, the feed begins anew with the history that a restore begins, and
 * whoever reads the file shall not be signed in by it.
 */
const notKept = ['public.schema_migrations', 'public.feed', 'sign_in.session', 'sign_in.verification'];

type Transaction = postgres.TransactionSql;

const tablesIn = async (sql: Transaction): Promise<readonly TableHeader[]> => {
  const rows = await sql<TableHeader[]>`
    select n.nspname as schema, c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and n.nspname in ('public', 'sign_in') and n.nspname || '.' || c.relname <> all(${notKept})
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by 1, 2 order by 1, 2`;
  return rows.map(({ schema, table, columns }) => ({ schema, table, columns }));
};

const newline = 10;
const linesIn = (chunk: Buffer): number => {
  let count = 0;
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) count += 1;
  return count;
};

const say = async (to: Writable, text: string | Buffer): Promise<void> => {
  if (!to.write(text)) await once(to, 'drain');
};

/** Cookies are signed with what follows from this key: a restore makes another, and the file says nothing of it. */
const secretColumn = 'cursor_key';

const writeTable = async (sql: Transaction, to: Writable, table: TableHeader): Promise<number> => {
  await say(to, `${JSON.stringify(table)}\n`);
  const columns = table.columns.map((column) => (column === secretColumn ? `'\\x00'::bytea` : `"${column}"`));
  const all = `select ${columns.join(', ')} from "${table.schema}"."${table.table}"`;
  const rows = await sql.unsafe(`copy (${all}) to stdout`).readable();
  let count = 0;
  for await (const chunk of rows) {
    const bytes = chunk as Buffer;
    count += linesIn(bytes);
    await say(to, bytes);
  }
  await say(to, endOfRows);
  return count;
};

const writeAll = async (sql: Transaction, to: Writable): Promise<BackupSummary> => {
  // Whoever may not see every row is refused, instead of being given those of no organisation.
  await sql`set local row_security = off`;
  const [now] = await sql<{ at: Date }[]>`select now() as at`;
  const migrations = await sql<
    BackupHeader['migrations'][number][]
  >`select number, name, hash from schema_migrations order by number`;
  const takenAt = (now?.at ?? new Date(0)).toISOString();
  const header: BackupHeader = {
    format: 'holdfast-backup',
    version: 1,
    takenAt,
    migrations: [...migrations],
  };
  await say(to, `${JSON.stringify(header)}\n`);
  let end: BackupEnd = { tables: 0, rows: 0 };
  for (const table of await tablesIn(sql)) {
    const rows = await writeTable(sql, to, table);
    end = { tables: end.tables + 1, rows: end.rows + rows };
  }
  await say(to, `${JSON.stringify(end)}\n`);
  return { ...end, takenAt, schemaVersion: migrations.at(-1)?.number ?? 0 };
};

const lacksRights = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '42501';

/**
 * Writes everything the database holds at one moment, while others work on, and ends the stream.
 * @throws BackupRefusal where the user may not read every row
 */
export const writeBackup = async (options: ConnectOptions, to: Writable): Promise<BackupSummary> => {
  const driver = openDriver({ ...options, maximum: 1 }, null);
  const packed = createGzip();
  packed.pipe(to);
  const written = finished(to);
  // A disk that is full shows at the end, whatever came before.
  written.catch(() => undefined);
  try {
    const summary = await driver.begin('isolation level repeatable read read only', (sql) =>
      Promise.race([
        writeAll(sql, packed),
        written.then(() => Promise.reject(new Error('the file was closed'))),
      ]),
    );
    packed.end();
    await written;
    return summary;
  } catch (error) {
    packed.destroy();
    to.destroy();
    if (!lacksRights(error)) throw error;
    throw new BackupRefusal(
      'lacks-rights',
      'The database’s user may not read every row. Use a superuser, or one with BYPASSRLS that owns the tables.',
    );
  } finally {
    await driver.end({ timeout: 5 });
  }
};

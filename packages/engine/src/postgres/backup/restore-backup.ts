import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { unfinishedStates } from '@holdfast/operation';
import type postgres from 'postgres';
import { openDriver, type ConnectOptions } from '../connection.ts';
import { knownMigrations, migrate } from '../migrate.ts';
import {
  BackupRefusal,
  endOfRows,
  linesOf,
  readBetween,
  readHeader,
  type BackupEnd,
  type BackupHeader,
  type RestoreSummary,
  type TableHeader,
} from './backup-format.ts';

type Lines = AsyncGenerator<Buffer>;

const cutOff = (): BackupRefusal =>
  new BackupRefusal(
    'cut-off',
    'The file ends before the backup does. Nothing of it was taken; use another copy.',
  );

const newline = 10;

const nextLine = async (lines: Lines): Promise<string> => {
  const { value, done } = await lines.next();
  if (done === true || value.at(-1) !== newline) throw cutOff();
  return value.toString('utf8');
};

/** A connection that was closed a moment ago still shows for that long. Milliseconds. */
const lastGoodbyeMs = 2_000;

const othersConnected = async (sql: postgres.Sql): Promise<number> => {
  const [row] = await sql<{ others: number }[]>`
    select count(*)::int as others from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
  return row?.others ?? 0;
};

/** What was decided in a database that somebody uses is not written over. */
const demandEmpty = async (sql: postgres.Sql): Promise<void> => {
  const [row] = await sql<{ held: boolean }[]>`
    select exists (select from operations) or exists (select from orders)
      or exists (select from members) or exists (select from api_keys) or exists (select from provider_accounts) as held`;
  if (row?.held === true)
    throw new BackupRefusal(
      'not-empty',
      'The database already holds people, orders or operations. A backup is put into an empty one: move the data folder away, or name another database in DATABASE_URL.',
    );
  const giveUpAt = performance.now() + lastGoodbyeMs;
  let others = await othersConnected(sql);
  while (others > 0 && performance.now() < giveUpAt) {
    await pause(50);
    others = await othersConnected(sql);
  }
  if (others === 0) return;
  throw new BackupRefusal(
    'in-use',
    `${String(others)} other connections are open to the database. Stop every server and worker first.`,
  );
};

/** What somebody else keeps beside us would go with the schema. */
const demandOursAlone = async (
  sql: postgres.Sql,
  known: readonly { readonly text: string }[],
): Promise<void> => {
  const ours = known.flatMap(({ text }) =>
    [...text.matchAll(/create table (?:if not exists )?"?(?:public"?\."?)?(\w+)"?/g)].map(
      ([, name]) => name ?? '',
    ),
  );
  const others = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'v', 'm', 'p', 'f')
      and c.relname <> all(${[...ours, 'schema_migrations']})`;
  if (others.length === 0) return;
  throw new BackupRefusal(
    'not-empty',
    `The database also holds ${others.map(({ name }) => name).join(', ')}, which is not Holdfast’s. Name a database of its own in DATABASE_URL.`,
  );
};

/** The database as it was made by the program that took the backup: what is younger is applied afterwards. */
const atSchemaOf = async (
  options: ConnectOptions,
  sql: postgres.Sql,
  header: BackupHeader,
): Promise<void> => {
  const known = await knownMigrations();
  const isKnown = header.migrations.every((one) =>
    known.some(({ number, hash }) => number === one.number && hash === one.hash),
  );
  const last = header.migrations.at(-1)?.number ?? 0;
  const isWhole = known.filter(({ number }) => number <= last).length === header.migrations.length;
  if (!isKnown || !isWhole)
    throw new BackupRefusal(
      'other-schema',
      `The backup was taken at schema ${String(last)} by a version of Holdfast that this one does not follow. Use that version, or a newer one.`,
    );
  if (last === known.at(-1)?.number) return;
  await demandOursAlone(sql, known);
  await sql.unsafe('drop schema public cascade; drop schema sign_in cascade; create schema public');
  await migrate({ ...options, through: last });
};

const say = async (to: Writable, bytes: Buffer): Promise<void> => {
  if (!to.write(bytes)) await once(to, 'drain');
};

const isEndOfRows = (line: Buffer): boolean => line.equals(Buffer.from(endOfRows));

const readTable = async (sql: postgres.TransactionSql, lines: Lines, table: TableHeader): Promise<number> => {
  const columns = table.columns.map((column) => `"${column}"`).join(', ');
  let to: Writable | undefined;
  for (let count = 0; ; count += 1) {
    const { value: line, done } = await lines.next();
    if (done === true || line.at(-1) !== newline) {
      to?.destroy();
      throw cutOff();
    }
    if (isEndOfRows(line)) {
      to?.end();
      if (to !== undefined) await finished(to);
      return count;
    }
    // A table without rows, as most are in a small house, costs no round of its own.
    to ??= await sql.unsafe(`copy "${table.schema}"."${table.table}" (${columns}) from stdin`).writable();
    await say(to, line);
  }
};

const readTables = async (sql: postgres.TransactionSql, lines: Lines): Promise<BackupEnd> => {
  let read: BackupEnd = { tables: 0, rows: 0 };
  for (;;) {
    const between = readBetween(await nextLine(lines));
    if ('rows' in between) {
      if (between.rows !== read.rows || between.tables !== read.tables) throw cutOff();
      return read;
    }
    const rows = await readTable(sql, lines, between);
    read = { tables: read.tables + 1, rows: read.rows + rows };
  }
};

/** Identities go on after what was put back. */
const moveIdentities = async (sql: postgres.TransactionSql): Promise<void> => {
  const identities = await sql<{ table: string; column: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as table, a.attname as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where a.attidentity <> '' and c.relkind = 'r' and n.nspname in ('public', 'sign_in')`;
  for (const { table, column } of identities) {
    await sql.unsafe(
      `select setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max("${column}"), 0) + 1, false) from ${table}`,
    );
  }
};

/** Transactions are counted by each cluster for itself: the numbers of another one would be ahead of its own. */
const forgetTransactions = async (sql: postgres.TransactionSql): Promise<void> => {
  const columns = await sql<{ table: string; column: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as table, a.attname as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where a.atttypid = 'xid8'::regtype and not a.attnotnull and c.relkind = 'r' and n.nspname = 'public'`;
  for (const { table, column } of columns) await sql.unsafe(`update ${table} set "${column}" = null`);
};

const unfinishedIn = async (sql: postgres.TransactionSql): Promise<RestoreSummary['unfinished']> => {
  const rows = await sql<{ state: string; count: number }[]>`
    select state, count(*)::int as count from operations where state = any(${[...unfinishedStates]}) group by 1`;
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
};

const putBack = async (
  sql: postgres.TransactionSql,
  lines: Lines,
  header: BackupHeader,
): Promise<BackupEnd & Pick<RestoreSummary, 'unfinished'>> => {
  await sql`set local row_security = off`;
  // What a row brings with it stands in the backup as well: no trigger makes it a second time.
  await sql`set local session_replication_role = replica`;
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'sign_in') and tablename <> 'schema_migrations'`;
  await sql.unsafe(`truncate ${tables.map(({ name }) => name).join(', ')}`);
  const read = await readTables(sql, lines);
  await moveIdentities(sql);
  await forgetTransactions(sql);
  const unfinished = await unfinishedIn(sql);
  await sql`set local row_security = on`;
  await sql`update installation set cursor_key = ${randomBytes(32)},
    system_identifier = now_is.system_identifier, timeline = now_is.timeline from history_identity() now_is`;
  await sql`select begin_new_generation(${crypto.randomUUID()},
    ${`The database was restored from a backup of ${header.takenAt}.`})`;
  return { ...read, unfinished };
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const refusalOf = (error: unknown): unknown => {
  const code = codeOf(error);
  if (code === '42501')
    return new BackupRefusal(
      'lacks-rights',
      'The database’s user may not put rows back past row-level security and triggers. Use a superuser.',
    );
  if (code === 'Z_BUF_ERROR' || code === 'ERR_STREAM_PREMATURE_CLOSE') return cutOff();
  if (code === 'Z_DATA_ERROR')
    return new BackupRefusal('not-a-backup', 'The file is no backup, or it was damaged. Use another copy.');
  return error;
};

/**
 * Puts a backup into an empty database, all of it or nothing. History begins anew, on hold: devices tell again what
 * they had sent since, and whoever lifts the hold has looked at the provider's ledger first.
 * @throws BackupRefusal
 */
export const restoreBackup = async (options: ConnectOptions, from: Readable): Promise<RestoreSummary> => {
  const driver = openDriver({ ...options, maximum: 1 }, null);
  const unpacked = createGunzip();
  from.on('error', (error) => unpacked.destroy(error));
  const lines = linesOf(from.pipe(unpacked));
  try {
    const header = readHeader(await nextLine(lines));
    await demandEmpty(driver);
    await atSchemaOf(options, driver, header);
    const read = await driver.begin((sql) => putBack(sql, lines, header));
    const { schemaVersion } = await migrate(options);
    return { ...read, takenAt: header.takenAt, schemaVersion };
  } catch (error) {
    throw refusalOf(error);
  } finally {
    from.destroy();
    await driver.end({ timeout: 5 });
  }
};

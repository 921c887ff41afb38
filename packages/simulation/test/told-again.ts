import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { migrate } from '@holdfast/engine/postgres';
import { connectionOver, openDriver, serverRole } from '@holdfast/engine/postgres/parts';
import postgres from 'postgres';
import type { Answer } from '../src/postgres/pretend-postgres.ts';
import { firstStatements } from '../src/world/database.ts';
import type { Said } from './recorded-talk.ts';

/** The history's own clock, in the place of the database's. */
const clockText = `create function public.told_now() returns timestamptz language sql stable as
  $$ select to_timestamp(current_setting('told.now_ms')::double precision / 1000) $$`;
const withOwnClock = (text: string): string =>
  text.replace(/\b(now|clock_timestamp)\(\)/g, 'public.told_now()');

const takeOverClock = async (admin: postgres.Sql): Promise<void> => {
  await admin.unsafe(clockText);
  const columns = await admin<{ name: string; table: string; text: string }[]>`
    select quote_ident(column_name) as name, quote_ident(table_schema) || '.' || quote_ident(table_name) as table,
      column_default as text
    from information_schema.columns where column_default ~ '(now|clock_timestamp)\\(\\)'`;
  for (const { name, table, text } of columns)
    await admin.unsafe(`alter table ${table} alter column ${name} set default ${withOwnClock(text)}`);
  const functions = await admin<{ text: string }[]>`
    select pg_get_functiondef(p.oid) as text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'public' and p.proname <> 'told_now' and p.prosrc ~ '(now|clock_timestamp)\\(\\)'`;
  for (const { text } of functions) await admin.unsafe(withOwnClock(text));
};

/** What each database draws for itself: the counters of its transactions, and random IDs. */
const isDrawn = (type: number, name: string): boolean =>
  type === 2950 || type === 5069 || name === 'transactionId';
/** How far transactions have come: one of the two may have counted some that wrote nothing. */
const isHorizon = (name: string): boolean => ['horizon', 'nextTransactionId', 'beyond'].includes(name);

export type Difference = { readonly text: string; readonly pretended: unknown; readonly real: unknown };

type Column = { readonly name: string; readonly type: number };
type Rows = readonly (readonly unknown[])[];

/** The same text for equal values, whatever the order of their keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
const sorted = (rows: Rows): string[] => rows.map(canonical).toSorted();

/** Knows which value of the one is which of the other. */
const createTranslation = () => {
  const known = new Map<string, string>();
  const horizons = new Map<string, string>();
  return {
    /** The real one's values as the pretended one has them, learning those that each has drawn for itself. */
    read: (pretended: Rows, real: Rows, columns: readonly Column[]): Rows =>
      real.map((row, index) =>
        row.map((value, column) => {
          const { type, name } = columns[column] ?? { type: 0, name: '' };
          const other = pretended[index]?.[column];
          // PostgreSQL puts a setting into a unit of its own; nobody reads that.
          if (name === 'set_config') return other;
          if (typeof value !== 'string' || typeof other !== 'string') return value;
          if (isHorizon(name)) {
            horizons.set(other, value);
            return other;
          }
          if (!isDrawn(type, name)) return value;
          if (!known.has(other)) known.set(other, value);
          return known.get(other) === value ? other : value;
        }),
      ),
    say: (text: string, parameters: readonly unknown[]): unknown[] =>
      parameters.map((value, index) => {
        const asked = new RegExp(`\\$${String(index + 1)}::(text::)?(xid8|uuid)`).test(text);
        if (!asked || typeof value !== 'string') return value;
        return known.get(value) ?? horizons.get(value) ?? value;
      }),
  };
};

type Heard = { readonly rows: Rows; readonly columns: readonly Column[]; readonly count: number };

const isSame = (text: string, pretended: Answer, heard: Heard, read: Rows): boolean => {
  if (pretended.count !== heard.count) return false;
  if (isDeepStrictEqual(pretended.rows, read)) return true;
  const isOrdered = text.startsWith('select') && /order by/i.test(text);
  return !isOrdered && isDeepStrictEqual(sorted(pretended.rows), sorted(read));
};

const hear = async (client: postgres.ReservedSql, text: string, parameters: unknown[]) => {
  try {
    const rows = await client.unsafe(withOwnClock(text), parameters as string[]).values();
    const columns = (rows as unknown as { columns?: readonly Column[] }).columns ?? [];
    return { rows: [...rows] as unknown as Rows, columns, count: rows.count };
  } catch (trouble) {
    return { code: trouble instanceof Error && 'code' in trouble ? String(trouble.code) : String(trouble) };
  }
};

type Client = { readonly client: postgres.ReservedSql; readonly leave: () => Promise<void> };

/** A database of its own in which a history can begin, under the history's clock. */
const enter = async (clusterUrl: string): Promise<Client> => {
  const name = `told_${randomBytes(6).toString('hex')}`;
  const cluster = postgres(clusterUrl, { max: 1, onnotice: () => undefined });
  await cluster.unsafe(`create database ${name}`);
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  await migrate({ url: url.href });
  const admin = postgres(url.href, { max: 1, onnotice: () => undefined });
  await admin.unsafe('truncate installation, organisations cascade');
  await takeOverClock(admin);
  await admin.unsafe(`set told.now_ms = '0'`);
  for (const { text, parameters } of firstStatements) await admin.unsafe(text, parameters as string[]);
  await admin.end({ timeout: 1 });
  const pool = openDriver({ url: url.href, maximum: 1 }, serverRole);
  // It also sets the driver's parsers.
  connectionOver(pool, { url: url.href });
  const client = await pool.reserve();
  return {
    client,
    leave: async () => {
      client.release();
      await pool.end({ timeout: 1 });
      await cluster.unsafe(`drop database ${name} with (force)`);
      await cluster.end({ timeout: 1 });
    },
  };
};

type Asked = Extract<Said, { what: 'ask' }>;

const differenceOf = async (
  client: postgres.ReservedSql,
  { text, parameters, answer }: Asked,
  translation: ReturnType<typeof createTranslation>,
): Promise<Difference | null> => {
  const heard = await hear(client, text, translation.say(text, parameters));
  if ('code' in answer || 'code' in heard) {
    const [pretended, real] = [answer, heard].map((one) => ('code' in one ? one.code : 'rows'));
    return pretended === real ? null : { text, pretended, real };
  }
  // Rows in another order are not to be taken for values that the other one has drawn for itself.
  if (isSame(text, answer, heard, heard.rows)) return null;
  const read = translation.read(answer.rows, heard.rows, heard.columns);
  if (isSame(text, answer, heard, read)) return null;
  return { text, pretended: [answer.count, answer.rows], real: [heard.count, read] };
};

/**
 * Tells a real PostgreSQL what was told to the pretended one, word for word and in the same order.
 * @param clusterUrl of a superuser
 * @returns every answer that is another one, and how many questions were asked
 */
export const tellAgain = async (
  clusterUrl: string,
  talk: readonly Said[],
): Promise<{ readonly asked: number; readonly differences: readonly Difference[] }> => {
  const { client, leave } = await enter(clusterUrl);
  const translation = createTranslation();
  const differences: Difference[] = [];
  let asked = 0;
  for (const said of talk) {
    switch (said.what) {
      case 'begin':
        await client.unsafe('begin');
        await client.unsafe(`select set_config('told.now_ms', $1, true)`, [String(said.nowMs)]);
        break;
      case 'commit':
      case 'rollback':
        await client.unsafe(said.what);
        break;
      case 'ask': {
        asked += 1;
        const difference = await differenceOf(client, said, translation);
        if (difference !== null) differences.push(difference);
      }
    }
  }
  await leave();
  return { asked, differences };
};

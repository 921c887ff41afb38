import { getTableColumns, is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres-rig.ts';
import * as schema from './schema.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

type Column = { table: string; column: string; type: string; required: boolean };
const ownTables = (Object.values(schema) as unknown[]).filter((value): value is PgTable =>
  is(value, PgTable),
);

const inDatabase = async (): Promise<Column[]> => [
  ...(await database.admin<Column[]>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as required
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and c.relname <> 'schema_migrations'`),
];

const inProgram = (): Column[] =>
  ownTables.flatMap((table) =>
    Object.values(getTableColumns(table)).map((column) => ({
      table: getTableConfig(table).name,
      column: column.name,
      type: column.getSQLType().replace('timestamp (3)', 'timestamp(3)'),
      required: column.notNull,
    })),
  );

const sorted = (columns: Column[]): string[] => columns.map((column) => JSON.stringify(column)).sort();

describe('the tables in the program and in the database', () => {
  it('agree on every column, its type and whether it may be empty', async () => {
    expect(sorted(inProgram())).toEqual(sorted(await inDatabase()));
  });

  it('lead every key, unique constraint and foreign key with the organisation', async () => {
    const constraints = await database.admin<{ table: string; definition: string }[]>`
      select conrelid::regclass::text as table, pg_get_constraintdef(oid) as definition from pg_constraint
      where contype in ('p', 'u', 'f') and connamespace = 'public'::regnamespace`;
    const astray = constraints.filter(
      ({ table, definition }) =>
        !['installation', 'schema_migrations'].includes(table) && !/^[A-Z ]+ \(org_id[,)]/.test(definition),
    );
    expect(constraints.length).toBeGreaterThan(20);
    expect(astray).toEqual([]);
  });

  it('compare no two of a payment’s figures by a constraint, since a late fact is never refused', async () => {
    const checks = await database.admin<{ definition: string }[]>`
      select pg_get_constraintdef(oid) as definition from pg_constraint
      where contype = 'c' and conrelid = 'payments'::regclass`;
    expect(checks.map((check) => check.definition)).toEqual(['CHECK ((captured > 0))']);
  });

  it('force row-level security on every table that has an organisation', async () => {
    const unguarded = await database.admin`
      select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
        and not (c.relrowsecurity and c.relforcerowsecurity)`;
    expect(unguarded).toEqual([]);
  });
});

describe('the attempts’ table', () => {
  const ids = { operation: '01890000-0000-7000-8000-00000000000a' };
  const attempt = (
    number: number,
    startedAt: string,
    deadline: string | null,
    result: string | null,
  ) => database.admin`
    insert into attempts (org_id, operation_id, number, fence, provider, request, started_at, replay_deadline, result)
    select org_id, ${ids.operation}, ${number}, 1, 'stripe', '{}', ${startedAt}::timestamptz, ${deadline}::timestamptz,
      ${result} from organisations`;

  beforeAll(async () => {
    await database.admin`insert into operations (org_id, id, state, generation, proposed_by, proposed_via, proposed_person,
        first_sent_at, replay_deadline, created_at, updated_at)
      select org_id, ${ids.operation}, 'cancelled', 'g', 'a', 'session', 'a', '2026-01-01T00:00:00Z', '2026-01-01T23:00:00Z',
        now(), now() from organisations`;
  });

  // Red when: the check `never_started_after_the_replay_deadline` or the foreign key that carries the deadline is dropped.
  it('F015: takes no attempt that starts after the operation’s replay deadline, and none that names another deadline', async () => {
    const deadline = '2026-01-01T23:00:00Z';
    await attempt(1, '2026-01-01T00:00:00Z', deadline, 'unknown');
    await expect(attempt(2, '2026-01-01T23:00:01Z', deadline, null)).rejects.toThrow('never_started_after');
    await expect(attempt(2, '2026-01-01T23:00:01Z', '2026-01-02T23:00:00Z', null)).rejects.toThrow(
      'foreign key',
    );
    await expect(attempt(2, '2026-01-01T01:00:00Z', null, null)).rejects.toThrow('never_started_after');
    await attempt(2, '2026-01-01T22:59:59Z', deadline, null);
  });

  it('lets the deadline go only once every attempt is proved not sent or deferred', async () => {
    const clear = () => database.admin`update operations set first_sent_at = null, replay_deadline = null
      where id = ${ids.operation}`;
    await expect(clear()).rejects.toThrow('never_started_after');
    await database.admin`update attempts set result = 'deferred' where operation_id = ${ids.operation}`;
    await clear();
    const left =
      await database.admin`select replay_deadline from attempts where operation_id = ${ids.operation}`;
    expect(left.map((row) => row['replay_deadline'])).toEqual([null, null]);
  });
});

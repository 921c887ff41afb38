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

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres-rig.ts';
import { checkSchema, knownMigrations, migrate } from './migrate.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ template: null });
});
afterAll(() => database.drop());

describe('migrations', () => {
  it('started by three processes at once are applied once', async () => {
    const reports = await Promise.all([1, 2, 3].map(() => migrate({ url: database.url })));
    expect(reports.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
    expect(await database.admin`select from installation`).toHaveLength(1);
    expect(await database.admin`select from organisations`).toHaveLength(1);
  });

  it('run again change nothing, and keep the key that signs cursors', async () => {
    const [before] = await database.admin`select encode(cursor_key, 'hex') as key from installation`;
    expect(await migrate({ url: database.url })).toMatchObject({ applied: [] });
    const [after] = await database.admin`select encode(cursor_key, 'hex') as key from installation`;
    expect(after).toEqual(before);
  });

  it('find a database that was brought up in another cluster: a new generation of history begins, on hold', async () => {
    const generation = async () =>
      (await database.admin`select generation, hold_on from organisations`)[0] as Record<string, unknown>;
    const before = await generation();
    expect(before['hold_on']).toBe(false);
    await database.admin`update installation set system_identifier = 'another cluster'`;
    expect(await migrate({ url: database.url })).toMatchObject({ historyRestored: true });
    const after = await generation();
    expect(after['hold_on']).toBe(true);
    expect(after['generation']).not.toBe(before['generation']);
    expect(await migrate({ url: database.url })).toMatchObject({ historyRestored: false });
  });

  it('of a newer program make this one refuse to run, and say what to do', async () => {
    await database.admin`insert into schema_migrations (number, name, hash) values (9999, '9999-of-tomorrow.sql', 'x')`;
    try {
      await expect(migrate({ url: database.url })).rejects.toMatchObject({ because: 'newer-than-program' });
      await expect(checkSchema(database.connection.db)).rejects.toMatchObject({
        because: 'newer-than-program',
      });
    } finally {
      await database.admin`delete from schema_migrations where number = 9999`;
    }
  });

  // Red when: an index on a table that is there already is built in a transaction that locks it against reading, too.
  it('from the cases on build no index on a table that the same one alters', async () => {
    const slow = (await knownMigrations())
      .filter(({ number }) => number >= 28)
      .filter(({ text }) => {
        const made = [...text.matchAll(/create table (\w+)/g)].map(([, table]) => table);
        const indexed = [...text.matchAll(/create (?:unique )?index \w+ on (\w+)/g)].map(
          ([, table]) => table,
        );
        return text.includes('alter table') && indexed.some((table) => !made.includes(table));
      });
    expect(slow.map(({ name }) => name)).toEqual([]);
  });

  it('that were applied with other contents make it refuse, too', async () => {
    const [first] = await database.admin<
      { hash: string }[]
    >`select hash from schema_migrations where number = 1`;
    await database.admin`update schema_migrations set hash = 'x' where number = 1`;
    try {
      await expect(migrate({ url: database.url })).rejects.toMatchObject({ because: 'changed-migration' });
    } finally {
      await database.admin`update schema_migrations set hash = ${first?.hash ?? ''} where number = 1`;
    }
    await expect(checkSchema(database.connection.db)).resolves.toBeUndefined();
  });
});

const folder = new URL('./migrations/', import.meta.url);

/** The first migrations alone, run by this user: the database as an earlier version of the program left it. */
const migrateUpTo = async (url: string, last: number): Promise<void> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const owner = postgres(url, { max: 1, onnotice: () => undefined });
  await owner`create table schema_migrations (number integer primary key, name text not null, hash text not null,
    applied_at timestamptz not null default now())`;
  for (const name of names.filter((one) => Number(one.slice(0, 4)) <= last)) {
    const text = await readFile(new URL(name, folder), 'utf8');
    const hash = createHash('sha256').update(text).digest('hex');
    await owner.begin(async (tx) => {
      await tx.unsafe(text);
      await tx`insert into schema_migrations (number, name, hash) values (${Number(name.slice(0, 4))}, ${name}, ${hash})`;
    });
  }
  await owner.end({ timeout: 5 });
};

describe('a database that belongs to no superuser, with people and keys in it', () => {
  // Red when: a migration writes to a table on which row-level security is forced: its owner sees no rows there.
  it('is brought up to date: everybody has a subject, and every key its owner’s role', async () => {
    const older = await createTestDatabase({ template: null });
    try {
      const role = `owner_${new URL(older.url).pathname.slice(1)}`;
      await older.admin.unsafe(`create role ${role} login password 'owner' createrole`);
      await older.admin.unsafe(`grant holdfast_server, holdfast_sign_in, holdfast_locator to ${role}`);
      await older.admin.unsafe(`alter database ${new URL(older.url).pathname.slice(1)} owner to ${role}`);
      await older.admin.unsafe(`alter schema public owner to ${role}`);
      const url = new URL(older.url);
      url.username = role;
      url.password = 'owner';
      await migrateUpTo(url.href, 9);
      await older.admin`insert into organisations (org_id, name, generation, policy) values
        ('one', 'One', 'g', '{}'), ('two', 'Two', 'g', '{}')`;
      await older.admin`insert into members (org_id, user_id, role, name, email, created_at) values
        ('one', 'ann', 'approver', 'Ann', 'ann@example.org', '2026-01-01'),
        ('two', 'ann', 'agent', 'Ann', 'ann@example.org', '2026-02-01')`;
      await older.admin`insert into api_keys (org_id, id, hash, role, name, owner_user_id)
        values ('two', 'key', 'hash', 'agent', 'A key', 'ann')`;
      await migrate({ url: url.href });
      expect(await older.admin`select org_id, subject from members order by org_id`).toEqual([
        { org_id: 'one', subject: 'ann' },
        { org_id: 'two', subject: 'ann@two' },
      ]);
      expect(await older.admin`select owner_role from api_keys`).toEqual([{ owner_role: 'agent' }]);
      const forced = await older.admin`select relname from pg_class
        where relname in ('members', 'api_keys') and relforcerowsecurity order by relname`;
      expect(forced).toHaveLength(2);
    } finally {
      await older.drop();
    }
  });
});

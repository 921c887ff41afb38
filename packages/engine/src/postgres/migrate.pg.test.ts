import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres-rig.ts';
import { checkSchema, migrate } from './migrate.ts';

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

import { PassThrough, Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  decision,
  operationIn,
  proposal,
  type EngineHouse,
} from '../../../test/engine-house.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres-rig.ts';
import { verifyAudit } from '../audit-verify.ts';
import { connect } from '../connection.ts';
import { migrate } from '../migrate.ts';
import { createRuntime } from '../runtime.ts';
import { BackupRefusal, type BackupSummary, type RestoreSummary } from './backup-format.ts';
import { restoreBackup } from './restore-backup.ts';
import { writeBackup } from './write-backup.ts';

let house: EngineHouse;
let taken: BackupSummary;
let backup: Buffer;

const backupOf = async (url: string): Promise<{ summary: BackupSummary; bytes: Buffer }> => {
  const to = new PassThrough();
  const parts: Buffer[] = [];
  to.on('data', (part: Buffer) => parts.push(part));
  const summary = await writeBackup({ url }, to);
  return { summary, bytes: Buffer.concat(parts) };
};

beforeAll(async () => {
  house = await createEngineHouse();
  const order = await house.order();
  const operation = operationIn((await house.give(ada, proposal(order, 1_000)))[0]);
  await house.give(ben, approval(operation));
  // A text with everything that a row of COPY writes in another way.
  const note = 'a tab\there, a line\nthere, a \\. and a "quote" …';
  const other = operationIn((await house.give(ada, { ...proposal(await house.order(), 700), note }))[0]);
  await house.give(ben, decision('deny', other.id));
  ({ summary: taken, bytes: backup } = await backupOf(house.database.url));
});
afterAll(() => house.close());

const withEmpty = async (work: (database: TestDatabase) => Promise<void>): Promise<void> => {
  const database = await createTestDatabase({ maximum: 1 });
  try {
    await work(database);
  } finally {
    await database.drop();
  }
};

const restore = (url: string, bytes = backup): Promise<RestoreSummary> =>
  restoreBackup({ url }, Readable.from([bytes]));

/** Everything there is, but for what a restore is meant to change. */
const contents = async (sql: postgres.Sql): Promise<Readonly<Record<string, unknown>>> => {
  const tables = await sql<{ name: string }[]>`
    select schemaname || '.' || tablename as name from pg_tables where schemaname in ('public', 'sign_in')
      and tablename not in ('feed', 'schema_migrations', 'installation') order by 1`;
  const changed = ['tx_id', 'generation', 'hold_on', 'hold_since', 'hold_by', 'hold_reason'];
  // An order's versions go on a million higher: what stands below that is as it was.
  const versionOf = (name: string): string =>
    name === 'public.orders' ? ` || jsonb_build_object('version', version % 1000000)` : '';
  const read = tables.map(async ({ name }) => {
    const rows = await sql.unsafe<{ row: string }[]>(
      `select ((to_jsonb(t) - array['${changed.join(`','`)}'])${versionOf(name)})::text as row from ${name} t order by 1`,
    );
    return [name, rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
};

const becauseOf = async (work: Promise<unknown>): Promise<string> => {
  const refusal = await work.then(
    () => 'not refused',
    (error: unknown) => error,
  );
  return refusal instanceof BackupRefusal ? refusal.because : String(refusal);
};

describe('a backup', () => {
  // Red when: a session, a link that resets a password or the key behind our cookies is in the file.
  it('signs nobody in who reads it', async () => {
    const secret = 'a-token-of-a-session';
    const [user] = await house.database.admin<{ id: string }[]>`
      insert into sign_in.user (id, name, email) values ('u-backup', 'Ann', 'ann@example.com') returning id`;
    await house.database.admin`insert into sign_in.session (id, token, "userId", "expiresAt")
      values ('s-backup', ${secret}, ${user?.id ?? ''}, now())`;
    const { bytes } = await backupOf(house.database.url);
    const text = gunzipSync(bytes).toString('utf8');
    const [key] = await house.database.admin<{ hex: string }[]>`
      select encode(cursor_key, 'hex') as hex from installation`;
    expect(key?.hex).toMatch(/^[0-9a-f]{64}$/);
    expect([text.includes(secret), text.includes(key?.hex ?? '')]).toEqual([false, false]);
    expect(text).toContain('ann@example.com');
    await withEmpty(async ({ url, admin, connection }) => {
      await connection.close();
      await admin.end();
      await restore(url, bytes);
      const sql = postgres(url, { max: 1, onnotice: () => undefined });
      const [now] = await sql<{ hex: string }[]>`select encode(cursor_key, 'hex') as hex from installation`;
      expect(now?.hex).toMatch(/^[0-9a-f]{64}$/);
      expect(now?.hex).not.toBe(key?.hex);
      await sql.end();
    });
    await house.database.admin`delete from sign_in.session`;
    await house.database.admin`delete from sign_in.user where id = 'u-backup'`;
  });

  // Red when: a table, a column or a character of a row is left out, or a trigger makes a row a second time.
  it('put back into an empty database holds every row of every table again', async () => {
    await withEmpty(async ({ url, admin, connection }) => {
      await connection.close();
      await admin.end();
      const read = await restore(url);
      expect(read).toEqual({ ...taken, unfinished: { approved: 1 } });
      const again = postgres(url, { max: 2, onnotice: () => undefined });
      expect(await contents(again)).toEqual(await contents(house.database.admin));
      const rows = Object.values(await contents(again)).flat();
      expect(rows.length).toBeGreaterThan(10);
      await again.end();
    });
  });

  // Red when: clients and senders go on as if nothing had been lost.
  it('begins a new generation of history, on hold, and what is written goes on after what was put back', async () => {
    await withEmpty(async ({ url, admin }) => {
      await admin.end();
      await restore(url);
      const again = await createEngineHouseOver(url);
      const [row] = await again.sql<{ generation: string; hold_on: boolean; hold_reason: string }[]>`
        select generation, hold_on, hold_reason from organisations`;
      const [before] = await house.database.admin<
        { generation: string }[]
      >`select generation from organisations`;
      expect(row).toMatchObject({ hold_on: true });
      expect(row?.hold_reason).toContain(taken.takenAt);
      expect(row?.generation).not.toBe(before?.generation);
      // The chains hold, and the next identity is free.
      const faults: unknown[] = [];
      await verifyAudit(again.inOrganisation, house.organisationId, (fault) => faults.push(fault));
      expect(faults).toEqual([]);
      await again.sql`insert into feed (org_id, generation, subject, subject_id, version)
        values (${house.organisationId}, ${row?.generation ?? ''}, 'order', 'x', 1)`;
      await again.close();
    });
  });

  // Red when: a backup that lacks its end is taken for the whole, or leaves half of itself behind.
  it('that was cut off, damaged, or is something else is refused, and nothing of it stays', async () => {
    const plain = gunzipSync(backup);
    const lastLine = plain.lastIndexOf(10, plain.length - 2) + 1;
    const without = (from: number): Buffer => gzipSync(plain.subarray(0, from));
    const cases: readonly (readonly [string, Buffer, string])[] = [
      ['cut in the packed bytes', backup.subarray(0, backup.length - 20), 'cut-off'],
      ['without its last line', without(lastLine), 'cut-off'],
      ['cut in a row', without(Math.floor(plain.length / 2)), 'cut-off'],
      ['empty', Buffer.alloc(0), 'cut-off'],
      ['no gzip', Buffer.from('operation,amount\n'), 'not-a-backup'],
      ['another text', gzipSync('{"format":"other"}\n'), 'not-a-backup'],
      [
        'a table of its own making',
        gzipSync(
          Buffer.concat([
            plain.subarray(0, plain.indexOf(10) + 1),
            Buffer.from('{"schema":"pg_catalog\\"","table":"x","columns":[]}\n'),
          ]),
        ),
        'not-a-backup',
      ],
    ];
    await withEmpty(async ({ url, admin, connection }) => {
      await connection.close();
      await admin.end();
      for (const [what, bytes, because] of cases) {
        expect(await becauseOf(restore(url, bytes)), what).toBe(because);
      }
      const sql = postgres(url, { max: 1, onnotice: () => undefined });
      const [row] =
        await sql`select count(*)::int as n, (select count(*)::int from orders) as orders from organisations`;
      expect(row).toEqual({ n: 1, orders: 0 });
      await sql.end();
    });
  });

  // Red when: what somebody works with is written over.
  it('is not put over what is there, nor under somebody who is connected', async () => {
    expect(await becauseOf(restore(house.database.url))).toBe('not-empty');
    await withEmpty(async ({ url, admin }) => {
      await admin`select 1`;
      expect(await becauseOf(restore(url))).toBe('in-use');
    });
  });

  // Red when: what another program keeps in the same database goes with our schema.
  it('of an older program is refused where somebody else’s tables stand beside ours', async () => {
    const old = await createTestDatabase({ template: null, maximum: 1 });
    await migrate({ url: old.url, through: 9 });
    const { bytes } = await backupOf(old.url);
    await old.drop();
    await withEmpty(async ({ url, admin, connection }) => {
      await admin`create table of_somebody_else (id integer)`;
      await connection.close();
      await admin.end();
      expect(await becauseOf(restore(url, bytes))).toBe('not-empty');
      const sql = postgres(url, { max: 1, onnotice: () => undefined });
      expect(await sql`select * from of_somebody_else`).toEqual([]);
      await sql.end();
    });
  });

  // Red when: a backup of last year cannot be read any more, or stays at last year's schema.
  it('of an older program is put back as it was, and then brought up to this one', async () => {
    const old = await createTestDatabase({ template: null, maximum: 1 });
    await migrate({ url: old.url, through: 9 });
    const { summary, bytes } = await backupOf(old.url);
    expect(summary.schemaVersion).toBe(9);
    await old.drop();
    await withEmpty(async ({ url, admin, connection }) => {
      await connection.close();
      await admin.end();
      expect((await restore(url, bytes)).schemaVersion).toBe(taken.schemaVersion);
    });
  });
});

const createEngineHouseOver = async (url: string) => {
  const connection = connect({ url, maximum: 2 });
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  return {
    sql,
    inOrganisation: createRuntime(connection).inOrganisation,
    close: async () => {
      await connection.close();
      await sql.end();
    },
  };
};

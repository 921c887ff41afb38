import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import { sql } from 'drizzle-orm';
import { defaultPolicy } from '@holdfast/operation';
import { openDriver, type ConnectOptions, type Database } from './connection.ts';

type Migration = {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  readonly hash: string;
};

export type MigrationReport = {
  readonly applied: readonly string[];
  readonly schemaVersion: number;
  /** The cluster is not the one this database was in: a new generation of history began, on hold. */
  readonly historyRestored: boolean;
};

/** Why the database cannot be used. `because` is for programs, `message` for people, with the remedy. */
export class SchemaRefusal extends Error {
  readonly because: 'newer-than-program' | 'changed-migration' | 'server-too-old' | 'not-migrated';
  constructor(because: SchemaRefusal['because'], message: string) {
    super(message);
    this.name = 'SchemaRefusal';
    this.because = because;
  }
}

const folder = new URL('./migrations/', import.meta.url);

export const knownMigrations = async (): Promise<readonly Migration[]> => {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return {
        number: Number(name.slice(0, 4)),
        name,
        text,
        hash: createHash('sha256').update(text).digest('hex'),
      };
    }),
  );
};

const checkServer = async (db: Database): Promise<void> => {
  const [row] = await db.execute<{ number: string }>(
    sql`select current_setting('server_version_num') as number`,
  );
  if (Number(row?.number) < 150_000)
    throw new SchemaRefusal(
      'server-too-old',
      'PostgreSQL 15 or newer is needed; upgrade the database server.',
    );
};

const judgeRecorded = (
  recorded: readonly { number: number; hash: string; name: string }[],
  known: readonly Migration[],
): void => {
  for (const row of recorded) {
    const migration = known.find((one) => one.number === row.number);
    if (migration === undefined)
      throw new SchemaRefusal(
        'newer-than-program',
        `The database's schema (${row.name}) is newer than this program. Start a newer version of Holdfast.`,
      );
    if (migration.hash !== row.hash)
      throw new SchemaRefusal(
        'changed-migration',
        `Migration ${row.name} was applied with other contents. Use the version of Holdfast that made this database.`,
      );
  }
};

const recordedMigrations = async (
  db: Database,
): Promise<{ number: number; hash: string; name: string }[]> => [
  ...(await db.execute<{ number: number; hash: string; name: string }>(
    sql`select number, hash, name from schema_migrations order by number`,
  )),
];

/**
 * Applies what is missing, forward only, each migration in its own transaction, one process at a time.
 * @param options `through`: the last migration to apply, for a database as an older program made it
 * @throws SchemaRefusal when the database is newer than this program, or was made by other migrations
 */
export const migrate = async (
  options: ConnectOptions & { readonly through?: number },
): Promise<MigrationReport> => {
  const known = await knownMigrations();
  const wanted = known.filter(({ number }) => number <= (options.through ?? number));
  const driver = openDriver({ ...options, maximum: 1 }, null);
  const db: Database = drizzle(driver);
  try {
    await checkServer(db);
    await db.execute(sql`select pg_advisory_lock(hashtextextended('holdfast migrations', 0))`);
    await db.execute(sql`create table if not exists schema_migrations (number integer primary key, name text not null,
      hash text not null, applied_at timestamptz not null default now())`);
    const recorded = await recordedMigrations(db);
    judgeRecorded(recorded, known);
    const missing = wanted.filter((one) => !recorded.some((row) => row.number === one.number));
    for (const migration of missing) {
      await driver.begin(async (transaction) => {
        await transaction.unsafe(migration.text);
        await transaction`insert into schema_migrations (number, name, hash)
          values (${migration.number}, ${migration.name}, ${migration.hash})`;
      });
    }
    await db.execute(sql`grant select on schema_migrations to holdfast_server`);
    await prepareInstallation(db);
    return {
      applied: missing.map((one) => one.name),
      schemaVersion: wanted.at(-1)?.number ?? 0,
      historyRestored: await recogniseRestore(db),
    };
  } finally {
    await driver.end({ timeout: 5 });
  }
};

/** The one row about this database, and the organisation that exists from the first start. */
const prepareInstallation = async (db: Database): Promise<void> => {
  await db.transaction(async (tx) => {
    const organisationId = randomUUID();
    const made = await tx.execute(sql`
      insert into installation (cursor_key, default_org_id, system_identifier, timeline)
      select decode(${randomBytes(32).toString('hex')}, 'hex'), ${organisationId}, i.system_identifier, i.timeline
      from history_identity() i on conflict (id) do nothing returning id`);
    if (made.length === 0) return;
    await tx.execute(sql`set local role holdfast_server`);
    await tx.execute(sql`select set_config('holdfast.organisation_id', ${organisationId}, true)`);
    await tx.execute(sql`insert into organisations (org_id, name, generation, policy)
      values (${organisationId}, 'Default organisation', ${randomUUID()}, ${JSON.stringify(defaultPolicy)}::jsonb)`);
  });
};

/**
 * A dump or a snapshot brought up in another cluster, or a cluster put back in time, has other identities than were
 * recorded: what clients and the provider know may be ahead of it, so history starts anew and nothing is sent.
 */
const recogniseRestore = (db: Database): Promise<boolean> =>
  db.transaction(async (tx) => {
    const moved = await tx.execute(sql`
      update installation set system_identifier = now_is.system_identifier, timeline = now_is.timeline
      from history_identity() now_is
      where (installation.system_identifier, installation.timeline)
        is distinct from (now_is.system_identifier, now_is.timeline)
      returning 1`);
    if (moved.length === 0) return false;
    await tx.execute(
      sql`select begin_new_generation(${randomUUID()}, 'The database was restored from another time or place.')`,
    );
    return true;
  });

/**
 * Whether this program may use the database as it is: nothing is applied.
 * @throws SchemaRefusal
 */
export const checkSchema = async (db: Database): Promise<void> => {
  const known = await knownMigrations();
  const recorded = await recordedMigrations(db);
  judgeRecorded(recorded, known);
  if (recorded.length < known.length)
    throw new SchemaRefusal(
      'not-migrated',
      'The database is older than this program. Run `holdfast migrate`.',
    );
};

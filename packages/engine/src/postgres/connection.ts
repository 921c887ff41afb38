import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';

/** Everything on a connection goes through drizzle, whose serialisers replace the driver's own. */
export type Database = PostgresJsDatabase<Record<string, never>>;

export type ConnectOptions = {
  readonly url: string;
  /** Connections in the pool. */
  readonly maximum?: number;
  /** False behind a transaction pooler that keeps no prepared statements. */
  readonly prepare?: boolean;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** So that a database that is overloaded or hangs answers with an error, and soon. Without it: no limits. */
  readonly timeLimits?: { readonly connectMs: number; readonly lockMs: number; readonly statementMs: number };
};

/** A pool that works under `holdfast_server`: it owns nothing and cannot bypass row-level security. */
export type Connection = {
  readonly db: Database;
  /** The driver beneath, for LISTEN and NOTIFY. Never pass JSON through it. */
  readonly driver: postgres.Sql;
  readonly url: string;
  readonly close: () => Promise<void>;
};

export const serverRole = 'holdfast_server';
export const signInRole = 'holdfast_sign_in';

/** Hosts may be sockets: `postgres://user@localhost/db?host=/path/to/folder`, as libpq reads it. */
export const openDriver = (options: ConnectOptions, role: string | null): postgres.Sql => {
  const url = new URL(options.url);
  const socketFolder = url.searchParams.get('host');
  url.searchParams.delete('host');
  const limits = options.timeLimits;
  return postgres(url.href, {
    max: options.maximum ?? 10,
    prepare: options.prepare ?? true,
    onnotice: () => undefined,
    ...(limits === undefined ? {} : { connect_timeout: Math.ceil(limits.connectMs / 1_000) }),
    ...(socketFolder?.startsWith('/') ? { host: socketFolder } : {}),
    connection: {
      application_name: options.applicationName ?? 'holdfast',
      ...(limits === undefined ? {} : { lock_timeout: limits.lockMs, statement_timeout: limits.statementMs }),
      ...(role === null ? {} : { role }),
    },
  });
};

/** Opens the pool. Run `migrate` first: the role it enters is made by the migrations. */
export const connect = (options: ConnectOptions): Connection => {
  const driver = openDriver(options, serverRole);
  return {
    db: drizzle(driver),
    driver,
    url: options.url,
    close: async () => {
      await driver.end({ timeout: 5 });
    },
  };
};

/** One organisation's transaction. `now` is the database's clock at its start, in whole milliseconds. */
export type OrganisationTransaction = {
  readonly db: Database;
  readonly organisationId: string;
  readonly now: Date;
  /** Said by whoever puts rows into the feed: readers are woken once this has committed. */
  readonly wroteFeed: () => void;
};

/** The database's clock, unless a test or a simulation brings its own. */
export type ReadClock = (databaseNow: Date) => Date;

export type InOrganisation = <Result>(
  organisationId: string,
  work: (tx: OrganisationTransaction) => Promise<Result>,
) => Promise<Result>;

export type TransactionOptions = {
  readonly readClock?: ReadClock;
  /** Called after a commit that put rows into the organisation's feed. */
  readonly onFeedWritten?: (organisationId: string) => void;
};

/**
 * Runs `work` in one transaction that sees and touches one organisation's rows alone. Throws what `work` throws,
 * after rolling back. Read committed: guards are in the WHERE of each write.
 */
export const organisationTransactions =
  (connection: Connection, options: TransactionOptions = {}): InOrganisation =>
  async (organisationId, work) => {
    let feedWritten = false;
    const result = await connection.db.transaction(async (db) => {
      const rows = await db.execute<{ now_ms: string }>(
        sql`select set_config('holdfast.organisation_id', ${organisationId}, true),
              floor(extract(epoch from clock_timestamp()) * 1000)::text as now_ms`,
      );
      const databaseNow = new Date(Number(rows[0]?.now_ms));
      const now = options.readClock?.(databaseNow) ?? databaseNow;
      return work({
        db,
        organisationId,
        now,
        wroteFeed: () => {
          feedWritten = true;
        },
      });
    });
    if (feedWritten) options.onFeedWritten?.(organisationId);
    return result;
  };

import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';

/** Everything on a connection goes through drizzle, whose serialisers replace the driver's own. */
export type Database = PostgresJsDatabase<Record<string, never>>;

/** Milliseconds. */
export type TimeLimits = {
  readonly connectMs: number;
  /** Waiting for one lock. */
  readonly lockMs: number;
  /** One statement, with the locks that it waits for. */
  readonly statementMs: number;
};

const startParameters = ({ timeLimits }: ConnectOptions) =>
  timeLimits === undefined
    ? {}
    : { lock_timeout: timeLimits.lockMs, statement_timeout: timeLimits.statementMs };

export type ConnectOptions = {
  readonly url: string;
  /** Connections in the pool. */
  readonly maximum?: number;
  /** False behind a transaction pooler that keeps no prepared statements. */
  readonly prepare?: boolean;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** How long anything waits before it gives up, so that a database that hangs shows as one that is away. */
  readonly timeLimits?: TimeLimits;
  /** After this long a transaction is taken to belong to a process that its machine has frozen. */
  readonly longestTransactionMs?: number;
};

/**
 * No transaction here waits for anything but the database, so one that lasts this long is given up by it: its locks
 * would keep everyone else from their operations, and its snapshot would hold the feed back.
 */
const usualLongestTransactionMs = 30_000;
/** A machine that is gone says nothing: the database asks for it after this many seconds, instead of after hours. */
const keepAlive = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

/** A pool that works under `holdfast_server`: it owns nothing and cannot bypass row-level security. */
export type Connection = {
  readonly db: Database;
  /** The driver beneath, for LISTEN and NOTIFY. Never pass JSON through it. */
  readonly driver: postgres.Sql;
  readonly url: string;
  readonly longestTransactionMs: number;
  readonly close: () => Promise<void>;
};

export const serverRole = 'holdfast_server';
export const signInRole = 'holdfast_sign_in';

/** Hosts may be sockets: `postgres://user@localhost/db?host=/path/to/folder`, as libpq reads it. */
export const openDriver = (options: ConnectOptions, role: string | null): postgres.Sql => {
  const url = new URL(options.url);
  const socketFolder = url.searchParams.get('host');
  url.searchParams.delete('host');
  return postgres(url.href, {
    max: options.maximum ?? 10,
    prepare: options.prepare ?? true,
    onnotice: () => undefined,
    ...(options.timeLimits === undefined ? {} : { connect_timeout: options.timeLimits.connectMs / 1_000 }),
    ...(socketFolder?.startsWith('/') ? { host: socketFolder } : {}),
    connection: {
      application_name: options.applicationName ?? 'holdfast',
      ...keepAlive,
      ...startParameters(options),
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
    longestTransactionMs: options.longestTransactionMs ?? usualLongestTransactionMs,
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

/** PostgreSQL has it from 17 on and alone covers a process frozen within a statement; before, a name without effect. */
const transactionTimeout = sql`case when current_setting('transaction_timeout', true) is null
  then 'holdfast.transaction_timeout' else 'transaction_timeout' end`;

/**
 * Runs `work` in one transaction that sees and touches one organisation's rows alone. Throws what `work` throws,
 * after rolling back. Read committed: guards are in the WHERE of each write.
 */
export const organisationTransactions =
  (connection: Connection, options: TransactionOptions = {}): InOrganisation =>
  async (organisationId, work) => {
    let feedWritten = false;
    const longestMs = String(connection.longestTransactionMs);
    const result = await connection.db.transaction(async (db) => {
      const rows = await db.execute<{ now_ms: string }>(
        sql`select set_config('holdfast.organisation_id', ${organisationId}, true),
              set_config('idle_in_transaction_session_timeout', ${longestMs}, true),
              set_config(${transactionTimeout}, ${longestMs}, true),
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

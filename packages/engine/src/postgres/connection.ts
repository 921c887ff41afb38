import postgres from 'postgres';
import { beginWork, type OrganisationTransaction } from './organisation-transaction.ts';
import { isConnectionGone } from './database-trouble.ts';
import { databaseOver, type Database } from './prepared-session.ts';

export type { OrganisationTransaction } from './organisation-transaction.ts';
export type { Database } from './prepared-session.ts';

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
export const connect = (options: ConnectOptions): Connection =>
  connectionOver(openDriver(options, serverRole), options);

/** The connection over a driver that is open already. */
export const connectionOver = (
  driver: postgres.Sql,
  { url, longestTransactionMs }: Pick<ConnectOptions, 'url' | 'longestTransactionMs'>,
): Connection => ({
  db: databaseOver(driver),
  driver,
  url,
  longestTransactionMs: longestTransactionMs ?? usualLongestTransactionMs,
  close: async () => {
    await driver.end({ timeout: 5 });
  },
});

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

// PostgreSQL has the second time limit from 17 on and it alone covers a process frozen within a statement; before, it is
// a name without effect.
const beginText = `select set_config('holdfast.organisation_id', $1, true),
  set_config('idle_in_transaction_session_timeout', $2, true),
  set_config(case when current_setting('transaction_timeout', true) is null
    then 'holdfast.transaction_timeout' else 'transaction_timeout' end, $2, true),
  floor(extract(epoch from clock_timestamp()) * 1000)::text as now_ms`;

/** Names the organisation and sets the limits. @returns the database's clock */
const begin = async (
  client: postgres.TransactionSql,
  { organisationId, longestMs }: { readonly organisationId: string; readonly longestMs: string },
): Promise<Date> => {
  const [row] = await client.unsafe<{ now_ms: string }[]>(beginText, [organisationId, longestMs], {
    prepare: true,
  });
  return new Date(Number(row?.now_ms));
};

type Carried<Result> = { readonly result: Result; readonly feedWritten: boolean };

/** @param onStarted called once the work itself begins */
const carryOut = async <Result>(
  connection: Connection,
  { readClock }: TransactionOptions,
  organisationId: string,
  work: (tx: OrganisationTransaction) => Promise<Result>,
  onStarted: () => void,
): Promise<Carried<Result>> => {
  let feedWritten = false;
  const longestMs = String(connection.longestTransactionMs);
  let over = false;
  const beginning = connection.driver.begin(async (client) => {
    // The driver would send a commit or a rollback over a connection that is gone, and the process would end by that.
    // Left without an answer, it says that the connection was closed.
    const withoutAnswer = () => new Promise<never>(() => undefined);
    try {
      const begun = await begin(client, { organisationId, longestMs });
      const { tx, finish } = beginWork(client, {
        organisationId,
        now: readClock?.(begun) ?? begun,
        wroteFeed: () => {
          feedWritten = true;
        },
        isOver: () => over,
      });
      onStarted();
      const result = await finish(() => work(tx));
      // A value in a box: the driver takes a bare list for queries of its own.
      return over ? await withoutAnswer() : { result };
    } catch (trouble) {
      if (over || isConnectionGone(trouble)) return await withoutAnswer();
      throw trouble;
    }
  });
  beginning.catch(() => {
    over = true;
  });
  const { result } = await beginning;
  return { result, feedWritten };
};

/**
 * Runs `work` in one transaction that sees and touches one organisation's rows alone. Throws what `work` throws,
 * after rolling back. Read committed: guards are in the WHERE of each write.
 */
export const organisationTransactions =
  (connection: Connection, options: TransactionOptions = {}): InOrganisation =>
  async (organisationId, work) => {
    let started = false;
    const once = () =>
      carryOut(connection, options, organisationId, work, () => {
        started = true;
      });
    const { result, feedWritten } = await once().catch((trouble: unknown) => {
      // The pool had a connection that was closed long since, or tells the end of its last one; nothing was begun.
      if (started || !isConnectionGone(trouble)) throw trouble;
      return once();
    });
    if (feedWritten) options.onFeedWritten?.(organisationId);
    return result;
  };

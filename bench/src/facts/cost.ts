import postgres from 'postgres';
import type { House } from '../house/house.ts';
import { processorSeconds, processorSecondsOfFamily } from './processor-time.ts';

/** What some work cost. Seconds are of processor time; `null` where this system does not tell. */
export type Cost = {
  readonly serverSeconds: number | null;
  readonly databaseSeconds: number | null;
  readonly providerSeconds: number | null;
  readonly clientSeconds: number;
  readonly walBytes: number;
  /** Commit records in the WAL: transactions that wrote, each of which waits for the disk. */
  readonly writingCommits: number;
};

const difference = (before: number | null, after: number | null): number | null =>
  before === null || after === null ? null : after - before;

const clientSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const processorTimes = (house: House) => ({
  server: processorSeconds(house.server.pid),
  database: processorSecondsOfFamily(house.cluster.pid),
  provider: processorSeconds(house.provider.pid),
  client: clientSeconds(),
});

const place = async (sql: postgres.Sql): Promise<string> => {
  const [row] = await sql<{ lsn: string }[]>`select pg_current_wal_flush_lsn()::text as lsn`;
  if (row === undefined) throw new Error('the database does not say where its WAL is');
  return row.lsn;
};

const walBetween = async (
  sql: postgres.Sql,
  from: string,
  to: string,
): Promise<Pick<Cost, 'walBytes' | 'writingCommits'>> => {
  const [size] = await sql<{ bytes: string }[]>`select pg_wal_lsn_diff(${to}, ${from})::text as bytes`;
  const walBytes = Number(size?.bytes ?? 0);
  if (walBytes === 0) return { walBytes, writingCommits: 0 };
  const [records] = await sql<{ commits: string | null }[]>`
    select sum(count)::text as commits from pg_get_wal_stats(${from}, ${to}, true)
    where "resource_manager/record_type" = 'Transaction/COMMIT'`;
  return { walBytes, writingCommits: Number(records?.commits ?? 0) };
};

export const measureCost = async <Result>(
  house: House,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly cost: Cost }> => {
  const sql = postgres(house.cluster.urlOf('postgres'), { max: 1, onnotice: () => undefined });
  try {
    const from = await place(sql);
    const before = processorTimes(house);
    const result = await work();
    const after = processorTimes(house);
    const to = await place(sql);
    return {
      result,
      cost: {
        serverSeconds: difference(before.server, after.server),
        databaseSeconds: difference(before.database, after.database),
        providerSeconds: difference(before.provider, after.provider),
        clientSeconds: after.client - before.client,
        ...(await walBetween(sql, from, to)),
      },
    };
  } finally {
    await sql.end({ timeout: 5 });
  }
};

/** How long an idle session may keep its counts to itself before PostgreSQL shows them. */
export const statisticsLagMs = 11_000;

/** Transactions that ended well in a database, those that only read included. Late by up to `statisticsLagMs`. */
export const transactionsOf = async (house: House): Promise<number> => {
  const [row] = await house.sql<{ count: string }[]>`
    select xact_commit::text as count from pg_stat_database where datname = current_database()`;
  return Number(row?.count ?? 0);
};

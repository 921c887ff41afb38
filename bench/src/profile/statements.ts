import type postgres from 'postgres';

/** One kind of statement, of all operations of a run together. */
export type Statement = {
  readonly text: string;
  readonly calls: number;
  /** Milliseconds inside the database, all calls together. */
  readonly totalMs: number;
};

/** For PostgreSQL's start, so that it counts statements. */
export const countingStatements = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.max=2000',
];

export const forgetStatements = async (sql: postgres.Sql): Promise<void> => {
  await sql`create extension if not exists pg_stat_statements`;
  await sql`select pg_stat_statements_reset()`;
};

/** What the product's database was asked since, the dearest first. */
export const readStatements = async (sql: postgres.Sql): Promise<readonly Statement[]> => {
  const rows = await sql<{ text: string; calls: string; total_ms: number }[]>`
    select query as text, calls::text as calls, total_exec_time as total_ms
    from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database())
      and query not like '%pg_stat_statements%'
    order by total_exec_time desc`;
  return rows.map((row) => ({
    text: row.text.replace(/\s+/g, ' ').replaceAll('"', ''),
    calls: Number(row.calls),
    totalMs: row.total_ms,
  }));
};

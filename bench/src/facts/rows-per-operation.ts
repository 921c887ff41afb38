import postgres from 'postgres';
import type { House } from '../house/house.ts';

const tables = [
  ...['operations', 'approvals', 'commands', 'attempts', 'observations', 'audit', 'feed', 'mirror_refunds'],
  ...['provider_events', 'counted'],
] as const;

type Rows = Readonly<Record<string, number>>;

/** How many rows of each table an operation left behind, in everything done so far. */
export const rowsOf = async (sql: postgres.Sql): Promise<Rows> => {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await sql<{ count: string }[]>`select count(*)::text as count from ${sql(table)}`;
    counts[table] = Number(row?.count ?? 0);
  }
  const operations = counts['operations'] ?? 0;
  return Object.fromEntries(tables.map((table) => [table, (counts[table] ?? 0) / operations]));
};

export const bareRows = async (house: House): Promise<Rows> => {
  const sql = postgres(house.bareUrl, { max: 1, onnotice: () => undefined });
  try {
    return await rowsOf(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
};

/** That both did the same work shows here: the product's rows an operation, and the bare SQL's where they differ. */
export const rowsText = (product: Rows, bare: Rows): string =>
  tables
    .map((table) => {
      const [ours, theirs] = [product[table] ?? 0, bare[table] ?? 0].map((count) => count.toFixed(2));
      return ours === theirs ? `${table} ${ours ?? ''}` : `${table} ${ours ?? ''} (bare SQL ${theirs ?? ''})`;
    })
    .join(', ')
    .concat(', an operation');

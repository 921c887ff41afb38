import { sql } from 'drizzle-orm';
import type { OrganisationTransaction } from './connection.ts';
import { sweeps } from './schema.ts';

/** The end of the last sweep that was carried out whole: one that gave up could have found nothing. `null`: none. */
export const lastSweepEnd = async (tx: OrganisationTransaction, begunFrom?: Date): Promise<Date | null> => {
  const from = (begunFrom ?? new Date(0)).toISOString();
  const [row] = await tx.db.execute<{ ended_ms: string | null }>(sql`
    select floor(extract(epoch from max(${sweeps.endedAt})) * 1000)::text as ended_ms from ${sweeps}
    where ${sweeps.organisationId} = ${tx.organisationId} and ${sweeps.state} = 'done'
      and ${sweeps.startedAt} >= ${from}::timestamptz`);
  return row?.ended_ms == null ? null : new Date(Number(row.ended_ms));
};

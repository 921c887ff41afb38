import { sql } from 'drizzle-orm';
import type { OrganisationTransaction } from './connection.ts';
import { mirrorPositions, organisations, sweeps } from './schema.ts';

/** The end of the last sweep that was carried out whole: one that gave up could have found nothing. `null`: none. */
export const lastSweepEnd = async (tx: OrganisationTransaction, begunFrom?: Date): Promise<Date | null> => {
  const from = (begunFrom ?? new Date(0)).toISOString();
  const [row] = await tx.db.execute<{ ended_ms: string | null }>(sql`
    select floor(extract(epoch from max(${sweeps.endedAt})) * 1000)::text as ended_ms from ${sweeps}
    where ${sweeps.organisationId} = ${tx.organisationId} and ${sweeps.state} = 'done'
      and ${sweeps.startedAt} >= ${from}::timestamptz`);
  return row?.ended_ms == null ? null : new Date(Number(row.ended_ms));
};

/** For how long nothing was compared whole; 0 while no account of the organisation was looked at. */
export const secondsSinceSweep = async (tx: OrganisationTransaction): Promise<number> => {
  const ended = await lastSweepEnd(tx);
  const [row] = await tx.db.execute<{ began_ms: string | null }>(sql`
    select floor(extract(epoch from ${organisations.createdAt}) * 1000)::text as began_ms from ${organisations}
    where ${organisations.organisationId} = ${tx.organisationId} and exists (select from ${mirrorPositions}
      where ${mirrorPositions.organisationId} = ${tx.organisationId})`);
  if (row?.began_ms == null) return 0;
  return Math.max(0, (tx.now.getTime() - (ended?.getTime() ?? Number(row.began_ms))) / 1_000);
};

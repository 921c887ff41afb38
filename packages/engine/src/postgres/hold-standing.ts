import { sql } from 'drizzle-orm';
import type { HoldStanding } from '@holdfast/operation';
import type { OrganisationTransaction } from './connection.ts';
import { lastSweepEnd } from './last-sweep.ts';
import { readHold } from './organisation-store.ts';
import { actors, counted, members, operations } from './schema.ts';

/** By whom a new generation of history puts every organisation on hold. */
const restoredBy = 'system';

const nameOf = async (tx: OrganisationTransaction, id: string): Promise<string | null> => {
  const [row] = await tx.db.execute<{ name: string }>(sql`
    select ${members.name} as name from ${members}
      where ${members.organisationId} = ${tx.organisationId} and ${members.userId} = ${id}
    union all
    select ${actors.name} as name from ${actors}
      where ${actors.organisationId} = ${tx.organisationId} and ${actors.actorId} = ${id}
    limit 1`);
  return row?.name ?? null;
};

const nothingWaits: HoldStanding['waits'] = { approved: 0, toLookUp: 0, lookedUp: 0, needsPerson: 0 };

const readWaits = async (tx: OrganisationTransaction, since: Date): Promise<HoldStanding['waits']> => {
  const from = sql`${since.toISOString()}::timestamptz`;
  const [row] = await tx.db.execute<Record<keyof HoldStanding['waits'], string>>(sql`
    select count(*) filter (where ${operations.state} = 'approved')::text as "approved",
      count(*) filter (where ${operations.state} <> 'approved'
        and (${operations.lastCheckAt} is null or ${operations.lastCheckAt} < ${from}))::text as "toLookUp",
      (count(*) filter (where ${operations.state} <> 'approved' and ${operations.lastCheckAt} >= ${from})
        + (select count(*) from ${counted} where ${counted.organisationId} = ${tx.organisationId}
            and ${counted.name} = 'reconciliation_seconds' and ${counted.at} >= ${from}))::text as "lookedUp",
      count(*) filter (where ${operations.attention} <> '[]')::text as "needsPerson"
    from ${operations} where ${operations.organisationId} = ${tx.organisationId}
      and ${operations.state} in ('approved', 'submitting', 'outcome_unknown')`);
  return row === undefined
    ? nothingWaits
    : {
        approved: Number(row.approved),
        toLookUp: Number(row.toLookUp),
        lookedUp: Number(row.lookedUp),
        needsPerson: Number(row.needsPerson),
      };
};

/** The hold for people: who, why, since when, and what waits for it. */
export const readHoldStanding = async (tx: OrganisationTransaction): Promise<HoldStanding> => {
  const hold = await readHold(tx);
  if (!hold.on || hold.since === null) {
    return {
      ...{ on: hold.on, since: hold.since, by: null, reason: hold.reason },
      ...{ afterRestore: false, waits: nothingWaits, sweptAt: null },
    };
  }
  const { by } = hold;
  return {
    ...{ on: true, since: hold.since, reason: hold.reason },
    by: by === null ? null : { id: by, name: await nameOf(tx, by) },
    afterRestore: by === restoredBy,
    waits: await readWaits(tx, new Date(hold.since)),
    sweptAt: (await lastSweepEnd(tx, new Date(hold.since)))?.toISOString() ?? null,
  };
};

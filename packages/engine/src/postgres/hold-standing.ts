import { sql } from 'drizzle-orm';
import { restoreGaps, whatKeepsHold, type HoldLift, type HoldStanding } from '@holdfast/operation';
import type { HoldLifted } from '../engine-interface.ts';
import type { OrganisationTransaction } from './connection.ts';
import { lastSweepEnd } from './last-sweep.ts';
import { readHold, setHold } from './organisation-store.ts';
import { standsBeforePerson } from './stands-before-person.ts';
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
      -- Of whatever state: what ended and is contradicted stands before a person as well.
      (select count(*) from ${operations} where ${operations.organisationId} = ${tx.organisationId}
        and ${standsBeforePerson})::text as "needsPerson"
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

/** The organisation's row, so that no other hold comes in between. */
const lockHold = (tx: OrganisationTransaction): Promise<unknown> =>
  tx.ask('select from organisations where org_id = $1 for no key update', [tx.organisationId]);

const liftedNote = async (tx: OrganisationTransaction): Promise<string | null> => {
  const [row] = await tx.ask<{ note: string | null }>(
    'select hold_reason as note from organisations where org_id = $1 and not hold_on',
    [tx.organisationId],
  );
  return row?.note ?? null;
};

/** The hold for people: who, why, since when, and what waits for it. */
export const readHoldStanding = async (tx: OrganisationTransaction): Promise<HoldStanding> => {
  const hold = await readHold(tx);
  if (!hold.on || hold.since === null) {
    return {
      ...{ on: hold.on, since: hold.since, by: null, reason: hold.reason },
      ...{ afterRestore: false, waits: nothingWaits, sweptAt: null, liftedNote: await liftedNote(tx) },
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

/** Lets submitting go on where a person has answered for it. The figures it is judged by are those it ends over. */
export const liftHold = async (
  tx: OrganisationTransaction,
  by: string,
  lift: HoldLift,
): Promise<HoldLifted> => {
  await lockHold(tx);
  const before = await readHoldStanding(tx);
  const missing = whatKeepsHold(before, lift);
  if (missing !== null) return { missing, standing: before };
  const gaps = restoreGaps(before);
  const told = before.afterRestore ? { afterRestore: 'steps-done', unanswered: gaps } : {};
  await setHold(tx, false, by, gaps.length > 0 ? (lift.note?.trim() ?? null) : null, told);
  return { missing: null, standing: await readHoldStanding(tx) };
};

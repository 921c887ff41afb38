import { and, asc, eq, inArray, lte, sql } from 'drizzle-orm';
import type { DueEvent, DueOperation, DueOrganisation } from '../worker/due-work.ts';
import type { Database, OrganisationTransaction } from './connection.ts';
import { operations, organisations, providerEvents } from './schema.ts';

/** Organisations in which something has its wake-up time, found by a plain grouped question without a lock. */
export const dueOrganisations = async (db: Database, now: Date): Promise<readonly DueOrganisation[]> => {
  const rows = await db.execute<{ org_id: string; due: string; next_wake_ms: string | null }>(
    sql`select org_id, due::text, floor(extract(epoch from next_wake_at) * 1000)::text as next_wake_ms
        from organisations_with_due_work(${now.toISOString()}::timestamptz)`,
  );
  return rows.map((row) => ({
    organisationId: row.org_id,
    due: Number(row.due),
    nextWakeAtMs: row.next_wake_ms === null ? null : Number(row.next_wake_ms),
  }));
};

/**
 * Takes operations whose time has come: their wake-up moves to the end of this worker's turn, so that others pass them
 * by, and so that they are found again should this worker vanish. What waits for the end of a hold is left
 * alone, unless there is evidence about it: that is settled on hold too.
 */
export const takeDueOperations = async (
  tx: OrganisationTransaction,
  limit: number,
  turnMs: number,
): Promise<readonly DueOperation[]> => {
  const due = tx.db
    .select({ id: operations.id })
    .from(operations)
    .innerJoin(organisations, eq(organisations.organisationId, operations.organisationId))
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        lte(operations.wakeAt, tx.now),
        sql`not (${operations.state} = 'approved' and ${operations.waitingFor} is not distinct from 'hold'
          and ${organisations.holdOn} and ${operations.expiresAt} > ${tx.now.toISOString()}::timestamptz
          and not exists (select from observations seen
            where seen.org_id = ${operations.organisationId} and seen.operation_id = ${operations.id}))`,
      ),
    )
    .orderBy(asc(operations.wakeAt))
    .limit(limit)
    .for('update', { of: operations, skipLocked: true });
  const taken = await tx.db
    .update(operations)
    .set({ wakeAt: new Date(tx.now.getTime() + turnMs) })
    .where(and(eq(operations.organisationId, tx.organisationId), inArray(operations.id, due)))
    .returning({
      operationId: operations.id,
      state: operations.state,
      provider: operations.provider,
      paymentReference: operations.paymentReference,
      // In `returning` columns are written without their table, so the outer row's are named in full here.
      hasEvidence: sql<boolean>`exists (select from observations seen
        where seen.org_id = operations.org_id and seen.operation_id = operations.id)`,
    });
  return taken.map((row) => ({
    kind: 'operation',
    lane: `${tx.organisationId} ${row.provider ?? ''} ${row.paymentReference ?? row.operationId}`,
    organisationId: tx.organisationId,
    operationId: row.operationId,
    state: row.state,
    hasEvidence: row.hasEvidence,
  }));
};

/** The same for stored events that are not applied yet. */
export const takeDueEvents = async (
  tx: OrganisationTransaction,
  limit: number,
  turnMs: number,
): Promise<readonly DueEvent[]> => {
  const due = tx.db
    .select({ id: providerEvents.eventId })
    .from(providerEvents)
    .where(and(eq(providerEvents.organisationId, tx.organisationId), lte(providerEvents.wakeAt, tx.now)))
    .orderBy(asc(providerEvents.wakeAt))
    .limit(limit)
    .for('update', { skipLocked: true });
  const taken = await tx.db
    .update(providerEvents)
    .set({ wakeAt: new Date(tx.now.getTime() + turnMs) })
    .where(and(eq(providerEvents.organisationId, tx.organisationId), inArray(providerEvents.eventId, due)))
    .returning();
  return taken.map((row) => ({
    kind: 'event',
    lane: `event ${tx.organisationId} ${row.provider} ${row.paymentReference ?? row.eventId}`,
    stored: { organisationId: tx.organisationId, event: row.event, failures: row.applyFailures },
  }));
};

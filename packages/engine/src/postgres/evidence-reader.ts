import { and, asc, eq } from 'drizzle-orm';
import type { AttemptFact, Observation } from '@holdfast/operation';
import type { OrganisationTransaction } from './connection.ts';
import { attempts, observations, type ObservationRow } from './schema.ts';

export type Evidence = {
  readonly attempts: readonly AttemptFact[];
  readonly observations: readonly Observation[];
};

/** A stored observation as settling reads it. The store keeps what was given, so the parts fit their source. */
export const observationOf = (row: ObservationRow): Observation =>
  ({
    id: row.id,
    atMs: row.observedAt.getTime(),
    source: row.source,
    finding: row.finding,
    ...(row.source === 'response' ? { attemptNumber: row.attemptNumber, replayed: row.replayed } : {}),
    ...(row.source === 'webhook' ? { eventId: row.eventId } : {}),
  }) as Observation;

/** Everything that is known of an operation's outcome, or only how its requests ended. */
export const readEvidence = async (
  tx: OrganisationTransaction,
  operationId: string,
  which: 'all' | 'responses',
): Promise<Evidence> => {
  const attemptRows = await tx.db
    .select({ number: attempts.number, endedAt: attempts.endedAt })
    .from(attempts)
    .where(and(eq(attempts.organisationId, tx.organisationId), eq(attempts.operationId, operationId)))
    .orderBy(asc(attempts.number));
  const observationRows = await tx.db
    .select()
    .from(observations)
    .where(
      and(
        eq(observations.organisationId, tx.organisationId),
        eq(observations.operationId, operationId),
        which === 'responses' ? eq(observations.source, 'response') : undefined,
      ),
    )
    .orderBy(asc(observations.observedAt), asc(observations.id));
  return {
    attempts: attemptRows.map(({ number, endedAt }) => ({ number, ended: endedAt !== null })),
    observations: observationRows.map(observationOf),
  };
};

import type { AttemptFact, Observation } from '@holdfast/operation';
import type { OrganisationTransaction } from './connection.ts';
import { codecOf } from './row-codec.ts';
import { attempts, observations, type AttemptRow, type ObservationRow } from './schema.ts';

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

const attemptCodec = codecOf(attempts);
const observationCodec = codecOf(observations);

export const readAttempts = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<readonly AttemptRow[]> =>
  tx.memory.attemptsOf.get(operationId) ??
  (await tx.rows(attemptCodec, 'where t.org_id = $1 and t.operation_id = $2 order by t.number', [
    tx.organisationId,
    operationId,
  ]));

const readObservations = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<readonly ObservationRow[]> =>
  tx.memory.observationsOf.get(operationId) ??
  (await tx.rows(
    observationCodec,
    'where t.org_id = $1 and t.operation_id = $2 order by t.observed_at, t.id',
    [tx.organisationId, operationId],
  ));

/** Everything that is known of an operation's outcome, or only how its requests ended. */
export const readEvidence = async (
  tx: OrganisationTransaction,
  operationId: string,
  which: 'all' | 'responses',
): Promise<Evidence> => {
  const [attemptRows, observationRows] = await Promise.all([
    readAttempts(tx, operationId),
    readObservations(tx, operationId),
  ]);
  return {
    attempts: attemptRows.map(({ number, endedAt }) => ({ number, ended: endedAt !== null })),
    observations: observationRows
      .filter(({ source }) => which === 'all' || source === 'response')
      .map(observationOf),
  };
};

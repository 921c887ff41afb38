import { and, asc, eq, sql } from 'drizzle-orm';
import type { AttentionReason, LookUpFinding, Observation } from '@holdfast/operation';
import type { AccessRules } from '../intake/access.ts';
import type { UnknownOperation } from '../reconcile/check-unknown.ts';
import type { KnownOperation, KnownVerdict } from '../reconcile/look-at-known.ts';
import type { UnknownVerdict } from '../reconcile/unknown-verdict.ts';
import { changeWake, isWantedAgain } from './attempt-store.ts';
import { changeOperation, lockOperation } from './change-operation.ts';
import { isWhole, type WholeOperation } from './claim-store-facts.ts';
import type { OrganisationTransaction } from './connection.ts';
import { observationOf } from './evidence-reader.ts';
import { adjustNobodyCanApprove } from './nobody-can-approve.ts';
import { addObservation } from './observation-store.ts';
import { attempts, observations, operations, organisations, payments, type OperationRow } from './schema.ts';

const read = async (tx: OrganisationTransaction, operationId: string): Promise<OperationRow | undefined> => {
  const [row] = await tx.db
    .select()
    .from(operations)
    .where(and(eq(operations.organisationId, tx.organisationId), eq(operations.id, operationId)));
  return row;
};

const isEmpty = (seen: Observation): boolean =>
  seen.source === 'look-up' && (seen.finding.kind === 'absent-yet' || seen.finding.kind === 'absent-final');

const isUnresolved = (state: OperationRow['state']): boolean =>
  state === 'submitting' || state === 'outcome_unknown';

/** Everything that decides what to do next about an unknown outcome; `null` where it is not unknown (any more). */
export const readUnknown = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<UnknownOperation | null> => {
  const row = await read(tx, operationId);
  if (row?.state !== 'outcome_unknown' || !isWhole(row)) return null;
  const ofOperation = <Table extends typeof attempts | typeof observations>(table: Table) =>
    and(eq(table.organisationId, tx.organisationId), eq(table.operationId, operationId));
  const attemptRows = await tx.db
    .select()
    .from(attempts)
    .where(ofOperation(attempts))
    .orderBy(asc(attempts.number));
  const observationRows = await tx.db
    .select()
    .from(observations)
    .where(ofOperation(observations))
    .orderBy(asc(observations.observedAt), asc(observations.id));
  const { onHold, capturedMinor, others } = await readSurroundings(tx, row);
  const seen = observationRows.map(observationOf);
  const lastSentAtMs = attemptRows.at(-1)?.startedAt.getTime() ?? 0;
  return {
    organisationId: tx.organisationId,
    operationId,
    paymentReference: row.paymentReference,
    capturedMinor,
    amount: { minor: row.amountMinor, currency: row.currency },
    sentFromMs: attemptRows[0]?.startedAt.getTime() ?? row.createdAt.getTime(),
    unresolvedEqual: others
      .filter(({ state, amountMinor }) => isUnresolved(state) && amountMinor === row.amountMinor)
      .map(({ id }) => id),
    heldReferences: others.flatMap(({ id, reference }) =>
      id === operationId || reference === null ? [] : [reference],
    ),
    facts: { ...factsOfRow(row, tx.now), onHold, ...factsSeen(seen, lastSentAtMs) },
    attempts: attemptRows.map(({ endedAt }) => ({ endedAtMs: endedAt?.getTime() ?? null })),
    emptyReadsAtMs: seen.filter(isEmpty).map(({ atMs }) => atMs),
    sawServerError: attemptRows.some(({ status }) => status !== null && status >= 500),
  };
};

/** What stands around an operation: the hold, its payment, and the payment's operations. */
const readSurroundings = async (tx: OrganisationTransaction, row: WholeOperation) => {
  const [organisation] = await tx.db
    .select({ holdOn: organisations.holdOn })
    .from(organisations)
    .where(eq(organisations.organisationId, tx.organisationId));
  const [payment] = await tx.db
    .select({ captured: payments.captured })
    .from(payments)
    .where(
      and(
        eq(payments.organisationId, tx.organisationId),
        eq(payments.provider, row.provider),
        eq(payments.paymentReference, row.paymentReference),
      ),
    );
  const others = await tx.db
    .select({
      id: operations.id,
      state: operations.state,
      amountMinor: operations.amountMinor,
      reference: operations.providerReference,
    })
    .from(operations)
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.provider, row.provider),
        eq(operations.paymentReference, row.paymentReference),
      ),
    );
  return { onHold: organisation?.holdOn === true, capturedMinor: payment?.captured ?? 0, others };
};

const factsOfRow = (row: WholeOperation, now: Date) => ({
  nowMs: now.getTime(),
  unknownSinceMs: row.unknownSince?.getTime() ?? now.getTime(),
  attention: row.attention.map(({ reason }) => reason),
  onlyLook: (row.checkAskedAt?.getTime() ?? 0) > (row.lastCheckAt?.getTime() ?? 0),
  replayDeadlineMs: row.replayDeadline?.getTime() ?? null,
  checksSinceSend: row.checkCount,
  requestsMade: row.attemptCount,
});

const factsSeen = (seen: readonly Observation[], lastSentAtMs: number) => {
  const lookUps = seen.filter(({ source, atMs }) => source === 'look-up' && atMs >= lastSentAtMs);
  return {
    emptyReadsInARow: lookUps.length - (lookUps.findLastIndex((one) => !isEmpty(one)) + 1),
    // A refusal that the key keeps is as final an answer to sending it again as a failure that it keeps.
    savedFailureReplayed: seen.some(
      (one) =>
        one.source === 'response' &&
        one.replayed &&
        (one.finding.kind === 'unknown' || one.finding.kind === 'rejected'),
    ),
    notBeforeMs: lastDeferral(seen),
  };
};

/** Until when the provider asked us to stay away, by the newest answer it gave. */
const lastDeferral = (seen: readonly Observation[]): number | null => {
  const last = seen.findLast((one) => one.source === 'response');
  if (last?.source !== 'response' || last.finding.kind !== 'deferred') return null;
  return last.finding.retryAfterMs === null ? null : last.atMs + last.finding.retryAfterMs;
};

/** Keeps what a look-up showed and counts the check. What it shows is settled by the caller. */
export const recordLookUp = async (
  tx: OrganisationTransaction,
  operationId: string,
  finding: LookUpFinding | null,
): Promise<void> => {
  if (finding !== null) await addObservation(tx, { operationId, source: 'look-up', finding });
  await tx.db
    .update(operations)
    .set({ lastCheckAt: tx.now, checkCount: sql`${operations.checkCount} + 1` })
    .where(and(eq(operations.organisationId, tx.organisationId), eq(operations.id, operationId)));
};

export const applyVerdict = async (
  tx: OrganisationTransaction,
  operationId: string,
  verdict: Exclude<UnknownVerdict, { kind: 'resubmit' }>,
): Promise<void> => {
  const row = await lockOperation(tx, operationId);
  if (row?.state !== 'outcome_unknown') return;
  const wakeAt = new Date(verdict.untilMs);
  if (verdict.kind === 'wait') {
    await changeWake(tx, operationId, wakeAt);
    await showNextCheck(tx, operationId, wakeAt);
    return;
  }
  await changeOperation(tx, {
    operationId,
    expectedVersion: row.version,
    event: { type: 'need-person', raises: [verdict.reason] },
    bookkeeping: { wakeAt, nextCheckAt: wakeAt },
    by: { actorId: null },
  });
};

/** Raises and clears reasons why a person is needed; what stands or is gone already changes nothing. */
export const adjustAttention = async (
  tx: OrganisationTransaction,
  operationId: string,
  adjustment: { readonly raises: readonly AttentionReason[]; readonly clears: readonly AttentionReason[] },
): Promise<void> => {
  const row = await lockOperation(tx, operationId);
  if (row === undefined) return;
  await changeOperation(tx, {
    operationId,
    expectedVersion: row.version,
    event: { type: adjustment.raises.length > 0 ? 'need-person' : 'attention-settled', ...adjustment },
    by: { actorId: null },
  });
};

const showNextCheck = async (
  tx: OrganisationTransaction,
  operationId: string,
  at: Date | null,
): Promise<void> => {
  await tx.db
    .update(operations)
    .set({ nextCheckAt: at })
    .where(and(eq(operations.organisationId, tx.organisationId), eq(operations.id, operationId)));
};

/** Something pending or settled that can be looked at again; `null` where there is nothing to look at. */
export const readKnown = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<KnownOperation | null> => {
  const row = await read(tx, operationId);
  if (row === undefined || row.paymentReference === null) return null;
  if (row.state !== 'pending' && row.state !== 'confirmed' && row.state !== 'failed') return null;
  const since = row.state === 'pending' ? row.pendingSince : row.settledAt;
  return {
    nowMs: tx.now.getTime(),
    state: row.state,
    attention: row.attention.map(({ reason }) => reason),
    paymentReference: row.paymentReference,
    reference: row.providerReference,
    sinceMs: since?.getTime() ?? row.updatedAt.getTime(),
  };
};

export const applyKnown = async (
  tx: OrganisationTransaction,
  operationId: string,
  verdict: KnownVerdict,
): Promise<void> => {
  const row = await lockOperation(tx, operationId);
  if (row === undefined || (row.state !== 'pending' && row.state !== 'confirmed' && row.state !== 'failed'))
    return;
  const decided = verdict.wakeAtMs === null ? null : new Date(verdict.wakeAtMs);
  // What arrived since is not settled yet, and this verdict knows nothing of it.
  const wakeAt = (await isWantedAgain(tx, row)) ? row.wakeAt : decided;
  await changeOperation(tx, {
    operationId,
    expectedVersion: row.version,
    event: {
      type: verdict.raises.length > 0 ? 'need-person' : 'attention-settled',
      raises: verdict.raises,
      clears: verdict.clears,
    },
    bookkeeping: { wakeAt, nextCheckAt: wakeAt, lastCheckAt: tx.now },
    by: { actorId: null },
  });
};

/**
 * Ends a proposal whose time is over; until then it is said whether anybody can approve it. What was decided of it
 * since a worker took it brought its own wake-up, which is left alone.
 * @returns false where nothing ended
 */
export const expire = async (
  tx: OrganisationTransaction,
  operationId: string,
  rules: AccessRules,
): Promise<boolean> => {
  const row = await lockOperation(tx, operationId);
  if (row?.state !== 'proposed') return false;
  if (row.expiresAt === null || row.expiresAt > tx.now) {
    await adjustNobodyCanApprove(tx, row, rules);
    return false;
  }
  const answer = await changeOperation(tx, {
    operationId,
    expectedVersion: row.version,
    event: { type: 'expire' },
    by: { actorId: null },
  });
  // It may have been sent after all: then only evidence ends it, and it is looked at again.
  if (answer.kind !== 'moved') await changeWake(tx, operationId, new Date(tx.now.getTime() + 60_000));
  return answer.kind === 'moved';
};

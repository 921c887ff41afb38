import { randomUUID } from 'node:crypto';
import {
  settle,
  settlementEventType,
  type AttentionReason,
  type Observation,
  type OperationState,
  type Settlement,
  type SettlementSubject,
} from '@holdfast/operation';
import { cautiousTerms, isSettled, visiblePart, wakeAfterSettlingMs } from '../observe/after-settling.ts';
import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';
import { changeOperation, lockOperation, writeBookkeeping, type OperationPatch } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { count } from './counted-store.ts';
import { readEvidence } from './evidence-reader.ts';
import type { ObservationRow, OperationRow } from './schema.ts';

export type NewObservation = {
  readonly operationId: string;
  readonly source: Observation['source'];
  readonly finding: Observation['finding'];
  readonly attemptNumber?: number;
  readonly eventId?: string;
  readonly replayed?: boolean;
  readonly fence?: number;
};

/**
 * Keeps one piece of evidence and wakes its operation, so that it is settled whatever becomes of this process.
 * @returns false where the very same event was observed before
 */
export const addObservation = async (
  tx: OrganisationTransaction,
  added: NewObservation,
): Promise<boolean> => {
  const before = await evidenceBefore(tx, added);
  if (before.sameEvent) return false;
  const row: ObservationRow = {
    organisationId: tx.organisationId,
    operationId: added.operationId,
    id: randomUUID(),
    observedAt: tx.now,
    source: added.source,
    finding: added.finding,
    attemptNumber: added.attemptNumber ?? null,
    eventId: added.eventId ?? null,
    replayed: added.replayed ?? false,
    actorId: null,
    fence: added.fence ?? null,
  };
  const current = await lockOperation(tx, added.operationId);
  if (current === undefined) throw new Error(`operation ${added.operationId} of evidence does not exist`);
  tx.unsent.observations.push(row);
  const known = tx.memory.observationsOf.get(added.operationId);
  if (known !== undefined) tx.memory.observationsOf.set(added.operationId, [...known, row]);
  // What people cleared, they cleared for what was known then.
  writeBookkeeping(tx, current, { wakeAt: tx.now, ...(before.isNews ? { clearedAttention: [] } : {}) });
  return true;
};

/**
 * `sameEvent`: the very same event was observed before. `isNews`: it shows a refund, or a status of one, that nothing
 * has shown of this operation before.
 */
const evidenceBefore = async (
  tx: OrganisationTransaction,
  { operationId, source, finding, eventId }: NewObservation,
): Promise<{ readonly sameEvent: boolean; readonly isNews: boolean }> => {
  const record = source === 'operator' || !('record' in finding) ? null : finding.record;
  const known = tx.memory.observationsOf.get(operationId);
  if (known !== undefined) {
    const shows = ({ finding: seen }: ObservationRow): boolean =>
      'record' in seen &&
      seen.record !== null &&
      seen.record.reference === record?.reference &&
      seen.record.status === record.status;
    return {
      sameEvent: eventId !== undefined && known.some((row) => row.eventId === eventId),
      isNews: record !== null && !known.some(shows),
    };
  }
  const [before] = await tx.ask<{ same_event: boolean; shown: boolean }>(
    `select exists (select from observations o
        where o.org_id = $1 and o.operation_id = $2 and o.event_id = $3) as same_event,
      exists (select from observations o where o.org_id = $1 and o.operation_id = $2
        and o.finding -> 'record' ->> 'reference' = $4 and o.finding -> 'record' ->> 'status' = $5) as shown`,
    [tx.organisationId, operationId, eventId ?? null, record?.reference ?? null, record?.status ?? null],
  );
  return { sameEvent: before?.same_event === true, isNews: record !== null && before?.shown !== true };
};

/** What an operation is compared with. A cancellation remembered for an unknown ID has nothing to compare. */
const subjectOf = (row: OperationRow, seen: readonly Observation[]): SettlementSubject | undefined => {
  const identity = { organisationId: row.organisationId, operationId: row.id };
  if (row.amountMinor !== null && row.currency !== null && row.paymentReference !== null) {
    const amount = { minor: row.amountMinor, currency: row.currency };
    return { ...identity, amount, paymentReference: row.paymentReference };
  }
  for (const observation of seen) {
    if (observation.source === 'operator' || !('record' in observation.finding)) continue;
    const { amount, paymentReference } = observation.finding.record;
    return { ...identity, amount, paymentReference };
  }
  return undefined;
};

/** By what kind of evidence an unknown outcome was settled: the newest that carries the provider's record, else the newest. */
const howSettled = (seen: readonly Observation[]): string =>
  (seen.findLast((one) => one.source !== 'operator' && 'record' in one.finding) ?? seen.at(-1))?.source ??
  'unsaid';

/** Why the provider did nothing for now, by its newest answer; `null` where that is not how it stands. */
const deferralOf = (
  settlement: Settlement,
  seen: readonly Observation[],
): 'rate-limited' | 'key-refused' | 'locked' | null => {
  if (settlement.kind !== 'unsent') return null;
  const last = seen.findLast((one) => one.source === 'response');
  return last?.source === 'response' && last.finding.kind === 'deferred' ? last.finding.because : null;
};

/**
 * Whether the settlement is what the operation's record shall say of its outcome: evidence that only raises attention
 * on something already settled, or on something that ended before it was sent, does not replace what is on record.
 */
const describes = (settlement: Settlement, state: OperationState): boolean => {
  switch (state) {
    case 'submitting':
    case 'pending':
    case 'outcome_unknown':
      return true;
    case 'proposed':
    case 'approved':
    case 'denied':
    case 'cancelled':
    case 'expired':
      return settlement.kind === 'pending' || settlement.kind === 'confirmed';
    case 'confirmed':
    case 'failed':
    case 'reversed':
      return settlement.kind === 'confirmed' || settlement.kind === 'reversed' || settlement.kind === state;
  }
};

const patchOf = (row: OperationRow, settlement: Settlement): OperationPatch => {
  if (!describes(settlement, row.state)) return {};
  const record = 'record' in settlement ? settlement.record : null;
  return {
    settlement,
    ...(record === null ? {} : { providerReference: record.reference, providerStatus: record.statusText }),
    ...(settlement.kind === 'confirmed' ? { bookedMinor: settlement.booked.minor } : {}),
    ...(settlement.kind === 'failed' && settlement.cause.kind === 'provider-failed'
      ? { providerReference: settlement.cause.reference }
      : {}),
    deferredUntil:
      settlement.kind === 'unsent' && settlement.deferredUntilMs !== null
        ? new Date(settlement.deferredUntilMs)
        : null,
    ...(settlement.kind === 'unknown' && row.state !== 'outcome_unknown' ? { checkCount: 0 } : {}),
  };
};

/**
 * Brings one operation to what all its evidence says. Idempotent, and whoever brings the evidence: a late answer of
 * a worker that lost its claim counts like any other.
 * @returns the row as it is now; `undefined` where there is no such operation
 */
export const settleOperation = async (
  tx: OrganisationTransaction,
  operationId: string,
  account: ProviderAccount | undefined,
  settings: WorkerSettings,
): Promise<OperationRow | undefined> => {
  const row = await lockOperation(tx, operationId);
  if (row === undefined) return undefined;
  const evidence = await readEvidence(tx, operationId, 'all');
  const subject = subjectOf(row, evidence.observations);
  if (subject === undefined) return row;
  const terms = account?.adapter.contract ?? cautiousTerms;
  const settlement = settle(subject, evidence.attempts, evidence.observations, terms);
  const type = settlementEventType(settlement);
  if (type === undefined) return row;
  const deferral = deferralOf(settlement, evidence.observations);
  const raises: AttentionReason[] = [
    ...settlement.attention,
    // A refusal of our key is no fault of the operation, but somebody has to put the key right.
    ...(deferral === 'key-refused' ? ['provider-refuses-us' as const] : []),
  ];
  const wakeAtMs = wakeAfterSettlingMs(settlement, {
    nowMs: tx.now.getTime(),
    checkBackoffMs: settings.checkBackoffMs,
    attemptCount: row.attemptCount,
    lateFailureWindowMs: terms.lateFailureWindowMs,
  });
  const wakeAt = wakeAtMs === null ? null : new Date(wakeAtMs);
  // One object that is locked says nothing about the account; the other two do, and people read so from now on.
  const accountWaits = deferral !== null && deferral !== 'locked';
  const patch = { ...patchOf(row, settlement), ...(accountWaits ? { waitingFor: 'provider' as const } : {}) };
  // What does not go on record shows by the attention it raises, once; compared with the record it would be news for ever.
  const visible = describes(settlement, row.state) && visiblePart(row.settlement) !== visiblePart(settlement);
  const answer = await changeOperation(tx, {
    operationId,
    expectedVersion: row.version,
    event: { type, raises, visible },
    patch: { ...patch, ...(movesBy(row, settlement) ? { wakeAt, nextCheckAt: wakeAt } : {}) },
    by: { actorId: null },
    data: { evidence: evidence.observations.length },
    settledHow: howSettled(evidence.observations),
  });
  if (answer.kind === 'conflict') throw new Error(`operation ${operationId} changed under its own lock`);
  if (answer.kind === 'moved') countDuplicates(tx, answer.before, answer.row);
  // Evidence that changed nothing has woken it; what is settled goes back to being looked at slowly.
  if (answer.kind !== 'moved' && isSettled(answer.row.state)) {
    return writeBookkeeping(tx, answer.row, { wakeAt, nextCheckAt: wakeAt });
  }
  return answer.row;
};

/** Whether applying the settlement changes the state, so that the operation needs another wake-up than it has. */
const movesBy = (row: OperationRow, settlement: Settlement): boolean =>
  !(settlement.kind === 'unknown' && row.state === 'outcome_unknown') &&
  !(settlement.kind === 'pending' && row.state === 'pending');

const countDuplicates = (tx: OrganisationTransaction, before: OperationRow, after: OperationRow): void => {
  const has = (row: OperationRow): boolean =>
    row.attention.some(({ reason }) => reason === 'duplicate-action');
  if (has(after) && !has(before)) count(tx, 'duplicate_actions', after.id);
};

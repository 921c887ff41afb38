import {
  anyAttemptAmbiguous,
  next,
  type AttentionReason,
  type OperationEventType,
  type ProblemSlug,
  type TransitionAnswer,
} from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';
import type { AuditType } from '../query/timeline.ts';
import { announce } from './announce.ts';
import { appendAudit, type AuditAuthor } from './audit-store.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readEvidence } from './evidence-reader.ts';
import { writeFeed } from './feed-writer.ts';
import { reopenReplaced } from './follow-up.ts';
import { applyConsequences, bookMoney } from './operation-consequences.ts';
import { columnsOfMove } from './operation-move.ts';
import { readPolicy } from './operation-reader.ts';
import { codecOf } from './row-codec.ts';
import { operations, payments, type OperationRow, type PaymentRow } from './schema.ts';
import { paymentKey } from './working-memory.ts';

/** Columns that only this module, or the acceptance of the proposal, may set. */
type Guarded =
  | ('organisationId' | 'id' | 'kind' | 'state' | 'version' | 'generation' | 'attention' | 'clearedAttention')
  | (
      | 'proposedBy'
      | 'proposedVia'
      | 'proposedPerson'
      | 'proposedRole'
      | 'proposedPolicyVersion'
      | 'proposedByAssistant'
      | 'createdAt'
      | 'updatedAt'
      | 'reason'
      | 'note'
      | 'replaces'
      | 'fingerprint'
      | 'atProposal'
    )
  | (
      | 'orderId'
      | 'paymentReference'
      | 'provider'
      | 'customerId'
      | 'amountMinor'
      | 'currency'
      | 'lines'
      | 'returnId'
    )
  | 'differentFrom';
export type OperationPatch = Partial<Omit<OperationRow, Guarded>>;

/** Columns about waking and leases: writing them is no change that a person could see. */
export type OperationBookkeeping = Pick<
  OperationPatch,
  | 'wakeAt'
  | 'lastCheckAt'
  | 'nextCheckAt'
  | 'checkCount'
  | 'checkAskedAt'
  | 'leaseUntil'
  | 'claimedBy'
  | 'deferredUntil'
>;

export type OperationChange = {
  readonly operationId: string;
  /** The version that the decision was made on. */
  readonly expectedVersion: number;
  /** For workers: write only while this is still the operation's fence. */
  readonly fence?: number;
  readonly event: {
    readonly type: OperationEventType;
    readonly raises?: readonly AttentionReason[];
    readonly clears?: readonly AttentionReason[];
    readonly visible?: boolean;
  };
  /** Written together with a move. */
  readonly patch?: OperationPatch;
  /** Written whether the event moved anything or was ignored. */
  readonly bookkeeping?: OperationBookkeeping;
  readonly by: AuditAuthor;
  /** The audit's word for it, where it is not the event's. */
  readonly auditType?: AuditType;
  readonly data?: AuditData;
  /** By what an unknown outcome was settled, for the metrics: "response", "webhook", "look-up", "listing", "operator". */
  readonly settledHow?: string;
};

export type ChangeAnswer =
  | { readonly kind: 'moved'; readonly before: OperationRow; readonly row: OperationRow }
  | { readonly kind: 'ignored'; readonly because: string; readonly row: OperationRow }
  | {
      readonly kind: 'refused';
      readonly problem: ProblemSlug;
      readonly because: string;
      readonly row: OperationRow;
      /** With `exceeds-refundable`: what was left, in minor units. */
      readonly refundableMinor?: number;
    }
  /** The row is not what the decision was made on (or its claim is another's, or it does not exist): nothing was written. */
  | { readonly kind: 'conflict'; readonly row: OperationRow | undefined };

/**
 * The one function that changes an operation. Row, payment figures, audit entry and feed rows are written in the
 * caller's transaction, or nothing is. Locks the payment first, then the operation, like everything here.
 */
export const changeOperation = async (
  tx: OrganisationTransaction,
  change: OperationChange,
): Promise<ChangeAnswer> => {
  const current = await lockOperation(tx, change.operationId);
  if (
    current === undefined ||
    current.version !== change.expectedVersion ||
    (change.fence !== undefined && current.fence !== change.fence)
  ) {
    return { kind: 'conflict', row: current };
  }
  const answer = await decide(tx, current, change);
  switch (answer.answer) {
    case 'refused':
      return { kind: 'refused', problem: answer.problem, because: answer.because, row: current };
    case 'ignored':
      return { kind: 'ignored', because: answer.because, row: keepBooks(tx, current, change) };
    case 'moved':
      return move(tx, current, change, answer);
  }
};

const operationCodec = codecOf(operations);
const paymentCodec = codecOf(payments);

/** The operation's row under lock, its payment's row locked before it. Locked once a transaction, it is known from then on. */
export const lockOperation = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<OperationRow | undefined> => {
  const known = tx.memory.operations.get(operationId);
  if (known !== undefined && known !== null && tx.memory.locked.has(operationId)) return known;
  const [found] = await tx.ask<{ provider: string | null; payment_reference: string | null }>(
    'select provider, payment_reference from operations where org_id = $1 and id = $2',
    [tx.organisationId, operationId],
  );
  if (found === undefined) return undefined;
  if (found.provider !== null && found.payment_reference !== null) {
    await lockPayment(tx, found.provider, found.payment_reference);
  }
  const [row] = await tx.rows(operationCodec, 'where t.org_id = $1 and t.id = $2 for update', [
    tx.organisationId,
    operationId,
  ]);
  if (row === undefined) return undefined;
  tx.memory.operations.set(operationId, row);
  tx.memory.locked.add(operationId);
  return row;
};

export const lockPayment = async (
  tx: OrganisationTransaction,
  provider: string,
  paymentReference: string,
): Promise<PaymentRow | undefined> => {
  const key = paymentKey(provider, paymentReference);
  const known = tx.memory.payments.get(key);
  if (known !== undefined && known !== null) return known;
  const [row] = await tx.rows(
    paymentCodec,
    'where t.org_id = $1 and t.provider = $2 and t.payment_reference = $3 for no key update',
    [tx.organisationId, provider, paymentReference],
  );
  if (row !== undefined) tx.memory.payments.set(key, row);
  return row;
};

const decide = async (
  tx: OrganisationTransaction,
  current: OperationRow,
  change: OperationChange,
): Promise<TransitionAnswer> => {
  const evidence =
    current.attemptCount === 0
      ? { attempts: [], observations: [] }
      : await readEvidence(tx, current.id, 'responses');
  return next(
    {
      state: current.state,
      attention: current.attention,
      clearedAttention: current.clearedAttention,
      anyAttemptAmbiguous: anyAttemptAmbiguous(evidence.attempts, evidence.observations),
    },
    { ...change.event, at: tx.now.toISOString() },
  );
};

const keepBooks = (
  tx: OrganisationTransaction,
  current: OperationRow,
  change: OperationChange,
): OperationRow => (change.bookkeeping === undefined ? current : write(tx, current, change.bookkeeping));

const move = async (
  tx: OrganisationTransaction,
  current: OperationRow,
  change: OperationChange,
  answer: Extract<TransitionAnswer, { answer: 'moved' }>,
): Promise<ChangeAnswer> => {
  const columns = columnsOfMove(current, change, answer, tx.now);
  const after: OperationRow = { ...current, ...columns };
  // Only people's approval takes a reservation under a limit; a fact from outside is never refused.
  const booked = await bookMoney(tx, current, after, change.event.type === 'approve');
  if (!booked.ok) {
    return {
      kind: 'refused',
      problem: 'exceeds-refundable',
      because: 'Less is left of the payment than this would take.',
      row: current,
      refundableMinor: booked.refundableMinor,
    };
  }
  const row = write(tx, current, columns);
  await appendAudit(tx, {
    operationId: row.id,
    type: change.auditType ?? change.event.type,
    state: row.state,
    version: row.version,
    by: change.by,
    data: {
      ...change.data,
      ...(await underPolicy(tx, change)),
      from: current.state,
      ...attentionData(current.attention, row.attention),
    },
  });
  writeFeed(tx, [{ subject: 'operation', subjectId: row.id, version: row.version }]);
  announce(tx, current, row);
  await applyConsequences(tx, current, row, booked.changed, change);
  await reopenReplaced(tx, current, row);
  return { kind: 'moved', before: current, row };
};

/** What somebody decided names the policy that it was decided under. */
const underPolicy = async (tx: OrganisationTransaction, { by }: OperationChange): Promise<AuditData> =>
  by.commandId == null ? {} : { policyVersion: (await readPolicy(tx)).version };

const attentionData = (before: OperationRow['attention'], after: OperationRow['attention']): AuditData => {
  const reasonsBefore = before.map(({ reason }) => reason);
  const reasonsAfter = after.map(({ reason }) => reason);
  const raised = reasonsAfter.filter((reason) => !reasonsBefore.includes(reason));
  const cleared = reasonsBefore.filter((reason) => !reasonsAfter.includes(reason));
  return { ...(raised.length > 0 ? { raised } : {}), ...(cleared.length > 0 ? { cleared } : {}) };
};

/** Columns of a locked row without which nothing a person could see changes. Written with the rest of the transaction. */
export const writeBookkeeping = (
  tx: OrganisationTransaction,
  current: OperationRow,
  columns: OperationBookkeeping & Pick<Partial<OperationRow>, 'clearedAttention'>,
): OperationRow => write(tx, current, columns);

/** Takes effect in the database only while the row is what it was when it was read. */
const write = (
  tx: OrganisationTransaction,
  current: OperationRow,
  columns: Partial<OperationRow>,
): OperationRow => {
  const row = { ...current, ...columns };
  const { accepted, changed } = tx.unsent;
  if (accepted.has(row.id)) accepted.set(row.id, row);
  else {
    const { version, fence } = changed.get(row.id) ?? current;
    changed.set(row.id, { row, version, fence });
  }
  tx.memory.operations.set(row.id, row);
  tx.memory.locked.add(row.id);
  return row;
};

import { and, eq, sql } from 'drizzle-orm';
import {
  anyAttemptAmbiguous,
  next,
  type AttentionReason,
  type OperationEventType,
  type ProblemSlug,
  type TransitionAnswer,
} from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';
import { appendAudit, type AuditAuthor } from './audit-store.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readEvidence } from './evidence-reader.ts';
import { writeFeed } from './feed-writer.ts';
import { applyConsequences, bookMoney } from './operation-consequences.ts';
import { columnsOfMove } from './operation-move.ts';
import { operations, payments, type OperationRow } from './schema.ts';

/** Columns that only this module, or the acceptance of the proposal, may set. */
type Guarded =
  | ('organisationId' | 'id' | 'kind' | 'state' | 'version' | 'generation' | 'attention' | 'clearedAttention')
  | (
      | 'proposedBy'
      | 'proposedVia'
      | 'proposedPerson'
      | 'createdAt'
      | 'updatedAt'
      | 'reason'
      | 'note'
      | 'replaces'
      | 'fingerprint'
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
  readonly auditType?: string;
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
      return { kind: 'ignored', because: answer.because, row: await keepBooks(tx, current, change) };
    case 'moved':
      return move(tx, current, change, answer);
  }
};

/** The operation's row under lock, its payment's row locked before it. */
export const lockOperation = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<OperationRow | undefined> => {
  const itself = and(eq(operations.organisationId, tx.organisationId), eq(operations.id, operationId));
  const [found] = await tx.db
    .select({ provider: operations.provider, paymentReference: operations.paymentReference })
    .from(operations)
    .where(itself);
  if (found === undefined) return undefined;
  if (found.provider !== null && found.paymentReference !== null) {
    await lockPayment(tx, found.provider, found.paymentReference);
  }
  const [row] = await tx.db.select().from(operations).where(itself).for('update');
  return row;
};

export const lockPayment = async (
  tx: OrganisationTransaction,
  provider: string,
  paymentReference: string,
): Promise<typeof payments.$inferSelect | undefined> => {
  const [row] = await tx.db
    .select()
    .from(payments)
    .where(
      and(
        eq(payments.organisationId, tx.organisationId),
        eq(payments.provider, provider),
        eq(payments.paymentReference, paymentReference),
      ),
    )
    .for('no key update');
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

const keepBooks = async (
  tx: OrganisationTransaction,
  current: OperationRow,
  change: OperationChange,
): Promise<OperationRow> => {
  if (change.bookkeeping === undefined) return current;
  return write(tx, current, change.bookkeeping);
};

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
  const row = await write(tx, current, columns);
  await appendAudit(tx, {
    operationId: row.id,
    type: change.auditType ?? change.event.type,
    state: row.state,
    version: row.version,
    by: change.by,
    data: { ...change.data, from: current.state, ...attentionData(current.attention, row.attention) },
  });
  await writeFeed(tx, [{ subject: 'operation', subjectId: row.id, version: row.version }]);
  await applyConsequences(tx, current, row, booked.changed, change);
  return { kind: 'moved', before: current, row };
};

const attentionData = (before: OperationRow['attention'], after: OperationRow['attention']): AuditData => {
  const reasonsBefore = before.map(({ reason }) => reason);
  const reasonsAfter = after.map(({ reason }) => reason);
  const raised = reasonsAfter.filter((reason) => !reasonsBefore.includes(reason));
  const cleared = reasonsBefore.filter((reason) => !reasonsAfter.includes(reason));
  return { ...(raised.length > 0 ? { raised } : {}), ...(cleared.length > 0 ? { cleared } : {}) };
};

const write = async (
  tx: OrganisationTransaction,
  current: OperationRow,
  columns: Partial<OperationRow>,
): Promise<OperationRow> => {
  const [row] = await tx.db
    .update(operations)
    .set(columns)
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        eq(operations.id, current.id),
        eq(operations.version, current.version),
        sql`${operations.fence} = ${current.fence}`,
      ),
    )
    .returning();
  if (row === undefined) throw new Error(`operation ${current.id} changed under its own lock`);
  return row;
};

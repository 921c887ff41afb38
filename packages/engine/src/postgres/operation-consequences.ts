import { and, eq, isNull } from 'drizzle-orm';
import { moneyHeld, type OperationState } from '@holdfast/operation';
import { lockPayment, type OperationChange } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { count } from './counted-store.ts';
import { touchOrdersOfPayment } from './feed-writer.ts';
import { approvals, type OperationRow } from './schema.ts';
import { noteOnTicket } from './ticket-note.ts';
import { paymentKey } from './working-memory.ts';

type Held = { readonly reserved: number; readonly refunded: number };

const held = (row: OperationRow): Held => {
  const amount = row.amountMinor ?? 0;
  switch (moneyHeld[row.state]) {
    case 'nothing':
      return { reserved: 0, refunded: 0 };
    case 'reserved':
      return { reserved: amount, refunded: 0 };
    case 'refunded':
      return { reserved: 0, refunded: row.bookedMinor ?? amount };
  }
};

type Booked =
  { readonly ok: true; readonly changed: boolean } | { readonly ok: false; readonly refundableMinor: number };

/**
 * Changes the payment's figures by the difference between what the operation held and what it holds now, so a
 * release or a booking can happen only once. `limited`: taking more is possible only while enough is left.
 */
export const bookMoney = async (
  tx: OrganisationTransaction,
  before: OperationRow,
  after: OperationRow,
  limited: boolean,
): Promise<Booked> => {
  const was = held(before);
  const is = held(after);
  const reserved = is.reserved - was.reserved;
  const refunded = is.refunded - was.refunded;
  if (reserved === 0 && refunded === 0) return { ok: true, changed: false };
  if (after.provider === null || after.paymentReference === null) return { ok: true, changed: false };
  const { provider, paymentReference } = after;
  const payment = await lockPayment(tx, provider, paymentReference);
  if (payment === undefined) throw new Error(`operation ${after.id} has no payment`);
  const limits = limited && reserved > 0;
  const left = payment.captured - payment.refunded - payment.refundedElsewhere - payment.reserved;
  if (limits && left < reserved) return { ok: false, refundableMinor: Math.max(0, left) };
  const key = paymentKey(provider, paymentReference);
  const unsent = tx.unsent.figures.get(key);
  // The row is locked, so this is what the update will find; the update asks for it once more all the same.
  tx.unsent.figures.set(key, {
    provider,
    paymentReference,
    reserved: (unsent?.reserved ?? 0) + reserved,
    refunded: (unsent?.refunded ?? 0) + refunded,
    limited: limits || unsent?.limited === true,
  });
  tx.memory.payments.set(key, {
    ...payment,
    reserved: payment.reserved + reserved,
    refunded: payment.refunded + refunded,
    updatedAt: tx.now,
  });
  return { ok: true, changed: true };
};

const ends: readonly OperationState[] = ['confirmed', 'failed', 'reversed', 'denied', 'cancelled', 'expired'];

/** What else follows from a move, in the same transaction: approvals void, orders and tickets told, metrics counted. */
export const applyConsequences = async (
  tx: OrganisationTransaction,
  before: OperationRow,
  after: OperationRow,
  figuresChanged: boolean,
  change: OperationChange,
): Promise<void> => {
  const becameUnknown = after.state === 'outcome_unknown' && before.state !== 'outcome_unknown';
  if (after.provider !== null && after.paymentReference !== null && (figuresChanged || becameUnknown)) {
    touchOrdersOfPayment(tx, after.provider, after.paymentReference);
  }
  if (change.event.type === 'send-back') await voidApprovals(tx, after.id, 'sent back');
  const reachedAnEnd = ends.includes(after.state) && after.state !== before.state;
  if (reachedAnEnd) noteOnTicket(tx, after);
  if (before.state === 'outcome_unknown' && before.unknownSince !== null && reachedAnEnd) {
    const seconds = Math.max(0, (tx.now.getTime() - before.unknownSince.getTime()) / 1000);
    count(tx, 'reconciliation_seconds', after.id, change.settledHow ?? 'unsaid', seconds);
  }
  if (after.state === 'reversed' && before.state !== 'reversed') count(tx, 'late_reversals', after.id);
};

/** Approvals are of what was seen then; once it is back before the approvers none of them counts. */
export const voidApprovals = async (
  tx: OrganisationTransaction,
  operationId: string,
  because: string,
): Promise<void> => {
  await tx.db
    .update(approvals)
    .set({ voidedAt: tx.now, voidReason: because })
    .where(
      and(
        eq(approvals.organisationId, tx.organisationId),
        eq(approvals.operationId, operationId),
        isNull(approvals.voidedAt),
      ),
    );
};

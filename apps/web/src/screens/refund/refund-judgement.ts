import type { SeenOperation } from '@holdfast/outbox';
import {
  defaultPolicy,
  isUnfinished,
  judgeProposal,
  type Amount,
  type Operation,
  type Order,
  type OtherOperation,
  type RefundReason,
} from '@holdfast/operation';
import { paymentFigures, paymentOperations } from '../../model/refund-door.ts';
import type { RefundContent } from './refund-content.ts';

/** Refunds of the payment that are open or unknown, here or at Holdfast: each must be looked at before another. */
export const openOnPayment = (seen: readonly SeenOperation[], ownId: string): readonly SeenOperation[] =>
  seen.filter(({ operationId, synced, droppedHere }) => {
    if (operationId === ownId || droppedHere) return false;
    return synced === null || isUnfinished(synced.state) || synced.needsPerson;
  });

type Intent = {
  readonly operationId: string;
  readonly content: RefundContent;
  readonly amount: Amount;
  readonly reason: RefundReason;
  readonly differentFrom: readonly string[];
};

const asOther = (operation: Operation): OtherOperation => operation;

/** The rules' own judgement of this intent with what this device knows. Holdfast judges again when it arrives. */
export const judgeIntent = (
  intent: Intent,
  order: Order,
  operations: readonly Operation[],
  nowMs: number,
): ReturnType<typeof judgeProposal> => {
  const replaced = operations.find(({ id }) => id === intent.content.replaces);
  return judgeProposal(
    {
      nowMs,
      policy: defaultPolicy,
      order: { id: order.id, placedAtMs: Date.parse(order.placedAt) },
      payment: paymentFigures(order),
      returns: order.returns,
      reason: intent.reason,
      note: intent.content.note.trim() === '' ? intent.content.why : intent.content.note,
      returnId: intent.reason === 'returned' ? intent.content.returnId : null,
      amount: intent.amount,
      operationId: intent.operationId,
      paymentOperations: paymentOperations(operations),
      // What it replaces may be unknown here; then only Holdfast can judge it.
      ...(replaced === undefined ? {} : { replaces: replaced }),
    },
    {
      operationId: intent.operationId,
      organisationId: '',
      paymentReference: order.payment.reference,
      amount: intent.amount,
      returnId: intent.reason === 'returned' ? intent.content.returnId : null,
      lines: intent.content.lines,
      ticketId: intent.content.ticketId,
      differentFrom: intent.differentFrom,
    },
    operations.map(asOther),
    [],
  );
};

import type { SeenOperation } from '@holdfast/outbox';
import type { Amount, OperationState } from '@holdfast/operation';

const cameToNothing: readonly OperationState[] = ['failed', 'denied', 'cancelled', 'expired'];

/** Another refund of the same payment with the same amount: what a person should look at before they go on. */
export type SameAmount = {
  readonly operationId: string;
  readonly amount: Amount;
  /** Who proposed it and when, by the server's clock; `null` while only this device knows of it. */
  readonly proposed: { readonly by: string; readonly at: string } | null;
};

type Compared = {
  readonly operationId: string;
  readonly amount: Amount;
  readonly paymentReference: string | null;
};

/** What came to nothing is no reason to stop; the newest of the others comes first, as the list is given. */
export const sameAmountAs = (
  { operationId, amount, paymentReference }: Compared,
  ofOrder: readonly SeenOperation[],
): readonly SameAmount[] =>
  ofOrder.flatMap((seen) => {
    const { synced, proposal } = seen;
    const other = synced?.amount ?? proposal?.amount ?? null;
    const isOfPayment = synced === null || synced.paymentReference === paymentReference;
    const isOver = synced === null ? seen.droppedHere : cameToNothing.includes(synced.state);
    if (seen.operationId === operationId || other === null || !isOfPayment || isOver) return [];
    if (other.minor !== amount.minor || other.currency !== amount.currency) return [];
    const proposed = synced === null ? null : { by: synced.proposedBy.name, at: synced.createdAt };
    return [{ operationId: seen.operationId, amount: other, proposed }];
  });

import { lockPayment } from './change-operation.ts';
import { recordOf } from './claim-store-provider-side.ts';
import type { OrganisationTransaction } from './connection.ts';
import { addObservation } from './observation-store.ts';
import type { PaymentRow } from './schema.ts';
import { refundsNaming } from './seen-refunds.ts';

/**
 * Refunds that the mirror saw before their operation was known here: after a restore a device tells of an operation
 * that was carried out long ago. They become its evidence at once and wake it, so that it cannot end as if nothing
 * had happened.
 * @returns how many there are
 */
export const attachSeenRefunds = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<number> => {
  const seen = await refundsNaming(tx, operationId);
  for (const refund of seen) {
    await addObservation(tx, {
      operationId,
      source: 'listing',
      finding: { kind: 'found', record: recordOf(refund) },
    });
  }
  return seen.length;
};

/** Locks the payments, in the order in which everybody locks them, of which refunds that name this operation were seen. */
export const lockPaymentsNaming = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<readonly PaymentRow[]> => {
  const names = new Map(
    (await refundsNaming(tx, operationId)).map((refund) => [refund.paymentReference, refund.provider]),
  );
  const locked: PaymentRow[] = [];
  for (const [paymentReference, provider] of [...names].sort()) {
    const payment = await lockPayment(tx, provider, paymentReference);
    if (payment !== undefined) locked.push(payment);
  }
  return locked;
};

import type Stripe from 'stripe';
import type { RefundRecord } from '../ledger/records.ts';

export function toRefund(record: RefundRecord): Stripe.Refund {
  const failed = record.status === 'failed' || record.status === 'canceled';
  const suffix = record.id.slice(3);
  return {
    id: record.id,
    object: 'refund',
    amount: record.amount,
    balance_transaction: record.status === 'pending' ? null : `txn_${suffix}`,
    charge: record.charge,
    created: record.created,
    currency: record.currency,
    customer: null,
    customer_account: null,
    destination_details: {
      card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
      type: 'card',
    },
    ...(failed ? { failure_balance_transaction: `txn_f${suffix}` } : {}),
    ...(record.failureReason === null ? {} : { failure_reason: record.failureReason }),
    metadata: record.metadata,
    payment_intent: record.paymentIntent,
    payment_method: null,
    ...(record.status === 'pending' ? { pending_reason: 'processing' as const } : {}),
    reason: record.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: record.status,
    transfer_reversal: null,
  };
}

/** Money that has left or is on its way: a failed or cancelled refund gives its amount back to the charge. */
export function refundedAmount(refunds: readonly RefundRecord[]): number {
  return refunds
    .filter(({ status }) => status === 'succeeded' || status === 'pending')
    .reduce((sum, { amount }) => sum + amount, 0);
}

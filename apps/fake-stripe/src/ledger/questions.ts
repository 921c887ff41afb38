import type { Ledger } from './ledger.ts';
import type { DisputeRecord, PaymentRecord, RefundRecord } from './records.ts';

export function refundsOf(ledger: Ledger, paymentIntent: string): RefundRecord[] {
  const ids = ledger.refundsOfPayment.get(paymentIntent) ?? [];
  return ids.flatMap((id) => ledger.refunds.get(id) ?? []);
}

export function disputesOf(ledger: Ledger, paymentIntent: string): DisputeRecord[] {
  return [...ledger.disputes.values()].filter((dispute) => dispute.paymentIntent === paymentIntent);
}

export function paymentByCharge(ledger: Ledger, charge: string): PaymentRecord | undefined {
  const paymentIntent = ledger.paymentOfCharge.get(charge);
  return paymentIntent === undefined ? undefined : ledger.payments.get(paymentIntent);
}

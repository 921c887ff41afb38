import type { Ledger } from '../ledger/ledger.ts';
import { disputesOf, paymentByCharge, refundsOf } from '../ledger/questions.ts';
import type { PaymentRecord } from '../ledger/records.ts';
import { amountFitsCurrency, formatAmount, zerosAtTheEnd } from './currency.ts';
import { blocksRefunds } from './dispute-object.ts';
import { refundedAmount } from './refund-object.ts';
import type { RefundRequest } from './refund-request.ts';
import { invalidRequest, missingResource, type Refusal, refusedByEndpoint } from './refusal.ts';

export type RefundDecision = { refusal: Refusal } | { payment: PaymentRecord; amount: number };

/** All the reasons to say no, in the order in which Stripe gives them; past them the refund must succeed. */
export function decideRefund(ledger: Ledger, request: RefundRequest): RefundDecision {
  const payment = findPayment(ledger, request);
  if ('refusal' in payment) return payment;
  const { charge, currency } = payment;
  if (request.amount !== null && !amountFitsCurrency(request.amount, currency)) {
    const zeros = '0'.repeat(zerosAtTheEnd(currency));
    const message = `Invalid amount: in ${currency.toUpperCase()} it must end in ${zeros}.`;
    return { refusal: invalidRequest(message, { param: 'amount', code: 'parameter_invalid_integer' }) };
  }
  if (disputesOf(ledger, payment.id).some(blocksRefunds)) {
    const message = `Charge ${charge} has been charged back; cannot issue a refund.`;
    return { refusal: refusedByEndpoint(message, { code: 'charge_disputed' }) };
  }
  const left = payment.amount - refundedAmount(refundsOf(ledger, payment.id));
  if (left <= 0) {
    const message = `Charge ${charge} has already been refunded.`;
    return { refusal: refusedByEndpoint(message, { code: 'charge_already_refunded' }) };
  }
  const amount = request.amount ?? left;
  if (amount > left) {
    const [asked, rest] = [formatAmount(amount, currency), formatAmount(left, currency)];
    const message = `Refund amount (${asked}) is greater than unrefunded amount on charge (${rest})`;
    return { refusal: refusedByEndpoint(message, { param: 'amount' }) };
  }
  return { payment, amount };
}

function findPayment(ledger: Ledger, request: RefundRequest): PaymentRecord | { refusal: Refusal } {
  const { paymentIntent, charge } = request;
  if (paymentIntent) {
    const payment = ledger.payments.get(paymentIntent);
    if (payment === undefined) {
      return { refusal: missingResource('payment_intent', paymentIntent, 'payment_intent') };
    }
    if (charge && charge !== payment.charge) {
      const message = `The charge ${charge} does not belong to the payment intent ${paymentIntent}.`;
      return { refusal: invalidRequest(message, { param: 'charge' }) };
    }
    return payment;
  }
  const payment = paymentByCharge(ledger, charge ?? '');
  return payment ?? { refusal: missingResource('charge', charge ?? '', 'charge') };
}

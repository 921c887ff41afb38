import type Stripe from 'stripe';
import type { Ledger } from '../ledger/ledger.ts';
import { disputesOf, paymentByCharge, refundsOf } from '../ledger/questions.ts';
import { toCharge, toPaymentIntent } from './payment-object.ts';

type Expandable = Stripe.Refund | Stripe.PaymentIntent;

/** `expand[]=charge`, `payment_intent` or `latest_charge` puts the whole object where its ID stands. */
export function expand(ledger: Ledger, object: Expandable, fields: readonly string[]): Expandable {
  if (object.object === 'refund') {
    const charge = fields.includes('charge') ? chargeOf(ledger, object.charge) : null;
    const payment = fields.includes('payment_intent') ? paymentOf(ledger, object.payment_intent) : null;
    return {
      ...object,
      charge: charge ?? object.charge,
      payment_intent: payment ?? object.payment_intent,
    };
  }
  const charge = fields.includes('latest_charge') ? chargeOf(ledger, object.latest_charge) : null;
  return { ...object, latest_charge: charge ?? object.latest_charge };
}

function chargeOf(ledger: Ledger, id: string | Stripe.Charge | null): Stripe.Charge | null {
  const payment = typeof id === 'string' ? paymentByCharge(ledger, id) : undefined;
  if (payment === undefined) return null;
  return toCharge(payment, refundsOf(ledger, payment.id), disputesOf(ledger, payment.id));
}

function paymentOf(ledger: Ledger, id: string | Stripe.PaymentIntent | null): Stripe.PaymentIntent | null {
  const payment = typeof id === 'string' ? ledger.payments.get(id) : undefined;
  return payment === undefined ? null : toPaymentIntent(payment);
}

import type { EncodeResult, RefundRequest } from '../provider-adapter.ts';
import { stripeContract } from './stripe-contract.ts';
import { toStripeAmount } from './stripe-money.ts';
import { isChargeReference, operationMetadataKey, organisationMetadataKey } from './stripe-records.ts';

/**
 * Stripe knows three reasons. `fraudulent` also puts the customer's card and e-mail on block lists, so nothing is
 * mapped to it but itself.
 */
const stripeReason = (reason: string): string => {
  switch (reason) {
    case 'duplicate_charge':
      return 'duplicate';
    case 'fraudulent':
      return 'fraudulent';
    default:
      return 'requested_by_customer';
  }
};

/** Printable ASCII: what an HTTP header carries unchanged. */
const headerSafe = /^[\x21-\x7e]+$/;

const refuse = (because: string): EncodeResult => ({ ok: false, because });

/**
 * The refund as the bytes that will be stored and sent: the amount always said (Stripe refunds all that is left
 * when it is missing), both our IDs in the metadata, the API version pinned.
 */
export const encodeRefund = (request: RefundRequest, apiVersion: string): EncodeResult => {
  const { idempotencyKey, paymentReference, organisationId, operationId } = request;
  if (!headerSafe.test(idempotencyKey) || idempotencyKey.length > stripeContract.maximumKeyLength) {
    return refuse('The idempotency key must be 1 to 255 printable characters.');
  }
  const isCharge = isChargeReference(paymentReference);
  if (!isCharge && !paymentReference.startsWith('pi_')) {
    return refuse(
      `"${paymentReference}" is neither a payment intent (pi_…) nor a charge (ch_…, py_…) of Stripe.`,
    );
  }
  const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
  const { maximumTextBytes } = stripeContract;
  if ([organisationId, operationId].some((id) => id === '' || bytesOf(id) > maximumTextBytes)) {
    return refuse(`Organisation and operation ID must have 1 to ${String(maximumTextBytes)} bytes.`);
  }
  const money = toStripeAmount(request.amount);
  if (!money.ok) return refuse(money.because);
  const pairs: readonly (readonly [string, string])[] = [
    [isCharge ? 'charge' : 'payment_intent', paymentReference],
    ['amount', String(money.amount)],
    ['reason', stripeReason(request.reason)],
    [`metadata[${organisationMetadataKey}]`, organisationId],
    [`metadata[${operationMetadataKey}]`, operationId],
  ];
  const body = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return {
    ok: true,
    request: {
      method: 'POST',
      path: '/v1/refunds',
      contentType: 'application/x-www-form-urlencoded',
      body,
      idempotencyKey,
      apiVersion,
    },
  };
};

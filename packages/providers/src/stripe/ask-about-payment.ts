import type { Amount } from '@holdfast/operation';
import type { MirroredDispute, NoAnswer, PaymentAnswer } from '../provider-adapter.ts';
import { askForList, askStripe, noAnswer } from './ask-stripe.ts';
import type { StripeAccess } from './stripe-call.ts';
import { fromStripeAmount } from './stripe-money.ts';
import { isChargeReference, readDispute, readRefund } from './stripe-records.ts';

type Disputes = {
  readonly kind: 'disputes';
  readonly disputes: readonly MirroredDispute[];
  readonly known: boolean;
};
type Captured = { readonly kind: 'captured'; readonly captured: Amount | null };

/** Only Stripe's own word that the payment does not exist says so; any other 404 may come from anything in between. */
const notFound = ({ missingObject }: { readonly missingObject: boolean }): NoAnswer =>
  missingObject
    ? { ...noAnswer('Stripe does not know this payment.'), paymentNotFound: true }
    : noAnswer('answer 404');

/**
 * Stripe's side of one payment: every refund (all pages), every dispute, and what was captured, all within the
 * deadline. One part without an answer leaves the whole without one, except that a 404 about disputes or a charge
 * only leaves that part open; refunds already read go along, so that a sight of our own is never lost.
 */
export const askAboutPayment = async (
  access: StripeAccess,
  paymentReference: string,
  deadlineMs: number,
): Promise<PaymentAnswer> => {
  const isCharge = isChargeReference(paymentReference);
  const query = `${isCharge ? 'charge' : 'payment_intent'}=${encodeURIComponent(paymentReference)}`;
  const [refunds, disputes, captured] = await Promise.all([
    askForList(access, '/v1/refunds', query, (value) => readRefund(value, paymentReference), deadlineMs),
    askForDisputes(access, query, paymentReference, deadlineMs),
    isCharge
      ? askCharge(access, paymentReference, deadlineMs)
      : askPaymentIntent(access, paymentReference, deadlineMs),
  ]);
  if (refunds.kind === 'not-found') return { ...notFound(refunds), refundsSeen: refunds.seen };
  if (refunds.kind === 'no-answer') {
    const { seen, ...nothing } = refunds;
    return { ...nothing, refundsSeen: seen };
  }
  if (captured.kind === 'no-answer') return { ...captured, refundsSeen: refunds.items };
  if (disputes.kind === 'no-answer') return { ...disputes, refundsSeen: refunds.items };
  return {
    kind: 'answer',
    captured: captured.captured,
    refunds: refunds.items,
    disputes: disputes.disputes,
    disputesKnown: disputes.known,
    providerDateMs: refunds.providerDateMs,
  };
};

const askForDisputes = async (
  access: StripeAccess,
  query: string,
  paymentReference: string,
  deadlineMs: number,
): Promise<Disputes | NoAnswer> => {
  const list = await askForList(
    access,
    '/v1/disputes',
    query,
    (value) => readDispute(value, paymentReference),
    deadlineMs,
  );
  switch (list.kind) {
    case 'whole':
      return { kind: 'disputes', disputes: list.items, known: true };
    case 'not-found':
      return { kind: 'disputes', disputes: [], known: false };
    case 'no-answer':
      return noAnswer(`disputes: ${list.because}`, list.ourKeyRefused, list.tooMany);
  }
};

const askPaymentIntent = async (
  access: StripeAccess,
  reference: string,
  deadlineMs: number,
): Promise<Captured | NoAnswer> => {
  const asked = await askStripe(access, `/v1/payment_intents/${encodeURIComponent(reference)}`, deadlineMs);
  if (asked.kind === 'not-found') return notFound(asked);
  if (asked.kind === 'no-answer')
    return noAnswer(`payment: ${asked.because}`, asked.ourKeyRefused, asked.tooMany);
  const { amount_received: received, currency } = asked.body;
  return { kind: 'captured', captured: fromStripeAmount(received, currency) ?? null };
};

const askCharge = async (
  access: StripeAccess,
  reference: string,
  deadlineMs: number,
): Promise<Captured | NoAnswer> => {
  const asked = await askStripe(access, `/v1/charges/${encodeURIComponent(reference)}`, deadlineMs);
  if (asked.kind === 'not-found') return { kind: 'captured', captured: null };
  if (asked.kind === 'no-answer')
    return noAnswer(`charge: ${asked.because}`, asked.ourKeyRefused, asked.tooMany);
  const { amount_captured: capturedAmount, currency } = asked.body;
  return { kind: 'captured', captured: fromStripeAmount(capturedAmount, currency) ?? null };
};

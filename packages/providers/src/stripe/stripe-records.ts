import type { ProviderRecord } from '@holdfast/operation';
import type { MirroredDispute, MirroredRefund } from '../provider-adapter.ts';
import { fieldsOf, textOf, type Fields } from '../wire/fields.ts';
import { fromStripeAmount } from './stripe-money.ts';

export { fieldsOf, textOf, type Fields };

/** The names under which an operation is written into a refund's metadata: our positive evidence. */
export const organisationMetadataKey = 'holdfast_organisation';
export const operationMetadataKey = 'holdfast_operation';

/** Stripe gives a related object as its ID, or expanded. */
export const referenceOf = (value: unknown): string | null =>
  textOf(value) ?? textOf(fieldsOf(value)?.['id']);

/** The end of the year 9999: a later moment cannot be stored, and is nobody's. */
const lastSecond = 253_402_300_799;

export const secondsToMs = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 && value <= lastSecond ? Math.round(value * 1000) : undefined;

/**
 * Stripe's word for a refund's status. The list is open: a word we do not know is not an end, so it counts as
 * pending (the money stays reserved, looking goes on) and the word itself is kept for people.
 */
const statusOf = (word: string): ProviderRecord['status'] => {
  switch (word) {
    case 'succeeded':
      return 'succeeded';
    case 'failed':
    case 'canceled':
      return 'failed';
    default:
      return 'pending';
  }
};

/** Where a payment is known here by its charge, the record speaks of the charge too. */
export const isChargeReference = (reference: string): boolean => /^(ch|py)_/.test(reference);

/**
 * A refund as Stripe shows it; `undefined` when reference, status, amount, currency, payment or time are missing,
 * since half a record is no evidence. `askedPayment`: the payment reference that the question was about.
 */
export const readRefund = (value: unknown, askedPayment?: string): MirroredRefund | undefined => {
  const refund = fieldsOf(value);
  const reference = textOf(refund?.['id']);
  const statusText = textOf(refund?.['status']);
  const amount = fromStripeAmount(refund?.['amount'], refund?.['currency']);
  const createdAtMs = secondsToMs(refund?.['created']);
  const chargeReference = referenceOf(refund?.['charge']);
  const paymentIntent = referenceOf(refund?.['payment_intent']);
  const paymentReference =
    askedPayment !== undefined && askedPayment === chargeReference
      ? chargeReference
      : (paymentIntent ?? chargeReference);
  if (!refund || refund['object'] !== 'refund' || !reference || !statusText || !amount) return undefined;
  if (!paymentReference || createdAtMs === undefined) return undefined;
  const metadata = fieldsOf(refund['metadata']);
  return {
    reference,
    status: statusOf(statusText),
    statusText,
    amount,
    paymentReference,
    chargeReference,
    failureReason: textOf(refund['failure_reason']),
    createdAtMs,
    organisationId: textOf(metadata?.[organisationMetadataKey]),
    operationId: textOf(metadata?.[operationMetadataKey]),
  };
};

/**
 * Ends that leave the charge refundable. Every other status counts as open: also `lost`, where the bank has
 * already given the customer the money, so a refund would pay twice; also a word we do not know.
 */
const endedInOurFavour = ['won', 'warning_closed', 'prevented'];

export const readDispute = (value: unknown, askedPayment?: string): MirroredDispute | undefined => {
  const dispute = fieldsOf(value);
  const reference = textOf(dispute?.['id']);
  const statusText = textOf(dispute?.['status']);
  const amount = fromStripeAmount(dispute?.['amount'], dispute?.['currency']);
  const createdAtMs = secondsToMs(dispute?.['created']);
  const chargeReference = referenceOf(dispute?.['charge']);
  const paymentIntent = referenceOf(dispute?.['payment_intent']);
  const paymentReference =
    askedPayment !== undefined && askedPayment === chargeReference
      ? chargeReference
      : (paymentIntent ?? chargeReference);
  if (!dispute || dispute['object'] !== 'dispute' || !reference || !statusText || !amount) return undefined;
  if (!paymentReference || createdAtMs === undefined) return undefined;
  return {
    reference,
    paymentReference,
    chargeReference,
    amount,
    open: !endedInOurFavour.includes(statusText),
    statusText,
    createdAtMs,
  };
};

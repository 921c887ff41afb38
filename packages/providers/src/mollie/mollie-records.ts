import type { ProviderRecord } from '@holdfast/operation';
import type { MirroredDispute, MirroredRefund } from '../provider-adapter.ts';
import { fromDecimalAmount } from '../wire/decimal-money.ts';
import { fieldsOf, isoTimeMs, textOf, type Fields } from '../wire/fields.ts';
import { mollieContract } from './mollie-contract.ts';

/** The names under which an operation is written into a refund's metadata: our positive evidence. */
export const organisationMetadataKey = 'holdfast_organisation';
export const operationMetadataKey = 'holdfast_operation';

export const amountIn = (value: unknown) => {
  const money = fieldsOf(value);
  return fromDecimalAmount(mollieContract, money?.['value'], money?.['currency']);
};

/** queued, pending, processing, and a word that we do not know: no end. */
const statusOf = (word: string): ProviderRecord['status'] => {
  switch (word) {
    case 'refunded':
      return 'succeeded';
    case 'failed':
    case 'canceled':
      return 'failed';
    default:
      return 'pending';
  }
};

export const readMollieRefund = (value: unknown): MirroredRefund | undefined => {
  const refund = fieldsOf(value);
  const [reference, statusText] = [textOf(refund?.['id']), textOf(refund?.['status'])];
  const paymentReference = textOf(refund?.['paymentId']);
  const amount = amountIn(refund?.['amount']);
  const createdAtMs = isoTimeMs(refund?.['createdAt']);
  if (refund?.['resource'] !== 'refund' || !reference || !statusText) return undefined;
  if (!paymentReference || !amount || createdAtMs === undefined) return undefined;
  const metadata = fieldsOf(refund['metadata']);
  const status = statusOf(statusText);
  return {
    ...{ reference, status, statusText, amount, paymentReference, createdAtMs },
    failureReason: status === 'failed' ? statusText : null,
    organisationId: textOf(metadata?.[organisationMetadataKey]),
    operationId: textOf(metadata?.[operationMetadataKey]),
  };
};

/** A chargeback that was taken back no longer stands against a refund; any other does. */
export const readMollieChargeback = (value: unknown): MirroredDispute | undefined => {
  const chargeback = fieldsOf(value);
  const reference = textOf(chargeback?.['id']);
  const paymentReference = textOf(chargeback?.['paymentId']);
  const amount = amountIn(chargeback?.['amount']);
  const createdAtMs = isoTimeMs(chargeback?.['createdAt']);
  if (chargeback?.['resource'] !== 'chargeback' || !reference || !paymentReference) return undefined;
  if (!amount || createdAtMs === undefined) return undefined;
  const open = textOf(chargeback['reversedAt']) === null;
  const statusText = open ? 'chargeback' : 'reversed';
  return { reference, paymentReference, amount, open, statusText, createdAtMs };
};

/** Mollie's own form of a refusal: the status in the body is the status of the answer. */
export const isMollies = (status: number, body: Fields): boolean =>
  body['status'] === status && textOf(body['title']) !== null;

import type { AttemptFinding, DeclineClass, ProviderRecord } from '@holdfast/operation';
import type { EncodeResult, MirroredRefund, RefundRequest } from '../provider-adapter.ts';
import { fromProviderAmount, toProviderAmount } from '../provider-money.ts';
import type { JsonAnswered } from '../wire/call-json.ts';
import { bothIds, idsIn, requestProblem } from '../wire/check-request.ts';
import { fieldsOf, isoTimeMs, textOf, type Fields } from '../wire/fields.ts';
import { keyRefused, rateLimited, unknown } from '../wire/submit-json.ts';
import { squareContract } from './square-contract.ts';

/** The key is a field of the body here; the reason carries our IDs, since a refund gives nothing else of ours back. */
export const encodeSquareRefund = (request: RefundRequest): EncodeResult => {
  const problem = requestProblem(request, squareContract);
  if (problem !== undefined) return { ok: false, because: problem };
  const money = toProviderAmount(squareContract, request.amount);
  if (!money.ok) return { ok: false, because: money.because };
  return {
    ok: true,
    request: {
      ...{ method: 'POST', path: '/v2/refunds', contentType: 'application/json' },
      body: JSON.stringify({
        idempotency_key: request.idempotencyKey,
        payment_id: request.paymentReference,
        amount_money: { amount: money.amount, currency: money.currency.toUpperCase() },
        reason: bothIds(request.organisationId, request.operationId),
      }),
      ...{ idempotencyKey: request.idempotencyKey, apiVersion: 'v2' },
    },
  };
};

export const moneyIn = (value: unknown) => {
  const money = fieldsOf(value);
  return fromProviderAmount(squareContract, money?.['amount'], money?.['currency']);
};

/** A word that we do not know is no end: the money stays reserved and looking goes on. */
const statusOf = (word: string): ProviderRecord['status'] => {
  switch (word) {
    case 'COMPLETED':
      return 'succeeded';
    case 'REJECTED':
    case 'FAILED':
      return 'failed';
    default:
      return 'pending';
  }
};

export const readSquareRefund = (value: unknown): MirroredRefund | undefined => {
  const refund = fieldsOf(value);
  const [reference, statusText] = [textOf(refund?.['id']), textOf(refund?.['status'])];
  const paymentReference = textOf(refund?.['payment_id']);
  const amount = moneyIn(refund?.['amount_money']);
  const createdAtMs = isoTimeMs(refund?.['created_at']);
  if (!reference || !statusText || !paymentReference || !amount || createdAtMs === undefined)
    return undefined;
  const status = statusOf(statusText);
  return {
    ...{ reference, status, statusText, amount, paymentReference, createdAtMs },
    failureReason: status === 'failed' ? statusText : null,
    ...idsIn(textOf(refund?.['reason'])),
  };
};

/** Square's own form of a refusal: a list of errors, each with its category and code. */
const errorsIn = ({ errors }: Fields): readonly { readonly category: string; readonly code: string }[] => {
  if (!Array.isArray(errors)) return [];
  return (errors as readonly unknown[]).map((error) => ({
    category: textOf(fieldsOf(error)?.['category']) ?? '',
    code: textOf(fieldsOf(error)?.['code']) ?? '',
  }));
};

export const isSquares = (_status: number, body: Fields): boolean => {
  const errors = errorsIn(body);
  return errors.length > 0 && errors.every(({ category, code }) => category !== '' && code !== '');
};

/** The only codes that are known to say: nothing was done, and nothing will be. */
const declineByCode: Readonly<Record<string, DeclineClass>> = {
  REFUND_AMOUNT_INVALID: 'exceeds-unrefunded',
  PAYMENT_NOT_REFUNDABLE: 'not-refundable',
  PAYMENT_NOT_REFUNDABLE_DUE_TO_DISPUTE: 'disputed',
  NOT_FOUND: 'invalid-request',
  INVALID_VALUE: 'invalid-request',
  MISSING_REQUIRED_PARAMETER: 'invalid-request',
};

/** How one POST of a refund ended. By status and code, never by a detail. Total. */
export const classifySquare = (answer: JsonAnswered): AttemptFinding => {
  const { status, body } = answer;
  if (body === undefined) return unknown(`answer ${String(status)} that could not be read`);
  if (status >= 200 && status <= 299) {
    // Errors beside a refund contradict it.
    const record = body['errors'] === undefined ? readSquareRefund(body['refund']) : undefined;
    return record === undefined
      ? unknown(`answer ${String(status)} without a whole refund`)
      : { kind: 'accepted', record };
  }
  if (!isSquares(status, body)) return unknown(`answer ${String(status)} that is not Square's`);
  const [error, ...more] = errorsIn(body);
  if (status === 429 && error?.category === 'RATE_LIMIT_ERROR') return rateLimited(answer);
  if ((status === 401 || status === 403) && error?.category === 'AUTHENTICATION_ERROR') return keyRefused;
  const decline = error === undefined || more.length > 0 ? undefined : declineByCode[error.code];
  // Also "this key was used for a different amount" and "a refund is pending already": something may stand there.
  return status >= 400 && status < 500 && error !== undefined && decline !== undefined
    ? { kind: 'rejected', decline, code: error.code }
    : unknown(`answer ${String(status)}`);
};

import type { AttemptFinding, DeclineClass, ProviderRecord } from '@holdfast/operation';
import type { EncodeResult, MirroredRefund, RefundRequest } from '../provider-adapter.ts';
import type { JsonAnswered } from '../wire/call-json.ts';
import { bothIds, idsIn, requestProblem } from '../wire/check-request.ts';
import { fromDecimalAmount, toDecimalAmount } from '../wire/decimal-money.ts';
import { fieldsOf, isoTimeMs, textOf, type Fields } from '../wire/fields.ts';
import { keyRefused, rateLimited, unknown } from '../wire/submit-json.ts';
import { paypalContract } from './paypal-contract.ts';

/** `invoice_id` must be unique at PayPal and is a merchant's own: it stays empty, and our IDs are the `custom_id`. */
export const encodePaypalRefund = (request: RefundRequest): EncodeResult => {
  const problem = requestProblem(request, paypalContract);
  if (problem !== undefined) return { ok: false, because: problem };
  const money = toDecimalAmount(paypalContract, request.amount);
  if (!money.ok) return { ok: false, because: money.because };
  return {
    ok: true,
    request: {
      method: 'POST',
      path: `/v2/payments/captures/${request.paymentReference}/refund`,
      contentType: 'application/json',
      body: JSON.stringify({
        amount: { value: money.value, currency_code: money.currency },
        custom_id: bothIds(request.organisationId, request.operationId),
      }),
      idempotencyKey: request.idempotencyKey,
      apiVersion: 'v2',
    },
  };
};

/** A word that we do not know is no end: the money stays reserved and looking goes on. */
const statusOf = (word: string): ProviderRecord['status'] => {
  switch (word) {
    case 'COMPLETED':
      return 'succeeded';
    case 'FAILED':
    case 'CANCELLED':
      return 'failed';
    default:
      return 'pending';
  }
};

/** The refund names its capture only by the link `up`. */
const captureIn = (links: unknown): string | null => {
  if (!Array.isArray(links)) return null;
  const up = (links as readonly unknown[]).map(fieldsOf).find((link) => link?.['rel'] === 'up');
  return /\/captures\/([A-Za-z0-9_-]+)$/.exec(textOf(up?.['href']) ?? '')?.[1] ?? null;
};

export const readPaypalRefund = (body: Fields): MirroredRefund | undefined => {
  const [reference, statusText] = [textOf(body['id']), textOf(body['status'])];
  const money = fieldsOf(body['amount']);
  const amount = fromDecimalAmount(paypalContract, money?.['value'], money?.['currency_code']);
  const paymentReference = captureIn(body['links']);
  const createdAtMs = isoTimeMs(body['create_time']);
  if (!reference || !statusText || !amount || !paymentReference || createdAtMs === undefined)
    return undefined;
  return {
    ...{ reference, status: statusOf(statusText), statusText, amount, paymentReference, createdAtMs },
    failureReason: textOf(fieldsOf(body['status_details'])?.['reason']),
    ...idsIn(textOf(body['custom_id'])),
  };
};

/** PayPal's own form of a refusal. */
export const isPaypals = (_status: number, body: Fields): boolean =>
  textOf(body['name']) !== null && textOf(body['debug_id']) !== null;

/** The only issues that are known to say: nothing was done, and nothing will be. An unknown one proves nothing. */
const declineByIssue: Readonly<Record<string, DeclineClass>> = {
  CAPTURE_FULLY_REFUNDED: 'already-refunded',
  REFUND_AMOUNT_EXCEEDED: 'exceeds-unrefunded',
  REFUND_TIME_LIMIT_EXCEEDED: 'too-old',
};

const issueIn = (details: unknown): string | null =>
  Array.isArray(details) && details.length === 1 ? textOf(fieldsOf(details[0])?.['issue']) : null;

/** How one POST of a refund ended. By status, name and issue, never by a message. Total. */
export const classifyPaypal = (answer: JsonAnswered): AttemptFinding => {
  const { status, body } = answer;
  if (body === undefined) return unknown(`answer ${String(status)} that could not be read`);
  if (status >= 200 && status <= 299) {
    const record = readPaypalRefund(body);
    return record === undefined
      ? unknown(`answer ${String(status)} without a whole refund`)
      : { kind: 'accepted', record };
  }
  if (!isPaypals(status, body)) return unknown(`answer ${String(status)} that is not PayPal's`);
  switch (status) {
    case 401:
    case 403:
      return keyRefused;
    case 409:
      // Of two at once the second may fail while the first goes on.
      return { kind: 'in-flight-elsewhere' };
    case 429:
      return rateLimited(answer);
    case 400:
      return body['name'] === 'INVALID_REQUEST'
        ? { kind: 'rejected', decline: 'invalid-request', code: 'INVALID_REQUEST' }
        : unknown('answer 400');
    case 404:
      return body['name'] === 'RESOURCE_NOT_FOUND'
        ? { kind: 'rejected', decline: 'invalid-request', code: 'RESOURCE_NOT_FOUND' }
        : unknown('answer 404');
    case 422: {
      const issue = issueIn(body['details']);
      const decline = issue === null ? undefined : declineByIssue[issue];
      return decline === undefined ? unknown('answer 422') : { kind: 'rejected', decline, code: issue };
    }
    default:
      return unknown(`answer ${String(status)}`);
  }
};

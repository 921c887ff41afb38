import type { AttemptFinding } from '@holdfast/operation';
import type { EncodeResult, MirroredRefund, RefundRequest } from '../provider-adapter.ts';
import { fromProviderAmount, toProviderAmount } from '../provider-money.ts';
import type { JsonAnswered } from '../wire/call-json.ts';
import { bothIds, idsIn, requestProblem } from '../wire/check-request.ts';
import { fieldsOf, textOf, type Fields } from '../wire/fields.ts';
import { dateIn } from '../wire/headers.ts';
import { keyRefused, rateLimited, unknown } from '../wire/submit-json.ts';
import { adyenContract } from './adyen-contract.ts';

export const adyenApiVersion = 'v72';

/** The amount is always said, and our IDs are the refund's own reference, which the webhook brings back. */
export const encodeAdyenRefund = (request: RefundRequest, merchantAccount: string): EncodeResult => {
  const problem = requestProblem(request, adyenContract);
  if (problem !== undefined) return { ok: false, because: problem };
  const money = toProviderAmount(adyenContract, request.amount);
  if (!money.ok) return { ok: false, because: money.because };
  return {
    ok: true,
    request: {
      method: 'POST',
      path: `/${adyenApiVersion}/payments/${request.paymentReference}/refunds`,
      contentType: 'application/json',
      body: JSON.stringify({
        merchantAccount,
        amount: { value: money.amount, currency: money.currency.toUpperCase() },
        reference: bothIds(request.organisationId, request.operationId),
      }),
      idempotencyKey: request.idempotencyKey,
      apiVersion: adyenApiVersion,
    },
  };
};

/** "Received" is no end: it says that Adyen took the request, and the webhook says how it ended. */
const received = (body: Fields, createdAtMs: number): MirroredRefund | undefined => {
  const reference = textOf(body['pspReference']);
  const paymentReference = textOf(body['paymentPspReference']);
  const money = fieldsOf(body['amount']);
  const amount = fromProviderAmount(adyenContract, money?.['value'], money?.['currency']);
  if (body['status'] !== 'received' || !reference || !paymentReference || !amount) return undefined;
  return {
    ...{ reference, paymentReference, amount, createdAtMs },
    ...{ status: 'pending', statusText: 'received', failureReason: null },
    ...idsIn(textOf(body['reference'])),
  };
};

/** Adyen's own form of a refusal: the status in the body is the status of the answer. */
export const isAdyens = (status: number, body: Fields): boolean =>
  body['status'] === status && textOf(body['errorCode']) !== null && textOf(body['errorType']) !== null;

/** How one POST of a refund ended. Only by status, code and type; its message is for people. Total. */
export const classifyAdyen = (answer: JsonAnswered, nowMs: number): AttemptFinding => {
  const { status, body, headers } = answer;
  if (body === undefined) return unknown(`answer ${String(status)} that could not be read`);
  if (status >= 200 && status <= 299) {
    const record = received(body, dateIn(headers) ?? nowMs);
    return record === undefined
      ? unknown(`answer ${String(status)} without a whole refund`)
      : { kind: 'accepted', record };
  }
  if (!isAdyens(status, body)) return unknown(`answer ${String(status)} that is not Adyen's`);
  const { errorCode, errorType } = body;
  if ((status === 422 || status === 409) && errorCode === '704') return { kind: 'in-flight-elsewhere' };
  if (status === 429) return rateLimited(answer);
  if ((status === 401 || status === 403) && errorType === 'security') return keyRefused;
  // "The same key again may do it" and "refused for good" contradict each other: then nothing is proved.
  if (headers['transient-error'] === 'true') return unknown(`transient answer ${String(status)}`);
  if ((status === 400 || status === 422) && errorType === 'validation') {
    return { kind: 'rejected', decline: 'invalid-request', code: textOf(errorCode) };
  }
  // 500 and 503 (also 703, "the store of keys is down"), and whatever is new.
  return unknown(`answer ${String(status)}`);
};

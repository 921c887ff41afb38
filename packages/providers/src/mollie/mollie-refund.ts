import type { AttemptFinding } from '@holdfast/operation';
import type { EncodeResult, RefundRequest } from '../provider-adapter.ts';
import type { JsonAnswered } from '../wire/call-json.ts';
import { requestProblem } from '../wire/check-request.ts';
import { toDecimalAmount } from '../wire/decimal-money.ts';
import { keyRefused, rateLimited, unknown } from '../wire/submit-json.ts';
import { mollieContract } from './mollie-contract.ts';
import {
  isMollies,
  operationMetadataKey,
  organisationMetadataKey,
  readMollieRefund,
} from './mollie-records.ts';

export const encodeMollieRefund = (request: RefundRequest): EncodeResult => {
  const problem = requestProblem(request, mollieContract);
  if (problem !== undefined) return { ok: false, because: problem };
  const money = toDecimalAmount(mollieContract, request.amount);
  if (!money.ok) return { ok: false, because: money.because };
  return {
    ok: true,
    request: {
      method: 'POST',
      path: `/v2/payments/${request.paymentReference}/refunds`,
      contentType: 'application/json',
      body: JSON.stringify({
        amount: { currency: money.currency, value: money.value },
        metadata: {
          [organisationMetadataKey]: request.organisationId,
          [operationMetadataKey]: request.operationId,
        },
      }),
      idempotencyKey: request.idempotencyKey,
      apiVersion: 'v2',
    },
  };
};

/** How one POST of a refund ended. By status and field, never by a title or a detail. Total. */
export const classifyMollie = (answer: JsonAnswered): AttemptFinding => {
  const { status, body } = answer;
  if (body === undefined) return unknown(`answer ${String(status)} that could not be read`);
  if (status >= 200 && status <= 299) {
    const record = readMollieRefund(body);
    return record === undefined
      ? unknown(`answer ${String(status)} without a whole refund`)
      : { kind: 'accepted', record };
  }
  if (!isMollies(status, body)) return unknown(`answer ${String(status)} that is not Mollie's`);
  switch (status) {
    case 401:
    case 403:
      return keyRefused;
    case 429:
      return rateLimited(answer);
    case 404:
      return { kind: 'rejected', decline: 'invalid-request', code: '404' };
    case 422:
      // More than is left is refused by its field, and may speak of our own refund.
      return {
        ...{ kind: 'rejected', code: '422' },
        decline: body['field'] === 'amount' ? 'exceeds-unrefunded' : 'invalid-request',
      };
    default:
      // 400 also says "this key was used with other parameters", 409 "a duplicate": something may stand there.
      return unknown(`answer ${String(status)}`);
  }
};

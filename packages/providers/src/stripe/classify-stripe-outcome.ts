import type { AttemptFinding, DeclineClass } from '@holdfast/operation';
import { retryAfterIn } from '../wire/headers.ts';
import type { WireTrace } from './one-request-client.ts';
import type { StripeCallOutcome } from './stripe-call.ts';
import { fieldsOf, readRefund, textOf } from './stripe-records.ts';

/** What the library's error says that may be decided on. Its message is for people: it is never read here. */
type ErrorFacts = {
  readonly errorClass: string;
  readonly status: number;
  /** `error.type` of the body: without it the answer is not one of Stripe's. */
  readonly rawType: string | null;
  readonly code: string | null;
  readonly param: string | null;
};

const unknown = (because: string): AttemptFinding => ({ kind: 'unknown', because });

/**
 * How one POST of a refund ended. Total: what nothing here proves is `unknown`, and nothing is proved by an error
 * class that we do not know. Pure. `paymentReference`: the payment that the request was about.
 */
export const classifyStripeOutcome = (
  outcome: StripeCallOutcome,
  paymentReference: string,
): AttemptFinding => {
  const { trace } = outcome;
  switch (trace.kind) {
    case 'never-called':
      return { kind: 'not-sent', because: 'The request could not be made.' };
    case 'not-sent':
      return { kind: 'not-sent', because: trace.because };
    case 'lost':
      return { kind: 'unknown', because: trace.because, requestLeft: trace.requestLeft };
    case 'answered':
      break;
  }
  if (outcome.kind === 'returned') return classifyBody(outcome.body, trace.status, paymentReference);
  const facts = readError(outcome.error, trace.status);
  if (facts === undefined) return unknown(`answer ${trace.status} that could not be read`);
  return classifyError(facts, trace);
};

/** The library returns any JSON without `error` as a success, whatever its HTTP status. */
const classifyBody = (body: unknown, status: number, paymentReference: string): AttemptFinding => {
  if (status < 200 || status > 299) return unknown(`answer ${status} without an error`);
  const record = readRefund(body, paymentReference);
  return record === undefined
    ? unknown(`answer ${status} without a whole refund`)
    : { kind: 'accepted', record };
};

const readError = (error: unknown, status: number): ErrorFacts | undefined => {
  const fields = fieldsOf(error);
  const errorClass = textOf(fields?.['type']);
  // The library's status is the wire's, or it is not about this answer.
  if (!fields || !errorClass || fields['statusCode'] !== status) return undefined;
  return {
    errorClass,
    status,
    rawType: textOf(fields['rawType']),
    code: textOf(fields['code']),
    param: textOf(fields['param']),
  };
};

const classifyError = (facts: ErrorFacts, trace: WireTrace & { kind: 'answered' }): AttemptFinding => {
  const { errorClass, status, rawType, code } = facts;
  const replayed = isReplay(trace);
  if (rawType === null) return unknown(`answer ${status} that is not Stripe's`);
  // Saved and repeated for ever, and indeterminate all the same: Stripe may still carry it out.
  if (status >= 500) return unknown(replayed ? `saved answer ${status}` : `answer ${status}`);
  // Our key with other parameters: something was done under this key, and it was not this. A person looks.
  if (rawType === 'idempotency_error') return unknown('our key was used with other parameters');
  if (code === 'idempotency_key_in_use') return { kind: 'in-flight-elsewhere' };
  const deferral = deferralOf(facts);
  if (deferral !== null) {
    // "Later" that is saved under the key never comes, and documented deferrals are not saved.
    if (replayed) return unknown(`saved answer ${status}`);
    return { kind: 'deferred', because: deferral, retryAfterMs: retryAfterMs(trace) };
  }
  // Only these two classes ever say that Stripe did nothing and will not. All others, also new ones: unknown.
  if (errorClass !== 'StripeInvalidRequestError' && errorClass !== 'StripeCardError')
    return unknown(`answer ${status}`);
  if (!isFinalRefusal(facts, trace)) return unknown(`answer ${status}`);
  return { kind: 'rejected', decline: declineClass(facts), code };
};

/** Nothing was done and the same request may do it later: limits, our key refused, an object that is locked. */
const deferralOf = ({
  errorClass,
  status,
  code,
}: ErrorFacts): 'rate-limited' | 'key-refused' | 'locked' | null => {
  if (errorClass.includes('OAuth') || !errorClass.startsWith('Stripe')) return null;
  if (code === 'lock_timeout' && [400, 409, 429].includes(status)) return 'locked';
  if (errorClass === 'StripeRateLimitError') return 'rate-limited';
  if (errorClass === 'StripeAuthenticationError' && status === 401) return 'key-refused';
  if (errorClass === 'StripePermissionError' && status === 403) return 'key-refused';
  return null;
};

const isFinalRefusal = (
  { status, rawType, code }: ErrorFacts,
  trace: WireTrace & { kind: 'answered' },
): boolean => {
  // "Try again" and "refused for good" contradict each other: then nothing is proved.
  if (trace.headers['stripe-should-retry'] === 'true') return false;
  if (rawType !== 'invalid_request_error' && rawType !== 'card_error') return false;
  if (status === 404) return code === 'resource_missing';
  return status === 400 || status === 402;
};

const declineByCode: Readonly<Record<string, DeclineClass>> = {
  balance_insufficient: 'not-enough-balance',
  insufficient_funds: 'not-enough-balance',
  charge_disputed: 'disputed',
  refund_disputed_payment: 'disputed',
  account_closed: 'card-closed',
  bank_account_unusable: 'card-closed',
  expired_card: 'card-closed',
  expired_payment_method: 'card-closed',
  amount_too_large: 'limit',
  charge_exceeds_source_limit: 'limit',
  charge_exceeds_transaction_limit: 'limit',
  charge_already_refunded: 'already-refunded',
  charge_not_refundable: 'not-refundable',
};

const declineClass = ({ status, rawType, code, param }: ErrorFacts): DeclineClass => {
  const known = code === null ? undefined : declineByCode[code];
  if (known !== undefined) return known;
  // More than is left has no code of its own: it is the refusal of `amount` without one. It may speak of our own
  // earlier refund, so it must never pass for a mere wrong field.
  if (code === null && param === 'amount') return 'exceeds-unrefunded';
  return status !== 402 && rawType === 'invalid_request_error' ? 'invalid-request' : 'other';
};

/** Stripe marks an answer that it had saved under the key. */
export const isReplay = (trace: WireTrace): boolean =>
  'headers' in trace && trace.headers['idempotent-replayed'] === 'true';

export const retryAfterMs = (trace: WireTrace & { kind: 'answered' }): number | null =>
  retryAfterIn(trace.headers);

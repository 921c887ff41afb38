import type {
  AccountAnswer,
  AttemptReport,
  EncodedRequest,
  NoAccount,
  ProviderAdapter,
  RefundAnswer,
  RefundRequest,
} from '../provider-adapter.ts';
import { askAboutPayment } from './ask-about-payment.ts';
import { askStripe, noAnswer, providerDateMs } from './ask-stripe.ts';
import { classifyStripeOutcome, isReplay } from './classify-stripe-outcome.ts';
import { encodeRefund } from './encode-refund.ts';
import { readBase } from '../wire/read-base.ts';
import { eventPage, listSince, refundPage } from './list-since.ts';
import { callStripe, type StripeAccess } from './stripe-call.ts';
import { stripeContract } from './stripe-contract.ts';
import { readRefund, textOf } from './stripe-records.ts';
import { verifyStripeWebhook } from './verify-stripe-webhook.ts';

export type StripeAdapterOptions = {
  readonly secretKey: string;
  /** `https://api.stripe.com`, or anything that speaks its API; `http://` and a path are allowed. */
  readonly apiBase?: string;
  readonly apiVersion?: string;
  /** Our clock, milliseconds since the epoch: deadlines are read by it. */
  readonly nowMs: () => number;
};

/**
 * The API version that first attempts are encoded for and that questions are put in. Written down here, and not
 * taken from the client library, so that an upgrade of the library changes nothing by itself.
 */
export const stripeApiVersion = '2026-10-28.endive';

const stripeBase = 'https://api.stripe.com';

const submit = async (
  access: StripeAccess,
  request: EncodedRequest,
  expected: RefundRequest,
  deadlineMs: number,
): Promise<AttemptReport> => {
  if (request.idempotencyKey !== expected.idempotencyKey) {
    const finding = { kind: 'not-sent', because: 'The stored request is not this operation’s.' } as const;
    return { finding, status: null, requestId: null, replayed: false, providerDateMs: null };
  }
  const outcome = await callStripe(access, {
    method: 'POST',
    path: request.path,
    deadlineMs,
    apiVersion: request.apiVersion,
    idempotencyKey: request.idempotencyKey,
    storedBody: { contentType: request.contentType, body: request.body },
  });
  const { trace } = outcome;
  return {
    finding: classifyStripeOutcome(outcome, expected.paymentReference),
    status: 'status' in trace ? trace.status : null,
    requestId: 'headers' in trace ? textOf(trace.headers['request-id']) : null,
    replayed: isReplay(trace),
    providerDateMs: providerDateMs(trace),
  };
};

const askAboutRefund = async (
  access: StripeAccess,
  reference: string,
  deadlineMs: number,
): Promise<RefundAnswer> => {
  const asked = await askStripe(access, `/v1/refunds/${encodeURIComponent(reference)}`, deadlineMs);
  if (asked.kind === 'no-answer') return asked;
  // A 404 that Stripe did not write itself may come from anything in between.
  if (asked.kind === 'not-found') return asked.missingObject ? { kind: 'not-found' } : noAnswer('answer 404');
  const record = readRefund(asked.body);
  return record?.reference === reference
    ? { kind: 'answer', record }
    : noAnswer('refund that could not be read');
};

/** A key that is known and may not ask is a restricted one; what it may not ask today it may not ask tomorrow. */
const whyNoAccount = (refusedBy: 401 | 403 | undefined): NoAccount['reason'] => {
  if (refusedBy === 401) return 'key-refused';
  return refusedBy === 403 ? 'not-said-here' : 'no-answer-now';
};

/** Test or live is on the balance, not on the account; where there is no balance to ask, the key's own prefix says it. */
const askAccount = async (access: StripeAccess, deadlineMs: number): Promise<AccountAnswer> => {
  const [account, balance] = await Promise.all([
    askStripe(access, '/v1/account', deadlineMs),
    askStripe(access, '/v1/balance', deadlineMs),
  ]);
  if (account.kind === 'no-answer') return { ...account, reason: whyNoAccount(account.refusedBy) };
  const accountId = account.kind === 'answer' ? textOf(account.body['id']) : null;
  if (accountId === null) return { ...noAnswer('account: no answer'), reason: 'not-said-here' };
  if (balance.kind === 'answer' && typeof balance.body['livemode'] === 'boolean') {
    return { kind: 'answer', accountId, liveMode: balance.body['livemode'] };
  }
  const [, mode] = /^(?:sk|rk)_(live|test)_/.exec(access.secretKey) ?? [];
  return mode === undefined
    ? { ...noAnswer('mode: no answer'), reason: 'not-said-here' }
    : { kind: 'answer', accountId, liveMode: mode === 'live' };
};

/**
 * One Stripe account's client. Throws only here and only for a setting that cannot be used; after that all trouble
 * is a value.
 */
export const createStripeAdapter = (options: StripeAdapterOptions): ProviderAdapter => {
  const { secretKey, nowMs, apiVersion = stripeApiVersion } = options;
  if (!/^[\x21-\x7e]+$/.test(secretKey))
    throw new Error('Stripe’s secret key must be given, without spaces.');
  const access: StripeAccess = {
    secretKey,
    apiVersion,
    nowMs,
    ...readBase('Stripe', options.apiBase ?? stripeBase, stripeBase),
  };
  return {
    contract: stripeContract,
    encodeRefund: (request) => encodeRefund(request, apiVersion),
    submit: (request, expected, deadlineMs) => submit(access, request, expected, deadlineMs),
    askAboutPayment: (reference, deadlineMs) => askAboutPayment(access, reference, deadlineMs),
    askAboutRefund: (reference, deadlineMs) => askAboutRefund(access, reference, deadlineMs),
    listSince: (sinceMs, deadlineMs) => listSince(access, sinceMs, deadlineMs),
    refundPage: (sinceMs, after, deadlineMs) => refundPage(access, sinceMs, after, deadlineMs),
    eventPage: (sinceMs, after, deadlineMs) => eventPage(access, sinceMs, after, deadlineMs),
    askAccount: (deadlineMs) => askAccount(access, deadlineMs),
    verifyWebhook: verifyStripeWebhook,
  };
};

import type {
  ListingAnswer,
  MirroredRefund,
  NoAnswer,
  PaymentAnswer,
  ProviderAdapter,
  RefundAnswer,
  RefundPageAnswer,
} from '../provider-adapter.ts';
import { askJson } from '../wire/ask-json.ts';
import type { JsonAccess } from '../wire/call-json.ts';
import { fieldsOf, isoTimeMs, textOf } from '../wire/fields.ts';
import { noAnswer, notOffered } from '../wire/no-answer.ts';
import { readBase } from '../wire/read-base.ts';
import { submitJson } from '../wire/submit-json.ts';
import { squareContract } from './square-contract.ts';
import { classifySquare, encodeSquareRefund, isSquares, moneyIn, readSquareRefund } from './square-refund.ts';

export type SquareAdapterOptions = {
  readonly accessToken: string;
  readonly apiBase?: string;
  readonly nowMs: () => number;
};

const squareBase = 'https://connect.squareup.com';
const pageSize = 100;
/** Guard against a list without an end. */
const mostPages = 200;

const refundPage = async (
  access: JsonAccess,
  sinceMs: number,
  after: string | null,
  deadlineMs: number,
): Promise<RefundPageAnswer> => {
  const begin = new Date(Math.max(0, Math.floor(sinceMs))).toISOString();
  const cursor = after === null ? '' : `&cursor=${encodeURIComponent(after)}`;
  const path = `/v2/refunds?begin_time=${begin}&sort_order=DESC&limit=${String(pageSize)}${cursor}`;
  const asked = await askJson(access, path, deadlineMs, isSquares);
  if (asked.kind === 'not-found') return noAnswer('refunds: answer 404');
  if (asked.kind === 'no-answer') return asked;
  const { refunds: values = [], cursor: next = null, errors } = asked.body;
  if (errors !== undefined || !Array.isArray(values))
    return noAnswer('refunds: a list that could not be read');
  const refunds: MirroredRefund[] = [];
  for (const value of values as readonly unknown[]) {
    const refund = readSquareRefund(value);
    if (refund === undefined) return noAnswer('refunds: a list with an unreadable entry');
    refunds.push(refund);
  }
  if (next !== null && textOf(next) === null) return noAnswer('refunds: a list that could not be read');
  return { kind: 'answer', refunds, next: textOf(next), providerDateMs: asked.providerDateMs };
};

/** All refunds since a time, all pages; what was read before it broke off goes along. */
const refundsSince = async (
  access: JsonAccess,
  sinceMs: number,
  deadlineMs: number,
): Promise<Extract<ListingAnswer, { kind: 'answer' }> | (NoAnswer & { refundsSeen: MirroredRefund[] })> => {
  const seen: MirroredRefund[] = [];
  const cursors = new Set<string>();
  let after: string | null = null;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page: RefundPageAnswer = await refundPage(access, sinceMs, after, deadlineMs);
    if (page.kind === 'no-answer') return { ...page, refundsSeen: seen };
    seen.push(...page.refunds);
    const { next, providerDateMs } = page;
    if (next === null) return { kind: 'answer', refunds: seen, disputes: [], providerDateMs };
    if (cursors.has(next)) break;
    cursors.add(next);
    after = next;
  }
  return { ...noAnswer('refunds: a list that runs in a circle, or without an end'), refundsSeen: seen };
};

/** There is no list by payment: all refunds since the payment was taken, and of them its own. */
const askAboutPayment = async (
  access: JsonAccess,
  paymentReference: string,
  deadlineMs: number,
): Promise<PaymentAnswer> => {
  const path = `/v2/payments/${encodeURIComponent(paymentReference)}`;
  const asked = await askJson(access, path, deadlineMs, isSquares);
  if (asked.kind === 'not-found') {
    return { ...noAnswer('Square does not know this payment.'), paymentNotFound: true };
  }
  if (asked.kind === 'no-answer') return asked;
  const payment = fieldsOf(asked.body['payment']);
  const takenAtMs = isoTimeMs(payment?.['created_at']);
  if (payment?.['id'] !== paymentReference || takenAtMs === undefined) {
    return noAnswer('payment that could not be read');
  }
  const listed = await refundsSince(access, takenAtMs, deadlineMs);
  const ofPayment = (refunds: readonly MirroredRefund[]) =>
    refunds.filter((refund) => refund.paymentReference === paymentReference);
  if (listed.kind === 'no-answer') return { ...listed, refundsSeen: ofPayment(listed.refundsSeen) };
  return {
    ...{ kind: 'answer', refunds: ofPayment(listed.refunds), disputes: [], disputesKnown: false },
    captured: moneyIn(payment['amount_money']) ?? null,
    providerDateMs: listed.providerDateMs,
  };
};

const askAboutRefund = async (
  access: JsonAccess,
  reference: string,
  deadlineMs: number,
): Promise<RefundAnswer> => {
  const asked = await askJson(access, `/v2/refunds/${encodeURIComponent(reference)}`, deadlineMs, isSquares);
  if (asked.kind !== 'answer') return asked;
  const record = readSquareRefund(asked.body['refund']);
  return record?.reference === reference
    ? { kind: 'answer', record }
    : noAnswer('refund that could not be read');
};

/** One Square account: lists that are behind, and keys of which nobody says how long they are known. */
export const createSquareAdapter = (options: SquareAdapterOptions): ProviderAdapter => {
  const { accessToken, apiBase = squareBase, nowMs } = options;
  const access: JsonAccess = {
    ...readBase('Square', apiBase, squareBase),
    headers: { authorization: `Bearer ${accessToken}` },
    nowMs,
  };
  return {
    contract: squareContract,
    encodeRefund: encodeSquareRefund,
    submit: (request, expected, deadlineMs) =>
      // The key is in the stored bytes.
      submitJson(access, { ...{ request, expected, deadlineMs, classify: classifySquare }, headers: {} }),
    askAboutPayment: (reference, deadlineMs) => askAboutPayment(access, reference, deadlineMs),
    askAboutRefund: (reference, deadlineMs) => askAboutRefund(access, reference, deadlineMs),
    listSince: (sinceMs, deadlineMs) => refundsSince(access, sinceMs, deadlineMs),
    refundPage: (sinceMs, after, deadlineMs) => refundPage(access, sinceMs, after, deadlineMs),
    askAccount: () => Promise.resolve({ ...notOffered('not asked of Square here'), reason: 'not-said-here' }),
    // Its signature is over the address that it was sent to, which an adapter does not know: none is believed.
    verifyWebhook: () => ({ ok: false, because: 'no-signature' }),
  };
};

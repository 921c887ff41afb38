import type { AttemptFinding, DeclineClass } from '@holdfast/operation';
import type {
  EncodeResult,
  MirroredRefund,
  PaymentAnswer,
  ProviderAdapter,
  RefundRequest,
} from '../provider-adapter.ts';
import type { ProviderContract } from '../provider-contract.ts';
import { fromProviderAmount, toProviderAmount } from '../provider-money.ts';
import { askJson } from '../wire/ask-json.ts';
import type { JsonAccess, JsonAnswered } from '../wire/call-json.ts';
import { requestProblem } from '../wire/check-request.ts';
import { fieldsOf, isoTimeMs, textOf, type Fields } from '../wire/fields.ts';
import { noAnswer, notOffered } from '../wire/no-answer.ts';
import { readBase } from '../wire/read-base.ts';
import { keyRefused, rateLimited, submitJson, unknown } from '../wire/submit-json.ts';
import { singleShotContract, statementContract } from './single-shot-contract.ts';

export type SingleShotAdapterOptions = {
  readonly password: string;
  readonly apiBase: string;
  /** `statement`: each payment's refunds can be read, and name nobody. */
  readonly books: 'none' | 'statement';
  readonly nowMs: () => number;
};

const encode = (request: RefundRequest): EncodeResult => {
  const problem = requestProblem(request, singleShotContract);
  if (problem !== undefined) return { ok: false, because: problem };
  const money = toProviderAmount(singleShotContract, request.amount);
  if (!money.ok) return { ok: false, because: money.because };
  const { paymentReference: payment, idempotencyKey } = request;
  return {
    ok: true,
    request: {
      method: 'POST',
      path: '/refunds',
      contentType: 'application/json',
      body: JSON.stringify({ payment, amount: money.amount, currency: money.currency.toUpperCase() }),
      ...{ idempotencyKey, apiVersion: '1' },
    },
  };
};

const readRefund = (value: unknown): MirroredRefund | undefined => {
  const entry = fieldsOf(value);
  const [reference, paymentReference] = [textOf(entry?.['refund']), textOf(entry?.['payment'])];
  const amount = fromProviderAmount(singleShotContract, entry?.['amount'], entry?.['currency']);
  const createdAtMs = isoTimeMs(entry?.['at']);
  const state = textOf(entry?.['state']);
  if (!reference || !paymentReference || !amount || createdAtMs === undefined || !state) return undefined;
  return {
    ...{ reference, paymentReference, amount, createdAtMs, statusText: state },
    status: state === 'done' ? 'succeeded' : state === 'returned' ? 'failed' : 'pending',
    failureReason: state === 'returned' ? state : null,
    ...{ organisationId: null, operationId: null },
  };
};

const isItsOwn = (_status: number, body: Fields): boolean =>
  typeof body['code'] === 'number' && body['code'] > 0;

/** The codes that are known to say that nothing was done, and nothing will be. */
const declineByCode: Readonly<Record<number, DeclineClass>> = {
  1: 'invalid-request',
  2: 'not-refundable',
  3: 'exceeds-unrefunded',
};

/** How one POST of a refund ended. By status and code, never by a text. Total. */
export const classifySingleShot = (answer: JsonAnswered): AttemptFinding => {
  const { status, body } = answer;
  if (body === undefined) return unknown(`answer ${String(status)} that could not be read`);
  if (status >= 200 && status <= 299) {
    const record = body['code'] === 0 ? readRefund(body) : undefined;
    return record === undefined
      ? unknown(`answer ${String(status)} without a whole refund`)
      : { kind: 'accepted', record };
  }
  if (!isItsOwn(status, body)) return unknown(`answer ${String(status)} that is not its own`);
  if (status === 401 || status === 403) return keyRefused;
  if (status === 429) return rateLimited(answer);
  const decline = declineByCode[Number(body['code'])];
  return (status === 400 || status === 422) && decline !== undefined
    ? { kind: 'rejected', decline, code: String(body['code']) }
    : unknown(`answer ${String(status)}`);
};

const askStatement = async (
  access: JsonAccess,
  payment: string,
  deadlineMs: number,
): Promise<PaymentAnswer> => {
  const path = `/statement?payment=${encodeURIComponent(payment)}`;
  const asked = await askJson(access, path, deadlineMs, isItsOwn);
  if (asked.kind === 'not-found') {
    return { ...noAnswer('The gateway does not know this payment.'), paymentNotFound: true };
  }
  if (asked.kind === 'no-answer') return asked;
  const { entries, captured, currency } = asked.body;
  if (!Array.isArray(entries)) return noAnswer('statement that could not be read');
  const refunds: MirroredRefund[] = [];
  for (const entry of entries as readonly unknown[]) {
    const refund = readRefund(entry);
    if (refund?.paymentReference !== payment) return noAnswer('statement with an unreadable entry');
    refunds.push(refund);
  }
  return {
    ...{ kind: 'answer', refunds, disputes: [], disputesKnown: false },
    captured: fromProviderAmount(singleShotContract, captured, currency) ?? null,
    providerDateMs: asked.providerDateMs,
  };
};

const contractOf = (books: SingleShotAdapterOptions['books']): ProviderContract =>
  books === 'statement' ? statementContract : singleShotContract;

/** A gateway that can be told once. */
export const createSingleShotAdapter = (options: SingleShotAdapterOptions): ProviderAdapter => {
  const { password, apiBase, books, nowMs } = options;
  const access: JsonAccess = {
    ...readBase('The gateway', apiBase, 'https://gateway.example'),
    headers: { authorization: `Bearer ${password}` },
    nowMs,
  };
  const noQuestion = () => Promise.resolve(notOffered('the gateway has no such question'));
  return {
    contract: contractOf(books),
    encodeRefund: encode,
    submit: (request, expected, deadlineMs) =>
      // No key goes along: there is nothing that would look at it.
      submitJson(access, { ...{ request, expected, deadlineMs, classify: classifySingleShot }, headers: {} }),
    askAboutPayment:
      books === 'statement'
        ? (reference, deadlineMs) => askStatement(access, reference, deadlineMs)
        : noQuestion,
    askAboutRefund: noQuestion,
    listSince: noQuestion,
    refundPage: noQuestion,
    askAccount: () =>
      Promise.resolve({ ...notOffered('the gateway has no such question'), reason: 'not-said-here' }),
    verifyWebhook: () => ({ ok: false, because: 'no-signature' }),
  };
};

import type { Answer, Books, Refund } from '../books.ts';
import { paymentOf } from '../books.ts';
import { recordIn, textIn, visible, type Call, type RefundCall, type Refusal, type Shape } from './shape.ts';

const dayMs = 24 * 3_600_000;

const error = (status: number, category: string, code: string): Answer => ({
  ...{ status, body: { errors: [{ category, code, detail: 'Words for people.' }] } },
});

const words = { pending: 'PENDING', succeeded: 'COMPLETED', failed: 'FAILED' } as const;

const view = (refund: Refund, status: Refund['status'] = refund.status) => ({
  id: refund.id,
  status: words[status],
  amount_money: { amount: refund.amount, currency: refund.currency },
  payment_id: refund.payment,
  ...(refund.reference === null ? {} : { reason: refund.reference }),
  created_at: new Date(refund.createdMs).toISOString(),
});

const refundCall = ({ method, path, body }: Call): RefundCall | 'bad-request' | undefined => {
  if (method !== 'POST' || path !== '/v2/refunds') return undefined;
  const { amount, currency } = recordIn(body?.['amount_money']);
  const payment = textIn(body?.['payment_id']);
  if (typeof amount !== 'number' || amount <= 0 || textIn(currency) === '' || payment === '')
    return 'bad-request';
  return { payment, amount, currency: textIn(currency), reference: body?.['reason'] ?? null };
};

const refused = (refusal: Refusal): Answer => {
  switch (refusal) {
    case 'unknown-payment':
      return error(404, 'INVALID_REQUEST_ERROR', 'NOT_FOUND');
    case 'bad-request':
      return error(400, 'INVALID_REQUEST_ERROR', 'INVALID_VALUE');
    case 'all-refunded':
    case 'too-much':
      return error(400, 'REFUND_ERROR', 'REFUND_AMOUNT_INVALID');
    case 'disputed':
      return error(400, 'REFUND_ERROR', 'PAYMENT_NOT_REFUNDABLE_DUE_TO_DISPUTE');
  }
};

const list = (books: Books, { query }: Call, atMs: number): Answer => {
  const since = Date.parse(query.get('begin_time') ?? '');
  const limit = Number(query.get('limit') ?? '100');
  const from = Number(query.get('cursor') ?? '0');
  const refunds = visible(books.refunds, atMs)
    .filter(({ provider, createdMs }) => provider === 'square' && !(createdMs < since))
    .reverse();
  const page = refunds.slice(from, from + limit).map((refund) => view(refund));
  // An empty list is left out, and so is the cursor of the last page.
  return {
    status: 200,
    body: {
      ...(page.length === 0 ? {} : { refunds: page }),
      ...(refunds.length > from + limit ? { cursor: String(from + limit) } : {}),
    },
  };
};

const question = (books: Books, call: Call, atMs: number): Answer | undefined => {
  if (call.method !== 'GET') return undefined;
  if (call.path === '/v2/refunds') return list(books, call, atMs);
  const [, kind, id = ''] = /^\/v2\/(refunds|payments)\/([^/]+)$/.exec(call.path) ?? [];
  if (kind === 'refunds') {
    const refund = books.refunds.find((one) => one.provider === 'square' && one.id === id);
    return refund === undefined
      ? refused('unknown-payment')
      : { status: 200, body: { refund: view(refund) } };
  }
  if (kind !== 'payments') return undefined;
  const payment = paymentOf(books, 'square', id);
  if (payment === undefined) return refused('unknown-payment');
  const { amount, currency } = payment;
  const created_at = '2026-01-01T00:00:00.000Z';
  return { status: 200, body: { payment: { id, created_at, amount_money: { amount, currency } } } };
};

/** Lists that are behind; keys that it knows for as long as it likes. */
export const squareShape: Shape = {
  name: 'square',
  refundPrefix: 'SQ',
  credential: ({ headers }) => headers['authorization']?.replace(/^Bearer /, ''),
  unauthorised: () => error(401, 'AUTHENTICATION_ERROR', 'UNAUTHORIZED'),
  tooMany: () => ({ ...error(429, 'RATE_LIMIT_ERROR', 'RATE_LIMITED'), headers: { 'retry-after': '2' } }),
  serverError: () => error(500, 'API_ERROR', 'INTERNAL_SERVER_ERROR'),
  refundCall,
  keyOf: ({ body }) => textIn(body?.['idempotency_key']) || null,
  keyWindowMs: dayMs,
  inFlight: () => error(409, 'API_ERROR', 'CONFLICT'),
  otherBody: () => error(400, 'INVALID_REQUEST_ERROR', 'IDEMPOTENCY_KEY_REUSED'),
  replays: 'saved',
  refuses: 'at-once',
  // It is pending first, whatever becomes of it.
  accepted: (refund) => ({ status: 200, body: { refund: view(refund, 'pending') } }),
  refused,
  question,
  webhook: null,
};

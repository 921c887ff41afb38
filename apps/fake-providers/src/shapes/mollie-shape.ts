import type { Answer, Books, Payment, Refund } from '../books.ts';
import { paymentOf, refundsOf } from '../books.ts';
import {
  centsIn,
  decimal,
  recordIn,
  textIn,
  visible,
  type Call,
  type RefundCall,
  type Refusal,
  type Shape,
} from './shape.ts';

const hourMs = 3_600_000;

const error = (status: number, title: string, field?: string): Answer => ({
  status,
  body: { status, title, detail: 'Words for people.', ...(field === undefined ? {} : { field }) },
});

const words = { pending: 'pending', succeeded: 'refunded', failed: 'failed' } as const;
const money = (amount: number, currency: string) => ({ currency, value: decimal(amount, currency) });

const view = (refund: Refund, status: Refund['status'] = refund.status) => ({
  resource: 'refund',
  id: refund.id,
  amount: money(refund.amount, refund.currency),
  status: words[status],
  metadata: refund.reference,
  paymentId: refund.payment,
  createdAt: new Date(refund.createdMs).toISOString(),
});

const refundCall = ({ method, path, body }: Call): RefundCall | 'bad-request' | undefined => {
  const payment = /^\/v2\/payments\/([^/]+)\/refunds$/.exec(path)?.[1];
  if (method !== 'POST' || payment === undefined) return undefined;
  const { value, currency } = recordIn(body?.['amount']);
  const amount = centsIn(value);
  if (amount === undefined || amount <= 0 || textIn(currency) === '') return 'bad-request';
  return { payment, amount, currency: textIn(currency), reference: body?.['metadata'] ?? null };
};

const refused = (refusal: Refusal): Answer => {
  switch (refusal) {
    case 'unknown-payment':
      return error(404, 'Not Found');
    case 'bad-request':
      return error(422, 'Unprocessable Entity');
    case 'all-refunded':
    case 'too-much':
      return error(422, 'Unprocessable Entity', 'amount');
    case 'disputed':
      return error(422, 'Unprocessable Entity', 'payment');
  }
};

/** Newest first; `from` begins at that entry, itself included. */
const list = (name: string, entries: { id: string }[], { query, path }: Call): Answer => {
  const limit = Number(query.get('limit') ?? '50');
  const from = query.get('from');
  const begin = from === null ? 0 : entries.findIndex(({ id }) => id === from);
  if (begin === -1) return error(404, 'Not Found');
  const page = entries.slice(begin, begin + limit);
  const following = entries[begin + limit];
  const next =
    following === undefined
      ? null
      : { href: `https://api.mollie.com${path}?from=${following.id}&limit=${String(limit)}` };
  return { status: 200, body: { count: page.length, _embedded: { [name]: page }, _links: { next } } };
};

const newestFirst = (refunds: readonly Refund[]) => [...refunds].reverse().map((refund) => view(refund));

const chargebacksOf = (payments: readonly Payment[]) =>
  payments.flatMap(({ id, amount, currency, disputed }) =>
    disputed === null
      ? []
      : [
          {
            ...{ resource: 'chargeback', id: disputed.id, amount: money(amount, currency), paymentId: id },
            ...{ createdAt: new Date(disputed.atMs).toISOString(), reversedAt: null },
          },
        ],
  );

const question = (books: Books, call: Call, atMs: number): Answer | undefined => {
  if (call.method !== 'GET') return undefined;
  const all = <Item extends { provider: string }>(items: Item[]): Item[] =>
    items.filter(({ provider }) => provider === 'mollie');
  switch (call.path) {
    case '/v2/refunds': {
      // A single refund by its ID is read from where it was written; only lists are behind.
      const isSingle = call.query.get('limit') === '1' && call.query.has('from');
      const refunds = isSingle ? all(books.refunds) : visible(all(books.refunds), atMs);
      return list('refunds', newestFirst(refunds), call);
    }
    case '/v2/chargebacks':
      return list('chargebacks', chargebacksOf(all(books.payments)), call);
    case '/v2/profiles/me':
      return { status: 200, body: { resource: 'profile', id: 'pfl_fake', mode: 'test' } };
  }
  const [, id = '', part] = /^\/v2\/payments\/([^/]+)(?:\/(refunds|chargebacks))?$/.exec(call.path) ?? [];
  if (id === '') return undefined;
  const payment = paymentOf(books, 'mollie', id);
  if (payment === undefined) return error(404, 'Not Found');
  if (part === 'refunds') return list('refunds', newestFirst(visible(refundsOf(books, payment), atMs)), call);
  if (part === 'chargebacks') return list('chargebacks', chargebacksOf([payment]), call);
  const { amount, currency } = payment;
  return { status: 200, body: { resource: 'payment', id, status: 'paid', amount: money(amount, currency) } };
};

/** Short memory for keys, and lists that may be behind. */
export const mollieShape: Shape = {
  name: 'mollie',
  refundPrefix: 're_',
  credential: ({ headers }) => headers['authorization']?.replace(/^Bearer /, ''),
  unauthorised: () => error(401, 'Unauthorized Request'),
  tooMany: () => ({ ...error(429, 'Too Many Requests'), headers: { 'retry-after': '2' } }),
  serverError: () => error(500, 'Internal Server Error'),
  refundCall,
  keyOf: ({ headers }) => headers['idempotency-key'] ?? null,
  keyWindowMs: hourMs,
  inFlight: () => error(409, 'Conflict'),
  otherBody: () => error(400, 'Bad Request'),
  replays: 'saved',
  refuses: 'at-once',
  // It is queued first, whatever becomes of it.
  accepted: (refund) => ({ status: 201, body: view(refund, 'pending') }),
  refused,
  question,
  webhook: null,
};

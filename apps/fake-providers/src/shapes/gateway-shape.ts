import type { Answer, Books, Refund } from '../books.ts';
import { paymentOf, refundsOf } from '../books.ts';
import { textIn, visible, type Call, type RefundCall, type Refusal, type Shape } from './shape.ts';

const error = (status: number, code: number): Answer => ({
  status,
  body: { code, text: 'Words for people.' },
});

const words = { pending: 'open', succeeded: 'done', failed: 'returned' } as const;

/** It has no field for anything of the caller's. */
const view = ({ id, payment, amount, currency, status, createdMs }: Refund) => ({
  ...{ refund: id, payment, amount, currency, state: words[status], at: new Date(createdMs).toISOString() },
});

const refundCall = ({ method, path, body }: Call): RefundCall | 'bad-request' | undefined => {
  if (method !== 'POST' || path !== '/refunds') return undefined;
  const { payment, amount, currency } = body ?? {};
  if (typeof payment !== 'string' || typeof currency !== 'string') return 'bad-request';
  if (typeof amount !== 'number' || amount <= 0) return 'bad-request';
  return { payment, amount, currency, reference: null };
};

const refused = (refusal: Refusal): Answer => {
  switch (refusal) {
    case 'unknown-payment':
    case 'bad-request':
      return error(400, 1);
    case 'disputed':
      return error(422, 2);
    case 'all-refunded':
    case 'too-much':
      return error(422, 3);
  }
};

const question = (books: Books, { method, path, query }: Call, atMs: number): Answer | undefined => {
  if (method !== 'GET' || path !== '/statement') return undefined;
  const payment = paymentOf(books, 'gateway', textIn(query.get('payment')));
  if (payment === undefined) return error(404, 9);
  const entries = visible(refundsOf(books, payment), atMs).map(view);
  return { status: 200, body: { entries, captured: payment.amount, currency: payment.currency } };
};

/** No key and no reference: whatever is sent twice is done twice. */
export const gatewayShape: Shape = {
  name: 'gateway',
  refundPrefix: 'G',
  credential: ({ headers }) => headers['authorization']?.replace(/^Bearer /, ''),
  unauthorised: () => error(401, 4),
  tooMany: () => ({ ...error(429, 5), headers: { 'retry-after': '2' } }),
  serverError: () => error(500, 6),
  refundCall,
  keyOf: () => null,
  keyWindowMs: 0,
  inFlight: () => error(409, 7),
  otherBody: null,
  replays: 'saved',
  refuses: 'at-once',
  accepted: (refund) => ({ status: 200, body: { code: 0, ...view(refund) } }),
  refused,
  question,
  webhook: null,
};

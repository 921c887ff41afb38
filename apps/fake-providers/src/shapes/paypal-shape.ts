import type { Answer, Books, Refund } from '../books.ts';
import {
  centsIn,
  decimal,
  recordIn,
  textIn,
  type Call,
  type RefundCall,
  type Refusal,
  type Shape,
} from './shape.ts';

const dayMs = 24 * 3_600_000;

const error = (status: number, name: string, issue?: string): Answer => ({
  status,
  body: {
    name,
    message: 'The requested action could not be performed.',
    debug_id: 'fake0debug',
    ...(issue === undefined ? {} : { details: [{ issue, description: 'See the issue.' }] }),
  },
});

const words = { pending: 'PENDING', succeeded: 'COMPLETED', failed: 'FAILED' } as const;

const view = (refund: Refund) => ({
  id: refund.id,
  status: words[refund.status],
  amount: { currency_code: refund.currency, value: decimal(refund.amount, refund.currency) },
  custom_id: refund.reference ?? undefined,
  ...(refund.status === 'failed' ? { status_details: { reason: 'ECHECK' } } : {}),
  create_time: new Date(refund.createdMs).toISOString(),
  update_time: new Date(refund.createdMs).toISOString(),
  links: [
    { rel: 'self', method: 'GET', href: `https://api-m.paypal.com/v2/payments/refunds/${refund.id}` },
    { rel: 'up', method: 'GET', href: `https://api-m.paypal.com/v2/payments/captures/${refund.payment}` },
  ],
});

const refundCall = ({ method, path, body }: Call): RefundCall | 'bad-request' | undefined => {
  const payment = /^\/v2\/payments\/captures\/([^/]+)\/refund$/.exec(path)?.[1];
  if (method !== 'POST' || payment === undefined) return undefined;
  const money = recordIn(body?.['amount']);
  const amount = centsIn(money['value']);
  const currency = textIn(money['currency_code']);
  if (amount === undefined || amount <= 0 || currency === '') return 'bad-request';
  return { payment, amount, currency, reference: body?.['custom_id'] ?? null };
};

const refused = (refusal: Refusal): Answer => {
  switch (refusal) {
    case 'bad-request':
      return error(400, 'INVALID_REQUEST', 'MALFORMED_REQUEST_JSON');
    case 'unknown-payment':
      return error(404, 'RESOURCE_NOT_FOUND', 'INVALID_RESOURCE_ID');
    case 'all-refunded':
      return error(422, 'UNPROCESSABLE_ENTITY', 'CAPTURE_FULLY_REFUNDED');
    case 'too-much':
      return error(422, 'UNPROCESSABLE_ENTITY', 'REFUND_AMOUNT_EXCEEDED');
    case 'disputed':
      return error(422, 'UNPROCESSABLE_ENTITY', 'CAPTURE_DISPUTED_PARTIAL_REFUND_NOT_ALLOWED');
  }
};

const question = (books: Books, { method, path }: Call): Answer | undefined => {
  const id = /^\/v2\/payments\/refunds\/([^/]+)$/.exec(path)?.[1];
  if (method !== 'GET' || id === undefined) return undefined;
  const refund = books.refunds.find((one) => one.provider === 'paypal' && one.id === id);
  return refund === undefined ? refused('unknown-payment') : { status: 200, body: view(refund) };
};

/** Answers a repeated key with what became of the earlier call, and lists nothing. */
export const paypalShape: Shape = {
  name: 'paypal',
  refundPrefix: 'PP',
  credential: ({ headers }) => headers['authorization']?.replace(/^Bearer /, ''),
  unauthorised: () => error(401, 'AUTHENTICATION_FAILURE'),
  tooMany: () => ({ ...error(429, 'RATE_LIMIT_REACHED'), headers: { 'retry-after': '2' } }),
  serverError: () => error(500, 'INTERNAL_SERVER_ERROR'),
  refundCall,
  keyOf: ({ headers }) => headers['paypal-request-id'] ?? null,
  keyWindowMs: 45 * dayMs,
  inFlight: () => error(409, 'RESOURCE_CONFLICT', 'PREVIOUS_REQUEST_IN_PROGRESS'),
  otherBody: null,
  replays: 'latest',
  refuses: 'at-once',
  accepted: (refund) => ({ status: 201, headers: { 'paypal-debug-id': 'fake0debug' }, body: view(refund) }),
  refused,
  question,
  webhook: null,
};

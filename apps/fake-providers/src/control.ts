import { z } from 'zod';
import { mint, nowMs, paymentOf, type Answer, type Books } from './books.ts';
import { faultInput, type Fault } from './faults.ts';
import { shapeNamed } from './shapes/shapes.ts';
import type { Call } from './shapes/shape.ts';
import type { Webhooks } from './webhooks.ts';

const provider = z.enum(['adyen', 'paypal', 'mollie', 'square', 'gateway']);
const payments = z.array(
  z.object({ provider, id: z.string(), amount: z.number().int().positive(), currency: z.string() }),
);
const byHand = z.object({ provider, payment: z.string(), amount: z.number().int().positive() });
const settled = z.object({ status: z.enum(['pending', 'succeeded', 'failed']) });
const dispute = z.object({ provider, payment: z.string() });
const clock = z.object({ aheadMs: z.number().int().nonnegative() });
const endpoint = z.object({ provider, url: z.url(), secret: z.string() });

const fine = (body: unknown = {}): Answer => ({ status: 200, body });
const notFound: Answer = { status: 404, body: { problem: 'not found' } };

export interface World {
  books: Books;
  faults: Fault[];
  webhooks: Webhooks;
}

/** What a person could do in the provider's dashboard, and what only a fake allows. */
export const control = (
  { books, faults, webhooks }: World,
  { method, path }: Call,
  body: unknown,
): Answer => {
  const settle = /^\/fake\/refunds\/([^/]+)$/.exec(path)?.[1];
  if (method === 'POST' && settle !== undefined) {
    const refund = books.refunds.find(({ id }) => id === settle);
    if (refund === undefined) return notFound;
    const wasPending = refund.status === 'pending';
    refund.status = settled.parse(body).status;
    webhooks.tell(shapeNamed(refund.provider), refund, wasPending ? 'settled' : 'reversed');
    return fine();
  }
  switch (`${method} ${path}`) {
    case 'GET /fake/ledger':
      return fine({ refunds: books.refunds });
    case 'GET /fake/requests':
      return fine({ requests: books.requests });
    case 'POST /fake/payments':
      for (const payment of payments.parse(body)) books.payments.push({ ...payment, disputed: null });
      return fine();
    case 'POST /fake/faults':
      faults.push(faultInput.parse(body));
      return fine();
    case 'DELETE /fake/faults':
      faults.length = 0;
      return fine();
    case 'POST /fake/refunds': {
      const hand = byHand.parse(body);
      const payment = paymentOf(books, hand.provider, hand.payment);
      if (payment === undefined) return notFound;
      const shape = shapeNamed(hand.provider);
      const at = nowMs(books);
      const refund = {
        ...{ ...hand, id: mint(books, shape.refundPrefix), currency: payment.currency, reference: null },
        ...{ status: 'succeeded' as const, createdMs: at, shownFromMs: at },
      };
      books.refunds.push(refund);
      webhooks.tell(shape, refund, 'settled');
      return fine({ id: refund.id });
    }
    case 'POST /fake/disputes': {
      const named = dispute.parse(body);
      const payment = paymentOf(books, named.provider, named.payment);
      if (payment === undefined) return notFound;
      payment.disputed = { id: mint(books, 'chb_'), atMs: nowMs(books) };
      return fine({ id: payment.disputed.id });
    }
    case 'POST /fake/clock':
      books.aheadMs = clock.parse(body).aheadMs;
      return fine();
    case 'POST /fake/webhook_endpoint':
      books.endpoints.push(endpoint.parse(body));
      return fine();
    case 'POST /fake/webhooks/release':
      webhooks.release();
      return fine();
    default:
      return notFound;
  }
};

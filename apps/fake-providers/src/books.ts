/** What the fakes remember. One process, one set of books; money in each provider's own smallest unit. */
export type ShapeName = 'adyen' | 'paypal' | 'mollie' | 'square' | 'gateway';

export interface Payment {
  provider: ShapeName;
  id: string;
  amount: number;
  currency: string;
  disputed: { id: string; atMs: number } | null;
}

export interface Refund {
  provider: ShapeName;
  id: string;
  payment: string;
  amount: number;
  currency: string;
  status: 'pending' | 'succeeded' | 'failed';
  /** What the caller sent along for itself; `null` for a refund made by hand, and where the shape has no field for it. */
  reference: unknown;
  createdMs: number;
  /** Not shown by any list before this time, as with a list that lags. */
  shownFromMs: number;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** What is kept under a key: the answer, or that the first call is still running. */
export interface Kept {
  atMs: number;
  body: string;
  refundId: string | null;
  answer: Answer | null;
}

export interface ReceivedRequest {
  provider: ShapeName;
  method: string;
  path: string;
  key: string | null;
  body: string;
}

export interface Endpoint {
  provider: ShapeName;
  url: string;
  secret: string;
}

export interface Books {
  payments: Payment[];
  refunds: Refund[];
  kept: Map<string, Kept>;
  requests: ReceivedRequest[];
  endpoints: Endpoint[];
  /** How far the fakes' clock is ahead of the machine's: tests move it, so that keys are forgotten. */
  aheadMs: number;
  counter: number;
}

export const openBooks = (): Books => ({
  payments: [],
  refunds: [],
  kept: new Map(),
  requests: [],
  endpoints: [],
  aheadMs: 0,
  counter: 0,
});

export const nowMs = (books: Books): number => Date.now() + books.aheadMs;

export const mint = (books: Books, prefix: string): string => {
  books.counter += 1;
  return `${prefix}${String(books.counter).padStart(12, '0')}`;
};

export const paymentOf = (books: Books, provider: ShapeName, id: string): Payment | undefined =>
  books.payments.find((payment) => payment.provider === provider && payment.id === id);

export const refundsOf = (books: Books, { provider, id }: Pick<Payment, 'provider' | 'id'>): Refund[] =>
  books.refunds.filter((refund) => refund.provider === provider && refund.payment === id);

export const unrefunded = (books: Books, payment: Payment): number =>
  refundsOf(books, payment)
    .filter(({ status }) => status !== 'failed')
    .reduce((left, { amount }) => left - amount, payment.amount);

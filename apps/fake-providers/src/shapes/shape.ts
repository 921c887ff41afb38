import type { Answer, Books, Payment, Refund, ShapeName } from '../books.ts';

/** One request as a shape sees it. */
export interface Call {
  method: string;
  /** Below the shape's own prefix. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
  body: Record<string, unknown> | undefined;
}

/** A refund that is asked for, in the words of no provider. */
export interface RefundCall {
  payment: string;
  amount: number;
  currency: string;
  reference: unknown;
}

/** Why a refund is not made. */
export type Refusal = 'unknown-payment' | 'bad-request' | 'all-refunded' | 'too-much' | 'disputed';

/** How one provider behaves: its words, and what it promises. */
export interface Shape {
  name: ShapeName;
  refundPrefix: string;
  credential: (call: Call) => string | undefined;
  unauthorised: () => Answer;
  tooMany: () => Answer;
  serverError: () => Answer;
  /** `undefined`: this call makes no refund. `'bad-request'`: it would, and cannot be read. */
  refundCall: (call: Call) => RefundCall | 'bad-request' | undefined;
  /** `null` where the shape knows no keys. */
  keyOf: (call: Call) => string | null;
  keyWindowMs: number;
  /** A second call while the first one runs. */
  inFlight: () => Answer;
  /** The same key with another body; `null`: it does not look, and answers as before. */
  otherBody: (() => Answer) | null;
  /** `latest`: a repeated key is answered with what became of it, and failures are not kept. */
  replays: 'saved' | 'latest';
  /** `later`: too much is taken first and refused by webhook. */
  refuses: 'at-once' | 'later';
  accepted: (refund: Refund, payment: Payment) => Answer;
  refused: (refusal: Refusal) => Answer;
  /** All its questions; `undefined`: there is no such path. */
  question: (books: Books, call: Call, atMs: number) => Answer | undefined;
  /** What is delivered about a refund; `null` where nothing is. */
  webhook: ((refund: Refund, event: 'settled' | 'reversed', secret: string) => unknown) | null;
}

export const visible = (refunds: readonly Refund[], atMs: number): Refund[] =>
  refunds.filter(({ shownFromMs }) => shownFromMs <= atMs);

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

export const recordIn = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** "25.00" to 2500; `undefined` for anything but digits with at most one point. */
export const centsIn = (value: unknown): number | undefined => {
  const text = textIn(value);
  return /^\d+(\.\d+)?$/.test(text) ? Number(text.replace('.', '')) : undefined;
};

/** 2500 to "25.00". The yen has no smaller unit. */
export const decimal = (amount: number, currency: string): string =>
  currency === 'JPY'
    ? String(amount)
    : `${String(Math.floor(amount / 100))}.${String(amount % 100).padStart(2, '0')}`;

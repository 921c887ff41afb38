import { setTimeout as pause } from 'node:timers/promises';
import {
  mint,
  nowMs,
  paymentOf,
  unrefunded,
  type Answer,
  type Books,
  type Payment,
  type Refund,
} from './books.ts';
import type { Fault } from './faults.ts';
import type { Call, RefundCall, Refusal, Shape } from './shapes/shape.ts';

export interface Made {
  answer: Answer;
  /** The refund that this very call made; `null` where it made none. */
  refund: Refund | null;
}

/** Long enough that of two calls at once the second meets the first one running. */
const workMs = 40;

const refusalOf = (books: Books, payment: Payment | undefined, call: RefundCall): Refusal | null => {
  if (payment === undefined) return 'unknown-payment';
  if (payment.currency !== call.currency) return 'bad-request';
  if (payment.disputed !== null) return 'disputed';
  const left = unrefunded(books, payment);
  if (left <= 0) return 'all-refunded';
  return call.amount > left ? 'too-much' : null;
};

const carryOut = (
  books: Books,
  shape: Shape,
  call: RefundCall | 'bad-request',
  fault: Fault | undefined,
): Made => {
  if (call === 'bad-request') return { answer: shape.refused('bad-request'), refund: null };
  const payment = paymentOf(books, shape.name, call.payment);
  const refusal = refusalOf(books, payment, call);
  const later = shape.refuses === 'later' && refusal !== 'unknown-payment' && refusal !== 'bad-request';
  if (payment === undefined || (refusal !== null && !later)) {
    return { answer: shape.refused(refusal ?? 'unknown-payment'), refund: null };
  }
  const atMs = nowMs(books);
  const refund: Refund = {
    provider: shape.name,
    id: mint(books, shape.refundPrefix),
    payment: payment.id,
    amount: fault?.do === 'wrong_amount' ? fault.amount : call.amount,
    currency: call.currency,
    // What is refused later stands as failed in the books at once, so that nothing is ever taken twice meanwhile.
    status: refusal !== null ? 'failed' : fault?.do === 'stays_pending' ? 'pending' : 'succeeded',
    reference: call.reference,
    createdMs: atMs,
    // Lists can be behind whatever else goes wrong.
    shownFromMs: atMs + (fault?.ms ?? 0),
  };
  books.refunds.push(refund);
  return { answer: shape.accepted(refund, payment), refund };
};

/** What stands under the key, where it is still remembered. */
const repeated = (books: Books, shape: Shape, slot: string, body: string): Answer | undefined => {
  const kept = books.kept.get(slot);
  if (kept === undefined || nowMs(books) - kept.atMs >= shape.keyWindowMs) return undefined;
  if (kept.body !== body && shape.otherBody !== null) return shape.otherBody();
  if (kept.answer === null) return shape.inFlight();
  const refund = books.refunds.find(({ id }) => id === kept.refundId);
  const payment = refund && paymentOf(books, shape.name, refund.payment);
  if (shape.replays === 'saved' || refund === undefined || payment === undefined) return kept.answer;
  return { ...shape.accepted(refund, payment), status: 200 };
};

/** Carries out one call that makes a refund, once per key while the key is remembered. */
export const makeRefund = async (
  books: Books,
  shape: Shape,
  call: Call,
  asked: RefundCall | 'bad-request',
  rawBody: string,
  fault: Fault | undefined,
): Promise<Made> => {
  const key = shape.keyOf(call);
  if (key === null) {
    await pause(workMs);
    return carryOut(books, shape, asked, fault);
  }
  const slot = `${shape.name} ${key}`;
  const known = repeated(books, shape, slot, rawBody);
  if (known !== undefined) return { answer: known, refund: null };
  const kept = {
    atMs: nowMs(books),
    body: rawBody,
    refundId: null as string | null,
    answer: null as Answer | null,
  };
  books.kept.set(slot, kept);
  await pause(workMs);
  const made = carryOut(books, shape, asked, fault);
  // Only what was taken is kept: what these shapes save of their failures is published by none of them.
  if (made.refund === null) books.kept.delete(slot);
  kept.refundId = made.refund?.id ?? null;
  kept.answer = made.answer;
  return made;
};

import type Stripe from 'stripe';
import type { Fault } from '../faults/fault.ts';

/** Times ending in Ms are milliseconds on the fake's movable clock; `created` is in seconds, as in Stripe. */

export interface PaymentRecord {
  id: string;
  charge: string;
  amount: number;
  currency: string;
  created: number;
}

export type RefundStatus = 'pending' | 'succeeded' | 'failed' | 'canceled';

export interface PlannedChange {
  status: RefundStatus;
  dueMs: number;
  failureReason: string | null;
}

export interface RefundRecord {
  id: string;
  paymentIntent: string;
  charge: string;
  amount: number;
  currency: string;
  created: number;
  status: RefundStatus;
  failureReason: string | null;
  reason: string | null;
  metadata: Record<string, string>;
  hiddenFromListUntilMs: number | null;
  planned: PlannedChange | null;
}

export interface DisputeRecord {
  id: string;
  paymentIntent: string;
  charge: string;
  amount: number;
  currency: string;
  created: number;
  reason: string;
  status: DisputeStatus;
}

export const disputeStatuses = [
  'needs_response',
  'under_review',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'won',
  'lost',
] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

export type EventType =
  | 'refund.created'
  | 'refund.updated'
  | 'refund.failed'
  | 'charge.refunded'
  | 'charge.dispute.created'
  | 'charge.dispute.closed';

/** `object` is the snapshot at the time of the event; it never changes afterwards, as at Stripe. */
export interface EventRecord {
  id: string;
  type: EventType;
  created: number;
  paymentIntent: string;
  object: Stripe.Refund | Stripe.Charge | Stripe.Dispute;
  previousAttributes: Record<string, unknown> | null;
  request: { id: string | null; idempotency_key: string | null };
}

export interface DeliveryAttempt {
  atMs: number;
  /** The receiver's HTTP status, or null where no answer came. */
  status: number | null;
  problem: string | null;
  tookMs: number;
  note: string | null;
}

/**
 * `due`: sent when its time comes. `held`: by the fault `hold`, until released. `waiting`: by the fault
 * `reorder`, until another event has overtaken it. `unaddressed`: there was no endpoint when it happened.
 */
export type DeliveryState = 'due' | 'held' | 'waiting' | 'delivered' | 'given_up' | 'unaddressed';

export interface DeliveryRecord {
  event: string;
  state: DeliveryState;
  dueMs: number;
  /** More than one when the fault `duplicate` wants the same event to arrive again. */
  copiesLeft: number;
  beforeResponse: boolean;
  attempts: DeliveryAttempt[];
}

export interface RecordedAnswer {
  status: number;
  body: string;
}

export interface KeyRecord {
  key: string;
  fingerprint: string;
  answer: RecordedAnswer;
  requestId: string;
  receivedMs: number;
}

export interface RequestRecord {
  number: number;
  id: string;
  atMs: number;
  method: string;
  path: string;
  idempotencyKey: string | null;
  body: string;
  /** Null while it is being answered. */
  status: number | 'dropped' | null;
  replayed: boolean;
  executed: string | null;
  fault: string | null;
}

export interface ArmedFault {
  id: string;
  fault: Fault;
  timesLeft: number | null;
  /** Matching calls so far; `every: 3` hits when this reaches 3, 6, 9 … */
  seen: number;
  hits: number;
  armedMs: number;
}

export interface WebhookEndpoint {
  url: string;
  secret: string;
}

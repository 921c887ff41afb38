import { keyLifetimeMs } from '../stripe/idempotency.ts';
import type { DeliveryStep, JournalEntry } from './journal-entry.ts';
import type {
  ArmedFault,
  DeliveryRecord,
  DisputeRecord,
  EventRecord,
  KeyRecord,
  PaymentRecord,
  RefundRecord,
  RequestRecord,
  WebhookEndpoint,
} from './records.ts';

/** Maps keep the order of creation; readers that want the newest first walk them backwards. */
export interface Ledger {
  clockOffsetMs: number;
  endpoint: WebhookEndpoint | null;
  payments: Map<string, PaymentRecord>;
  paymentOfCharge: Map<string, string>;
  refunds: Map<string, RefundRecord>;
  refundsOfPayment: Map<string, string[]>;
  disputes: Map<string, DisputeRecord>;
  events: Map<string, EventRecord>;
  deliveries: Map<string, DeliveryRecord>;
  /** Kept beside `deliveries` so that a wake-up need not read the whole history. */
  undelivered: Set<string>;
  unsettled: Set<string>;
  keys: Map<string, KeyRecord>;
  requests: Map<number, RequestRecord>;
  requestCount: number;
  faults: Map<string, ArmedFault>;
}

/** Enough for any test and a long demo; about 20 MB at 1 kB a request. Older ones leave the log first. */
const requestsKept = 20_000;

export function emptyLedger(): Ledger {
  return {
    clockOffsetMs: 0,
    endpoint: null,
    payments: new Map(),
    paymentOfCharge: new Map(),
    refunds: new Map(),
    refundsOfPayment: new Map(),
    disputes: new Map(),
    events: new Map(),
    deliveries: new Map(),
    undelivered: new Set(),
    unsettled: new Set(),
    keys: new Map(),
    requests: new Map(),
    requestCount: 0,
    faults: new Map(),
  };
}

/**
 * The only place that changes a ledger. It depends on nothing but its arguments, so folding the same journal
 * again yields the same ledger: that is what a restart does. It works in place because copying the maps for
 * each entry would make a long history quadratic.
 */
export function fold(ledger: Ledger, entry: JournalEntry): void {
  switch (entry.kind) {
    case 'payment.registered':
      ledger.payments.set(entry.payment.id, entry.payment);
      ledger.paymentOfCharge.set(entry.payment.charge, entry.payment.id);
      return;
    case 'refund.created':
      return addRefund(ledger, entry.refund);
    case 'refund.changed':
      return changeRefund(ledger, entry);
    case 'dispute.created':
      ledger.disputes.set(entry.dispute.id, entry.dispute);
      return;
    case 'dispute.changed':
      ledger.disputes.set(entry.id, { ...known(ledger.disputes, entry.id), status: entry.status });
      return;
    case 'event.recorded':
      ledger.events.set(entry.event.id, entry.event);
      return setDelivery(ledger, entry.delivery);
    case 'delivery.attempted':
      return addAttempt(ledger, entry.event, entry.attempt, entry.next);
    case 'delivery.moved': {
      const { state, dueMs } = entry;
      return setDelivery(ledger, { ...known(ledger.deliveries, entry.event), state, dueMs });
    }
    case 'key.recorded':
      return addKey(ledger, entry.record);
    case 'request.received':
      return addRequest(ledger, entry.request);
    case 'request.answered': {
      const request = ledger.requests.get(entry.number);
      if (request !== undefined) ledger.requests.set(entry.number, { ...request, ...entry.outcome });
      return;
    }
    case 'fault.armed':
      ledger.faults.set(entry.armed.id, entry.armed);
      return;
    case 'fault.counted':
      return countFault(ledger.faults, entry.id, entry.hit);
    case 'fault.removed':
      ledger.faults.delete(entry.id);
      return;
    case 'clock.moved':
      ledger.clockOffsetMs += entry.byMs;
      return;
    case 'endpoint.set':
      ledger.endpoint = entry.endpoint;
  }
}

/** Exported because choosing the faults of several events at once needs the same counting on a copy. */
export function countFault(faults: Map<string, ArmedFault>, id: string, hit: boolean): void {
  const armed = faults.get(id);
  if (armed === undefined) return;
  const timesLeft = armed.timesLeft === null ? null : armed.timesLeft - (hit ? 1 : 0);
  if (timesLeft === 0) {
    faults.delete(id);
    return;
  }
  faults.set(id, { ...armed, timesLeft, seen: armed.seen + 1, hits: armed.hits + (hit ? 1 : 0) });
}

function known<Value>(map: Map<string, Value>, id: string): Value {
  const value = map.get(id);
  if (value === undefined) throw new Error(`The journal speaks of ${id} before creating it.`);
  return value;
}

function addRefund(ledger: Ledger, refund: RefundRecord): void {
  ledger.refunds.set(refund.id, refund);
  const siblings = ledger.refundsOfPayment.get(refund.paymentIntent);
  if (siblings === undefined) ledger.refundsOfPayment.set(refund.paymentIntent, [refund.id]);
  else siblings.push(refund.id);
  if (refund.planned !== null) ledger.unsettled.add(refund.id);
}

function changeRefund(ledger: Ledger, entry: Extract<JournalEntry, { kind: 'refund.changed' }>): void {
  const { status, failureReason } = entry;
  ledger.refunds.set(entry.id, { ...known(ledger.refunds, entry.id), status, failureReason, planned: null });
  ledger.unsettled.delete(entry.id);
}

function setDelivery(ledger: Ledger, delivery: DeliveryRecord): void {
  ledger.deliveries.set(delivery.event, delivery);
  const open = delivery.state === 'due' || delivery.state === 'held' || delivery.state === 'waiting';
  if (open) ledger.undelivered.add(delivery.event);
  else ledger.undelivered.delete(delivery.event);
}

function addAttempt(
  ledger: Ledger,
  event: string,
  attempt: DeliveryRecord['attempts'][number],
  next: DeliveryStep,
): void {
  const delivery = known(ledger.deliveries, event);
  setDelivery(ledger, { ...delivery, ...next, attempts: [...delivery.attempts, attempt] });
}

function addKey(ledger: Ledger, record: KeyRecord): void {
  ledger.keys.delete(record.key);
  ledger.keys.set(record.key, record);
  for (const [key, old] of ledger.keys) {
    if (record.receivedMs - old.receivedMs < keyLifetimeMs) return;
    ledger.keys.delete(key);
  }
}

function addRequest(ledger: Ledger, request: RequestRecord): void {
  ledger.requestCount = request.number;
  ledger.requests.set(request.number, request);
  ledger.requests.delete(request.number - requestsKept);
}

import type { DeliveryStep, JournalEntry } from '../ledger/journal-entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { DeliveryRecord } from '../ledger/records.ts';

/** Far quicker than Stripe's hours, so that nobody waits for a demonstration; the last pause repeats. */
const pausesMs = [500, 1000, 2000, 5000, 10_000, 30_000, 60_000];
/** About an hour and a half of trying; after it the event stays in the log as undelivered. */
const mostAttempts = 100;

/** What follows an attempt that was answered with `status`, or with nothing. */
export function planNext(delivery: DeliveryRecord, status: number | null, nowMs: number): DeliveryStep {
  const reached = status !== null && status >= 200 && status < 300;
  if (reached && delivery.copiesLeft <= 1) return { state: 'delivered', dueMs: nowMs, copiesLeft: 0 };
  if (reached) return { state: 'due', dueMs: nowMs, copiesLeft: delivery.copiesLeft - 1 };
  const made = delivery.attempts.length + 1;
  if (made >= mostAttempts) return { state: 'given_up', dueMs: nowMs, copiesLeft: delivery.copiesLeft };
  const pauseMs = pausesMs[Math.min(made, pausesMs.length) - 1] ?? 0;
  return { state: 'due', dueMs: nowMs + pauseMs, copiesLeft: delivery.copiesLeft };
}

/** Open deliveries in the order of their events. `waiting` ones go too once nothing overtook them in time. */
export function sendable(ledger: Ledger): DeliveryRecord[] {
  return [...ledger.undelivered]
    .flatMap((event) => ledger.deliveries.get(event) ?? [])
    .filter(({ state }) => state === 'due' || state === 'waiting');
}

/** An event that was to be overtaken goes as soon as a later one has arrived. */
export function releaseOvertaken(ledger: Ledger, arrived: string, nowMs: number): JournalEntry[] {
  const order = [...ledger.undelivered];
  const position = order.indexOf(arrived);
  return order
    .slice(0, Math.max(0, position))
    .flatMap((event): JournalEntry[] =>
      ledger.deliveries.get(event)?.state === 'waiting'
        ? [{ kind: 'delivery.moved', event, state: 'due', dueMs: nowMs }]
        : [],
    );
}

/** `payments`: only events about these; all that is held where it is `null`. */
export function releaseHeld(
  ledger: Ledger,
  nowMs: number,
  payments: ReadonlySet<string> | null = null,
): JournalEntry[] {
  const isMeant = (event: string): boolean =>
    payments === null || payments.has(ledger.events.get(event)?.paymentIntent ?? '');
  return [...ledger.undelivered].flatMap((event): JournalEntry[] =>
    ledger.deliveries.get(event)?.state === 'held' && isMeant(event)
      ? [{ kind: 'delivery.moved', event, state: 'due', dueMs: nowMs }]
      : [],
  );
}

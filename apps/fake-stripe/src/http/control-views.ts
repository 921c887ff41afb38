import type { ArmedFault, RefundRecord } from '../ledger/records.ts';
import { toDispute } from '../stripe/dispute-object.ts';
import { toEvent } from '../stripe/event-object.ts';
import type { World } from '../world.ts';

/** The JSON that tests assert on. Fields may be added, never bent. */

const instant = (ms: number) => new Date(ms).toISOString();

export function health(): object {
  return { program: 'holdfast-fake-stripe', ok: true, pid: process.pid };
}

export function ledger(world: World): object {
  const { refunds, payments, disputes, events, requestCount } = world.ledger;
  return {
    refunds: [...refunds.values()].map(showRefund),
    payment_intents: [...payments.values()],
    disputes: [...disputes.values()].map(toDispute),
    webhooks: countBy([...world.ledger.deliveries.values()].map(({ state }) => state)),
    events: events.size,
    requests: { posts: requestCount, calls: Object.fromEntries(world.calls) },
  };
}

function showRefund(refund: RefundRecord): object {
  const { id, paymentIntent, charge, amount, currency, status, failureReason, reason, metadata, created } =
    refund;
  return {
    id,
    payment_intent: paymentIntent,
    charge,
    amount,
    currency,
    status,
    failure_reason: failureReason,
    reason,
    metadata,
    created,
  };
}

export function requests(world: World): object {
  const shown = [...world.ledger.requests.values()].map(({ atMs, idempotencyKey, executed, ...request }) => ({
    ...request,
    time: instant(atMs),
    idempotency_key: idempotencyKey,
    refund: executed,
  }));
  return { requests: shown };
}

export function webhooks(world: World): object {
  const { endpoint, deliveries, events } = world.ledger;
  const shown = [...deliveries.values()].flatMap((delivery) => {
    const event = events.get(delivery.event);
    if (event === undefined) return [];
    const { state, dueMs, copiesLeft } = delivery;
    const attempts = delivery.attempts.map(({ atMs, tookMs, ...attempt }) => ({
      at: instant(atMs),
      took_ms: tookMs,
      ...attempt,
    }));
    return [
      { state, due: instant(dueMs), copies_left: copiesLeft, attempts, event: toEvent(event, delivery) },
    ];
  });
  return { endpoint: endpoint === null ? null : { url: endpoint.url }, webhooks: shown };
}

export function fault({ id, fault: { times, ...rest }, timesLeft, seen, hits }: ArmedFault): object {
  return { id, ...rest, times: times ?? 'always', times_left: timesLeft ?? 'always', seen, hits };
}

export function faults(world: World): object {
  return { faults: [...world.ledger.faults.values()].map(fault) };
}

export function clock(world: World): object {
  const nowMs = world.nowMs();
  const { clockOffsetMs } = world.ledger;
  return { now: instant(nowMs), nowMs, offsetMs: clockOffsetMs };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}

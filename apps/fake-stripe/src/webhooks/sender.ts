import { setTimeout as wait } from 'node:timers/promises';
import { selectFault } from '../faults/select-fault.ts';
import type { JournalEntry } from '../ledger/journal-entry.ts';
import type { DeliveryAttempt, DeliveryRecord, EventRecord, WebhookEndpoint } from '../ledger/records.ts';
import { toEvent } from '../stripe/event-object.ts';
import { wakeUpFor } from '../wake-up.ts';
import type { World } from '../world.ts';
import { planNext, releaseOvertaken, sendable } from './delivery-plan.ts';
import { signatureHeader } from './signature.ts';

export interface Sender {
  /** Attempts these events now and resolves once each was answered, or after a few seconds. */
  deliverFirst(events: readonly string[]): Promise<void>;
  stop(): void;
}

const answerWithinMs = 10_000;
/** A receiver that hangs must not hold the refund's own answer for ever. */
const deliverFirstWithinMs = 5000;
const sentAtOnce = 8;

export function startSender(world: World): Sender {
  const running = new Map<string, Promise<void>>();
  // One event of a payment at a time: Stripe promises no order, but a test can only ask for disorder (by the
  // fault `reorder`) if there is order without it.
  const busyPayments = new Set<string>();

  async function attempt(event: EventRecord, delivery: DeliveryRecord): Promise<void> {
    busyPayments.add(event.paymentIntent);
    await world.durable();
    const made = await post(world, event, delivery);
    const nowMs = world.nowMs();
    const next = planNext(delivery, made.status, nowMs);
    const reached = made.status !== null && made.status < 300;
    const overtaken = reached ? releaseOvertaken(world.ledger, event.id, nowMs) : [];
    running.delete(event.id);
    busyPayments.delete(event.paymentIntent);
    void world.commit([{ kind: 'delivery.attempted', event: event.id, attempt: made, next }, ...overtaken]);
  }

  function start(id: string): Promise<void> {
    const [event, delivery] = [world.ledger.events.get(id), world.ledger.deliveries.get(id)];
    if (event === undefined || delivery === undefined) return Promise.resolve();
    const promise = attempt(event, delivery);
    running.set(id, promise);
    return promise;
  }

  const wakeUp = wakeUpFor(world, () => {
    const nowMs = world.nowMs();
    let nextMs: number | null = null;
    for (const { event, dueMs } of sendable(world.ledger)) {
      if (running.has(event)) continue;
      const payment = world.ledger.events.get(event)?.paymentIntent ?? '';
      const free = running.size < sentAtOnce && !busyPayments.has(payment);
      if (dueMs > nowMs) nextMs = Math.min(nextMs ?? dueMs, dueMs);
      else if (free) void start(event);
    }
    return nextMs;
  });

  return {
    async deliverFirst(events) {
      const attempts = Promise.all(events.map((event) => running.get(event) ?? start(event)));
      const patience = new AbortController();
      const tooLong = wait(deliverFirstWithinMs, undefined, { signal: patience.signal }).catch(
        () => undefined,
      );
      await Promise.race([attempts, tooLong]);
      patience.abort();
    },
    stop: () => wakeUp.stop(),
  };
}

async function post(world: World, event: EventRecord, delivery: DeliveryRecord): Promise<DeliveryAttempt> {
  const { endpoint } = world.ledger;
  const startedMs = world.nowMs();
  if (endpoint === null) {
    return { atMs: startedMs, status: null, problem: 'no endpoint is set', tookMs: 0, note: null };
  }
  const signing = chooseSigning(world, event, endpoint);
  const payload = JSON.stringify(toEvent(event, delivery), null, 2);
  // By the machine's clock: a receiver judges the age of a signature by its own, which nobody has moved.
  const started = Date.now();
  const timestamp = Math.floor((started - signing.ageMs) / 1000);
  const signature = signatureHeader(payload, signing.secret, timestamp);
  const answer = await send(endpoint.url, payload, signature);
  return { atMs: startedMs, ...answer, tookMs: Date.now() - started, note: signing.note };
}

interface Signing {
  secret: string;
  ageMs: number;
  note: string | null;
}

function chooseSigning(world: World, event: EventRecord, endpoint: WebhookEndpoint): Signing {
  const call = { on: 'webhook', paymentIntent: event.paymentIntent } as const;
  const kinds = ['wrong_signature', 'stale_timestamp'] as const;
  const { fault, counted } = selectFault(world.ledger.faults.values(), call, kinds);
  const entries: JournalEntry[] = counted;
  if (entries.length > 0) void world.commit(entries);
  if (fault === null) return { secret: endpoint.secret, ageMs: 0, note: null };
  if (fault.do === 'stale_timestamp') return { secret: endpoint.secret, ageMs: fault.ms, note: fault.do };
  return { secret: 'whsec_not_the_secret', ageMs: 0, note: fault.do };
}

async function send(
  url: string,
  body: string,
  signature: string,
): Promise<Pick<DeliveryAttempt, 'status' | 'problem'>> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerWithinMs),
    });
    await response.body?.cancel();
    return { status: response.status, problem: null };
  } catch (problem) {
    return { status: null, problem: describe(problem) };
  }
}

function describe(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  const { cause } = problem;
  return cause instanceof Error && cause.message !== '' ? cause.message : problem.message;
}

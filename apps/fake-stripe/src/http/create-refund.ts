import type { FaultPlan } from '../faults/fault-answer.ts';
import type { JournalEntry } from '../ledger/journal-entry.ts';
import { paymentByCharge } from '../ledger/questions.ts';
import type { KeyRecord } from '../ledger/records.ts';
import { judgeAuthorization } from '../stripe/authorization.ts';
import { expand } from '../stripe/expand.ts';
import { judgeKey, requestFingerprint } from '../stripe/idempotency.ts';
import { readList } from '../stripe/parameters.ts';
import { createRefund } from '../stripe/refund-creation.ts';
import { decideRefund } from '../stripe/refund-decision.ts';
import { toRefund } from '../stripe/refund-object.ts';
import { readRefundRequest } from '../stripe/refund-request.ts';
import { keyInUse, keyMismatch, keyTooLong, type Refusal } from '../stripe/refusal.ts';
import type { World } from '../world.ts';
import { type Answer, jsonAnswer, refusalAnswer } from './answer.ts';
import { pause, takeDelay } from './delay.ts';
import { type ApiContext, conclude, type Received, receive } from './received.ts';
import { takeAnswerFault } from './take-answer-fault.ts';

/** Delivers the webhooks that the fault `before_response` wants to arrive before the answer leaves. */
export type DeliverFirst = (events: readonly string[]) => Promise<void>;

interface Result {
  answer: Answer;
  replayed: boolean;
  executed: string | null;
}

export async function answerCreateRefund(
  world: World,
  context: ApiContext,
  deliverFirst: DeliverFirst,
): Promise<Response> {
  const received = await receive(world, context);
  const unauthorized = judgeAuthorization(received.authorization);
  if (unauthorized !== null) {
    const outcome = { replayed: false, executed: null, fault: null };
    return conclude(world, context, received, refusalAnswer(unauthorized), { how: 'whole' }, outcome);
  }
  const call = { on: 'refund.create', paymentIntent: paymentOf(world, received) } as const;
  const { does, plan } = takeAnswerFault(world, call);
  const delays = takeDelay(world, call);
  const result = await answerUnderKey(world, received, plan, delays.beforeMs, deliverFirst);
  await pause(delays.afterMs);
  // What a gateway says hides whatever the endpoint said; a saved answer is the endpoint's own.
  const answer = plan.saved ? result.answer : (plan.answer ?? result.answer);
  const outcome = { replayed: result.replayed, executed: result.executed, fault: does };
  return conclude(world, context, received, answer, plan.ending, outcome);
}

async function answerUnderKey(
  world: World,
  received: Received,
  plan: FaultPlan,
  delayMs: number,
  deliverFirst: DeliverFirst,
): Promise<Result> {
  // Limiters and gateways stand before the layer that knows the keys.
  if (!plan.execute && !plan.saved) {
    await pause(delayMs);
    return { answer: jsonAnswer(200, {}), replayed: false, executed: null };
  }
  const { key } = received;
  const fingerprint = requestFingerprint(received.path, received.parameters);
  const judgement = judgeKey({
    key,
    fingerprint,
    recorded: key === null ? undefined : world.ledger.keys.get(key),
    inFlight: key === null ? undefined : world.inFlight.get(key),
    nowMs: received.receivedMs,
  });
  if (judgement.is === 'replay') {
    await pause(delayMs);
    return replay(judgement.record);
  }
  if (judgement.is !== 'fresh')
    return refuse({ too_long: keyTooLong, mismatch: keyMismatch, in_flight: keyInUse }[judgement.is]);
  if (key !== null) world.inFlight.set(key, fingerprint);
  try {
    await pause(delayMs);
    return await execute(world, received, fingerprint, plan, deliverFirst);
  } finally {
    if (key !== null) world.inFlight.delete(key);
  }
}

function refuse(refusal: Refusal): Result {
  return { answer: refusalAnswer(refusal), replayed: false, executed: null };
}

function replay({ answer, requestId }: KeyRecord): Result {
  const headers = {
    'content-type': 'application/json',
    'idempotent-replayed': 'true',
    'original-request': requestId,
  };
  return { answer: { ...answer, headers }, replayed: true, executed: null };
}

/** Refund, events and saved answer become one line of the journal: all of it happened, or none. */
async function execute(
  world: World,
  received: Received,
  fingerprint: string,
  plan: FaultPlan,
  deliverFirst: DeliverFirst,
): Promise<Result> {
  const done = plan.execute ? decideAndCreate(world, received) : { entries: [], refund: null };
  if ('refusal' in done) {
    const result = refuse(done.refusal);
    if (done.refusal.saved) await world.commit(keyEntries(received, fingerprint, result.answer));
    return result;
  }
  const ownAnswer = done.refund === null ? null : jsonAnswer(200, done.refund);
  const answer = (plan.saved ? plan.answer : ownAnswer) ?? jsonAnswer(200, {});
  await world.commit([...done.entries, ...keyEntries(received, fingerprint, answer)]);
  const early = done.entries.flatMap((entry) =>
    entry.kind === 'event.recorded' && entry.delivery.beforeResponse ? [entry.event.id] : [],
  );
  if (early.length > 0) await deliverFirst(early);
  return { answer, replayed: false, executed: done.refund?.id ?? null };
}

function decideAndCreate(
  world: World,
  received: Received,
): { refusal: Refusal } | { entries: JournalEntry[]; refund: { id: string } } {
  const read = readRefundRequest(received.parameters);
  if ('refusal' in read) return read;
  const decision = decideRefund(world.ledger, read.request);
  if ('refusal' in decision) return decision;
  const { refund, entries } = createRefund(world.ledger, decision.payment, decision.amount, read.request, {
    nowMs: world.nowMs(),
    mint: world.mint,
    request: { id: received.requestId, idempotency_key: received.key },
  });
  const shown = expand(world.ledger, toRefund(refund), readList(received.parameters, 'expand'));
  return { entries, refund: shown };
}

function keyEntries(received: Received, fingerprint: string, answer: Answer): JournalEntry[] {
  const { key, requestId, receivedMs } = received;
  if (key === null) return [];
  const saved = { status: answer.status, body: answer.body };
  return [{ kind: 'key.recorded', record: { key, fingerprint, answer: saved, requestId, receivedMs } }];
}

/** Faults may be aimed at one payment, whichever of its two names the request used. */
function paymentOf(world: World, { parameters }: Received): string | null {
  const charge = parameters.get('charge') ?? '';
  return parameters.get('payment_intent') ?? paymentByCharge(world.ledger, charge)?.id ?? null;
}

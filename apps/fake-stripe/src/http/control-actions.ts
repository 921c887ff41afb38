import type { z } from 'zod';
import { changeDispute, openDispute } from '../control.ts';
import type { JournalEntry } from '../ledger/journal-entry.ts';
import { disputesOf } from '../ledger/questions.ts';
import { isClosed, toDispute } from '../stripe/dispute-object.ts';
import { byHand, changeRefund, type Circumstances, createRefund } from '../stripe/refund-creation.ts';
import { decideRefund } from '../stripe/refund-decision.ts';
import { toRefund } from '../stripe/refund-object.ts';
import { releaseHeld } from '../webhooks/delivery-plan.ts';
import type { World } from '../world.ts';
import type * as input from './control-input.ts';

/** What a control did: entries for the journal and what to answer once they are stored, or why not. */
export type Done = { entries: JournalEntry[]; status?: 200 | 201; answer: unknown } | { problem: string };

function circumstances(world: World): Circumstances {
  return { nowMs: world.nowMs(), mint: world.mint, request: byHand };
}

export function moveClock(world: World, move: z.output<typeof input.clockInput>): Done {
  const offsetMs = 'reset' in move ? 0 : world.ledger.clockOffsetMs + move.advanceMs;
  const byMs = offsetMs - world.ledger.clockOffsetMs;
  const nowMs = world.nowMs() + byMs;
  const answer = { now: new Date(nowMs).toISOString(), nowMs, offsetMs };
  return { entries: [{ kind: 'clock.moved', byMs }], answer };
}

export function refundByHand(world: World, wanted: z.output<typeof input.refundInput>): Done {
  const { payment_intent: paymentIntent, amount = null, reason = null, metadata } = wanted;
  const request = { paymentIntent, charge: null, amount, reason, metadata };
  const decision = decideRefund(world.ledger, request);
  if ('refusal' in decision) {
    const { param, message } = decision.refusal.error;
    return { problem: param === undefined ? message : `${param}: ${message}` };
  }
  const { payment, amount: decided } = decision;
  const { refund, entries } = createRefund(world.ledger, payment, decided, request, circumstances(world));
  return { entries, status: 201, answer: toRefund(refund) };
}

export function changeRefundByHand(
  world: World,
  id: string,
  wanted: z.output<typeof input.refundChangeInput>,
): Done {
  const refund = world.ledger.refunds.get(id);
  if (refund === undefined) return { problem: `id: no such refund ${id}` };
  const { status, failure_reason: failureReason } = wanted;
  const change = { status, failureReason: status === 'failed' ? failureReason : null };
  const entries = changeRefund(world.ledger, refund, change, circumstances(world));
  return { entries, answer: toRefund({ ...refund, ...change, planned: null }) };
}

/** A closing status for a payment whose dispute is open closes that one: a payment is disputed once. */
export function disputeByHand(world: World, wanted: z.output<typeof input.disputeInput>): Done {
  const payment = world.ledger.payments.get(wanted.payment_intent);
  if (payment === undefined) return { problem: `payment_intent: no such payment ${wanted.payment_intent}` };
  const open = disputesOf(world.ledger, payment.id).find((dispute) => !isClosed(dispute));
  if (open !== undefined) return changeDisputeByHand(world, open.id, wanted);
  const { dispute, entries } = openDispute(world.ledger, payment, wanted, circumstances(world));
  return { entries, status: 201, answer: toDispute(dispute) };
}

export function changeDisputeByHand(
  world: World,
  id: string,
  { status }: z.output<typeof input.disputeChangeInput>,
): Done {
  const dispute = world.ledger.disputes.get(id);
  if (dispute === undefined) return { problem: `id: no such dispute ${id}` };
  const changed = changeDispute(world.ledger, dispute, status, circumstances(world));
  return { entries: changed.entries, answer: toDispute(changed.dispute) };
}

/** A `hold` that is taken away lets go what it kept back, and no other payment's; clearing all faults lets go all. */
export function removeFaults(world: World, ids: readonly string[]): JournalEntry[] {
  const holds = ids.flatMap((id) => {
    const fault = world.ledger.faults.get(id)?.fault;
    return fault?.do === 'hold' ? [fault.paymentIntent] : [];
  });
  const removed = ids.map((id): JournalEntry => ({ kind: 'fault.removed', id }));
  if (holds.length === 0) return removed;
  const aimed = holds.filter((payment) => payment !== null);
  const payments = aimed.length === holds.length ? new Set(aimed) : null;
  return [...removed, ...releaseHeld(world.ledger, world.nowMs(), payments)];
}

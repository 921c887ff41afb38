import type { JournalEntry } from './ledger/journal-entry.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { DisputeRecord, DisputeStatus, PaymentRecord } from './ledger/records.ts';
import type { Mint } from './mint.ts';
import { isClosed, toDispute } from './stripe/dispute-object.ts';
import type { Circumstances } from './stripe/refund-creation.ts';
import { releaseHeld } from './webhooks/delivery-plan.ts';
import { type EventDraft, recordEvents } from './webhooks/record-events.ts';
import type { Fault } from './faults/fault.ts';

/** What people and tests may do to the fake beside Stripe's API, as decisions over the ledger. */

export interface PaymentInput {
  id: string;
  amount: number;
  currency: string;
  created?: number | undefined;
  charge?: string | undefined;
}

/** A payment that is known already stays as it is, so that a demo may register its payments at every start. */
export function registerPayments(
  ledger: Ledger,
  inputs: readonly PaymentInput[],
  nowMs: number,
): { entries: JournalEntry[]; payments: PaymentRecord[] } | { problem: string } {
  const payments = new Map<string, PaymentRecord>();
  const owners = new Map<string, string>();
  const entries: JournalEntry[] = [];
  for (const { id, amount, currency, created, charge = `ch_${id.slice(3)}` } of inputs) {
    const known = ledger.payments.get(id) ?? payments.get(id);
    const owner = ledger.paymentOfCharge.get(charge) ?? owners.get(charge);
    if (known === undefined && owner !== undefined) {
      return { problem: `charge: ${charge} belongs to ${owner} already` };
    }
    const payment = known ?? { id, charge, amount, currency, created: created ?? Math.floor(nowMs / 1000) };
    if (known === undefined) entries.push({ kind: 'payment.registered', payment });
    payments.set(id, payment);
    owners.set(payment.charge, id);
  }
  return { entries, payments: [...payments.values()] };
}

export function openDispute(
  ledger: Ledger,
  payment: PaymentRecord,
  input: { amount?: number | undefined; reason: string; status: DisputeStatus },
  circumstances: Circumstances,
): { dispute: DisputeRecord; entries: JournalEntry[] } {
  const { nowMs, mint } = circumstances;
  const dispute: DisputeRecord = {
    id: mint('dp'),
    paymentIntent: payment.id,
    charge: payment.charge,
    amount: input.amount ?? payment.amount,
    currency: payment.currency,
    created: Math.floor(nowMs / 1000),
    reason: input.reason,
    status: input.status,
  };
  const events = [disputeEvent(dispute, 'charge.dispute.created', circumstances)];
  if (isClosed(dispute)) events.push(disputeEvent(dispute, 'charge.dispute.closed', circumstances));
  return {
    dispute,
    entries: [{ kind: 'dispute.created', dispute }, ...recordEvents(ledger, events, nowMs, mint)],
  };
}

export function changeDispute(
  ledger: Ledger,
  dispute: DisputeRecord,
  status: DisputeStatus,
  circumstances: Circumstances,
): { dispute: DisputeRecord; entries: JournalEntry[] } {
  const changed = { ...dispute, status };
  const closing = isClosed(changed) && !isClosed(dispute);
  const events = closing ? [disputeEvent(changed, 'charge.dispute.closed', circumstances)] : [];
  const recorded = recordEvents(ledger, events, circumstances.nowMs, circumstances.mint);
  return { dispute: changed, entries: [{ kind: 'dispute.changed', id: dispute.id, status }, ...recorded] };
}

function disputeEvent(
  dispute: DisputeRecord,
  type: 'charge.dispute.created' | 'charge.dispute.closed',
  { nowMs, request }: Circumstances,
): EventDraft {
  return {
    type,
    created: Math.floor(nowMs / 1000),
    paymentIntent: dispute.paymentIntent,
    object: toDispute(dispute),
    previousAttributes: null,
    request,
  };
}

export function armFault(
  fault: Fault,
  nowMs: number,
  mint: Mint,
): Extract<JournalEntry, { kind: 'fault.armed' }> {
  const armed = { id: mint('fault'), fault, timesLeft: fault.times, seen: 0, hits: 0, armedMs: nowMs };
  return { kind: 'fault.armed', armed };
}

/** Clearing also lets go what `hold` kept back: a healed provider delivers. */
export function clearFaults(ledger: Ledger, nowMs: number): JournalEntry[] {
  const removed = [...ledger.faults.keys()].map((id): JournalEntry => ({ kind: 'fault.removed', id }));
  return [...removed, ...releaseHeld(ledger, nowMs)];
}

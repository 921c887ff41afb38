import { refundKinds } from '../faults/fault.ts';
import { selectFault } from '../faults/select-fault.ts';
import type { JournalEntry } from '../ledger/journal-entry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { disputesOf, refundsOf } from '../ledger/questions.ts';
import type { PaymentRecord, PlannedChange, RefundRecord } from '../ledger/records.ts';
import type { Mint } from '../mint.ts';
import { type EventDraft, recordEvents } from '../webhooks/record-events.ts';
import { toCharge } from './payment-object.ts';
import { toRefund } from './refund-object.ts';
import type { RefundRequest } from './refund-request.ts';

export interface Circumstances {
  nowMs: number;
  mint: Mint;
  /** Null where it was done by hand in the dashboard. */
  request: { id: string | null; idempotency_key: string | null };
}

export const byHand = { id: null, idempotency_key: null } as const;

export interface RefundCreation {
  refund: RefundRecord;
  entries: JournalEntry[];
}

/** What a refund that was decided on brings about. It cannot be refused any more. */
export function createRefund(
  ledger: Ledger,
  payment: PaymentRecord,
  amount: number,
  request: Pick<RefundRequest, 'reason' | 'metadata'>,
  { nowMs, mint, request: origin }: Circumstances,
): RefundCreation {
  const call = { on: 'refund.create', paymentIntent: payment.id } as const;
  const settling = selectFault(ledger.faults.values(), call, refundKinds);
  const hiding = selectFault(ledger.faults.values(), call, ['hide_from_list']);
  const fault = settling.fault;
  const refund: RefundRecord = {
    id: mint('re'),
    paymentIntent: payment.id,
    charge: payment.charge,
    amount: fault?.do === 'wrong_amount' ? fault.amount : amount,
    currency: payment.currency,
    created: Math.floor(nowMs / 1000),
    status: fault?.do === 'pending_then' ? 'pending' : 'succeeded',
    failureReason: null,
    reason: request.reason,
    metadata: request.metadata,
    hiddenFromListUntilMs: hiding.fault === null ? null : nowMs + hiding.fault.ms,
    planned: fault === null || fault.do === 'wrong_amount' ? null : planChange(fault, nowMs),
  };
  const charge = toCharge(
    payment,
    [...refundsOf(ledger, payment.id), refund],
    disputesOf(ledger, payment.id),
  );
  const about = {
    created: refund.created,
    paymentIntent: payment.id,
    previousAttributes: null,
    request: origin,
  };
  const events: EventDraft[] = [
    { ...about, type: 'refund.created', object: toRefund(refund) },
    { ...about, type: 'charge.refunded', object: charge },
  ];
  const counted = [...settling.counted, ...hiding.counted];
  return {
    refund,
    entries: [...counted, { kind: 'refund.created', refund }, ...recordEvents(ledger, events, nowMs, mint)],
  };
}

function planChange(
  fault:
    | { do: 'pending_then'; then: PlannedChange['status']; ms: number; failureReason: string }
    | { do: 'succeeded_then_failed'; ms: number; failureReason: string },
  nowMs: number,
): PlannedChange {
  const status = fault.do === 'pending_then' ? fault.then : 'failed';
  const failureReason = status === 'failed' ? fault.failureReason : null;
  return { status, dueMs: nowMs + fault.ms, failureReason };
}

/** A refund changes its status: by a plan that has come due, or by hand. */
export function changeRefund(
  ledger: Ledger,
  refund: RefundRecord,
  change: Pick<PlannedChange, 'status' | 'failureReason'>,
  { nowMs, mint, request }: Circumstances,
): JournalEntry[] {
  const { status, failureReason } = change;
  const before = toRefund(refund);
  const after = toRefund({ ...refund, status, failureReason, planned: null });
  const about = {
    created: Math.floor(nowMs / 1000),
    paymentIntent: refund.paymentIntent,
    object: after,
    previousAttributes: { status: before.status },
    request,
  };
  const types =
    status === 'failed' ? (['refund.failed', 'refund.updated'] as const) : (['refund.updated'] as const);
  const events = types.map((type): EventDraft => ({ ...about, type }));
  return [
    { kind: 'refund.changed', id: refund.id, status, failureReason },
    ...recordEvents(ledger, events, nowMs, mint),
  ];
}

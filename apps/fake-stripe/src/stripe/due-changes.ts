import type { Ledger } from '../ledger/ledger.ts';
import type { PlannedChange, RefundRecord } from '../ledger/records.ts';

export interface DueChange {
  refund: RefundRecord;
  change: PlannedChange;
}

/** The refunds whose planned change (by `pending_then`, `succeeded_then_failed`) has come due, and the next time. */
export function dueChanges(ledger: Ledger, nowMs: number): { due: DueChange[]; nextMs: number | null } {
  const due: DueChange[] = [];
  let nextMs: number | null = null;
  for (const id of ledger.unsettled) {
    const refund = ledger.refunds.get(id);
    const change = refund?.planned ?? null;
    if (refund === undefined || change === null) continue;
    if (change.dueMs <= nowMs) due.push({ refund, change });
    else nextMs = Math.min(nextMs ?? change.dueMs, change.dueMs);
  }
  return { due, nextMs };
}

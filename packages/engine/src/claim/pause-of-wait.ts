import type { WaitingFor } from '@holdfast/operation';

export type WaitTimes = {
  readonly nowMs: number;
  readonly undoUntilMs: number | null;
  /** When the provider may be asked again; `null` when at once. */
  readonly notBeforeMs: number | null;
  readonly expiresAtMs: number | null;
};

/** One operation of a payment is in flight at a time; the others look again this often. */
const busyPauseMs = 1_000;
const unansweredPauseMs = 2_000;
const holdPauseMs = 5_000;
const noAccountPauseMs = 10_000;

const untilMs = (waitingFor: WaitingFor, times: WaitTimes): number => {
  switch (waitingFor) {
    case 'undo':
      return times.undoUntilMs ?? times.nowMs + busyPauseMs;
    case 'hold':
      return times.nowMs + holdPauseMs;
    case 'provider-account':
      return times.nowMs + noAccountPauseMs;
    case 'provider':
      return times.notBeforeMs ?? times.nowMs + unansweredPauseMs;
    case 'payment':
      return times.nowMs + busyPauseMs;
  }
};

/** When an approved operation that waits is looked at again: never past the end of its approval, and never in the past. */
export const wakeOfWaitMs = (waitingFor: WaitingFor, times: WaitTimes): number => {
  const wakeMs = Math.max(untilMs(waitingFor, times), times.nowMs + 50);
  return times.expiresAtMs !== null && times.expiresAtMs > times.nowMs
    ? Math.min(wakeMs, times.expiresAtMs)
    : wakeMs;
};

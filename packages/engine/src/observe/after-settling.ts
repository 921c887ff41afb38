import type { OperationState, Settlement } from '@holdfast/operation';
import type { ProviderContract } from '@holdfast/providers';
import { nextLookAtSettledMs, pauseBeforeCheckMs } from '../reconcile/wake-up.ts';

export type SettlingTimes = {
  readonly nowMs: number;
  readonly checkBackoffMs: readonly number[];
  readonly attemptCount: number;
  readonly lateFailureWindowMs: number;
};

/** When a settled operation is first looked at again; `null` where nothing of it can still turn out otherwise. */
export const wakeAfterSettlingMs = (settlement: Settlement, times: SettlingTimes): number | null => {
  const { nowMs, checkBackoffMs } = times;
  const firstPauseMs = pauseBeforeCheckMs(checkBackoffMs, 0);
  switch (settlement.kind) {
    case 'unknown':
      return nowMs + pauseBeforeCheckMs(checkBackoffMs, times.attemptCount - 1);
    case 'no-evidence':
    case 'pending':
      return nowMs + firstPauseMs;
    case 'unsent':
      // What was not sent or deferred goes again by itself, later each time it happens in a row.
      return Math.max(
        settlement.deferredUntilMs ?? 0,
        nowMs + pauseBeforeCheckMs(checkBackoffMs, times.attemptCount - 1),
      );
    case 'confirmed':
      return nextLookAtSettledMs(nowMs, times.lateFailureWindowMs, nowMs);
    case 'failed':
      return canStillTurnOut(settlement)
        ? nextLookAtSettledMs(nowMs, times.lateFailureWindowMs, nowMs)
        : null;
    case 'reversed':
      return null;
  }
};

/** What people settled, and what was concluded from absence, is looked at again: the provider may know better. */
const canStillTurnOut = (settlement: Extract<Settlement, { kind: 'failed' }>): boolean =>
  settlement.cause.kind === 'settled-by-people' || settlement.cause.kind === 'never-arrived';

/** What of a settlement a person can see, as text to compare: the same facts in another order of keys are the same. */
export const visiblePart = (settlement: Settlement | null): string => {
  if (settlement === null) return '';
  switch (settlement.kind) {
    case 'no-evidence':
    case 'unsent':
      return settlement.kind;
    case 'unknown':
      return ['unknown', settlement.certainlySubmitted, ...Object.values(settlement.unattributed ?? {})].join(
        ' ',
      );
    case 'pending':
    case 'confirmed':
    case 'reversed': {
      const { record } = settlement;
      return [settlement.kind, record?.reference, record?.statusText, record?.failureReason].join(' ');
    }
    case 'failed':
      return `failed ${settlement.cause.kind}`;
  }
};

/** States whose waking is settled here; in the others the worker that handles the operation says when it is due again. */
export const isSettled = (state: OperationState): boolean =>
  state === 'confirmed' || state === 'failed' || state === 'reversed';

export type SettlementTermsNeeded = Pick<ProviderContract, 'finalAbsenceProves' | 'lateFailureWindowMs'>;

/** Used where this process knows no account of the organisation: absence proves nothing, and looking goes on. */
export const cautiousTerms: SettlementTermsNeeded = {
  finalAbsenceProves: 'a-person-decides',
  lateFailureWindowMs: 30 * 24 * 60 * 60_000,
};

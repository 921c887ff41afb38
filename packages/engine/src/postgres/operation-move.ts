import {
  endedBeforeSubmission,
  isCase,
  isUnfinished,
  type OperationState,
  type TransitionAnswer,
} from '@holdfast/operation';
import type { OperationChange } from './change-operation.ts';
import type { OperationRow } from './schema.ts';

const settledStates: readonly OperationState[] = [
  'confirmed',
  'failed',
  'reversed',
  'denied',
  'cancelled',
  'expired',
];

/** The columns a move writes: the decision's, the caller's, and what follows from the new state by itself. */
export const columnsOfMove = (
  current: OperationRow,
  change: OperationChange,
  answer: Extract<TransitionAnswer, { answer: 'moved' }>,
  now: Date,
): Partial<OperationRow> => {
  const { to, attention } = answer;
  const movedState = to !== current.state;
  const cleared = current.attention
    .map(({ reason }) => reason)
    .filter((reason) => !attention.some((standing) => standing.reason === reason));
  const byPeople = change.event.type === 'resolve-confirmed' || change.event.type === 'resolve-failed';
  return {
    ...(movedState ? followingFromState(current, to, now) : {}),
    ...change.bookkeeping,
    ...change.patch,
    // Settled: nobody has it any more, and what comes up later is another case.
    ...(isCase({ state: to, attention }) ? {} : { takenBy: null, takenAt: null, escalatedAt: null }),
    state: to,
    attention,
    ...(byPeople ? { clearedAttention: [...new Set([...current.clearedAttention, ...cleared])] } : {}),
    version: current.version + 1,
    updatedAt: now,
  };
};

const hasEndedBeforeSubmission = (state: OperationState): boolean =>
  (endedBeforeSubmission as readonly OperationState[]).includes(state);

const followingFromState = (current: OperationRow, to: OperationState, now: Date): Partial<OperationRow> => ({
  waitingFor: null,
  // Finished: nothing wakes it, unless the caller says that looking goes on.
  ...(isUnfinished(to) ? {} : { wakeAt: null, nextCheckAt: null }),
  // Evidence may wait that no worker has judged yet (a refund that a restored record heard of again), so such an end
  // takes no wake-up away: the worker looks, and lets it sleep where there is nothing.
  ...(hasEndedBeforeSubmission(to) ? { wakeAt: current.wakeAt } : {}),
  ...(settledStates.includes(to) ? { settledAt: now } : { settledAt: null }),
  ...(to === 'submitting' ? {} : { leaseUntil: null, claimedBy: null }),
  // Back before a submission: its window has not begun, and what was approved before no longer counts by itself.
  ...(to === 'approved' || to === 'proposed' ? { firstSentAt: null, replayDeadline: null } : {}),
  ...(to === 'proposed' ? { approvedAt: null, undoUntil: null } : {}),
  ...(to === 'outcome_unknown' ? { unknownSince: current.unknownSince ?? now } : {}),
  // A resubmission is still the same unknown outcome.
  ...(to === 'outcome_unknown' || to === 'submitting' ? {} : { unknownSince: null }),
  ...(to === 'pending' ? { pendingSince: now } : {}),
  // The money is with us again, and the customer without it: somebody sees to that.
  ...(to === 'reversed'
    ? {
        followUp: {
          kind: 'pay-another-way' as const,
          since: now.toISOString(),
          ...{ takenBy: null, takenAt: null, closed: null },
        },
      }
    : {}),
  ...(to === 'confirmed' ? { bookedMinor: current.bookedMinor ?? current.amountMinor } : {}),
});

import type { OperationState } from './state.ts';
import type { TransitionRow } from './transition-cell.ts';
import {
  confirmedRow,
  failedRow,
  outcomeUnknownRow,
  pendingRow,
  reversedRow,
  submittingRow,
} from './transition-rows-at-provider.ts';
import { approvedRow, proposedRow } from './transition-rows-before.ts';
import { cancelledRow, deniedRow, expiredRow } from './transition-rows-ended.ts';

/** Every state × every event. A state or an event without its cell does not compile. */
export const transitionTable: Readonly<Record<OperationState, TransitionRow>> = {
  proposed: proposedRow,
  approved: approvedRow,
  submitting: submittingRow,
  pending: pendingRow,
  confirmed: confirmedRow,
  outcome_unknown: outcomeUnknownRow,
  failed: failedRow,
  reversed: reversedRow,
  denied: deniedRow,
  cancelled: cancelledRow,
  expired: expiredRow,
};

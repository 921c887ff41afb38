import { blockingAttention, type Attention, type AttentionReason } from './attention.ts';
import type { OperationEventType } from './event.ts';
import type { OperationState } from './state.ts';
import type { Cell, Guard } from './transition-cell.ts';
import { transitionTable } from './transition-table.ts';
import type { ProblemSlug } from './wire/problem-message.ts';

/** What of an operation a transition hangs on. */
export type TransitionSubject = {
  readonly state: OperationState;
  readonly attention: readonly Attention[];
  /** True while any attempt has no recorded end, or one that is unknown or in flight (see `anyAttemptAmbiguous`). */
  readonly anyAttemptAmbiguous: boolean;
  /** Reasons that a person has cleared for what is known now: the same evidence does not raise them again. */
  readonly clearedAttention?: readonly AttentionReason[];
};

export type OperationEvent = {
  readonly type: OperationEventType;
  /** ISO 8601 UTC: becomes `since` of the attention it raises. */
  readonly at: string;
  /** Attention that the event brings with it: of a settlement, or the reasons of `need-person`. */
  readonly raises?: readonly AttentionReason[];
  /** Reasons that no longer hold: of `attention-settled`. */
  readonly clears?: readonly AttentionReason[];
  /** The caller knows of a change a person could see although the state stays (another reference, a new certainty). */
  readonly visible?: boolean;
};

/**
 * `moved`: write the row, one audit entry and one feed row; `to` may be the state it was in. Each `moved` raises
 * the version by one. `ignored`: expected, late or doubled; nothing a person could see. `refused`: must not happen.
 */
export type TransitionAnswer =
  | { readonly answer: 'moved'; readonly to: OperationState; readonly attention: readonly Attention[] }
  | { readonly answer: 'ignored'; readonly because: string }
  | { readonly answer: 'refused'; readonly problem: ProblemSlug; readonly because: string };

/** The one place where a change of an operation is decided. Total over the table; never throws. */
export const next = (current: TransitionSubject, event: OperationEvent): TransitionAnswer =>
  answerOf(transitionTable[current.state][event.type], current, event);

const answerOf = (cell: Cell, current: TransitionSubject, event: OperationEvent): TransitionAnswer => {
  switch (cell.kind) {
    case 'guarded':
      return answerOf(holds(cell.guard, current) ? cell.then : cell.otherwise, current, event);
    case 'move':
      return {
        answer: 'moved',
        to: cell.to,
        attention: raised(kept(current, event, cell.to), cell.raises, current, event),
      };
    case 'record':
      return { answer: 'moved', to: current.state, attention: current.attention };
    case 'stay': {
      const attention = raised(without(current.attention, event.clears ?? []), cell.raises, current, event);
      const changed = !sameReasons(attention, current.attention) || event.visible === true;
      return changed
        ? { answer: 'moved', to: current.state, attention }
        : { answer: 'ignored', because: cell.because };
    }
    case 'clear':
      return current.attention.length > 0
        ? { answer: 'moved', to: current.state, attention: [] }
        : { answer: 'ignored', because: cell.because };
    case 'ignored':
      return { answer: 'ignored', because: cell.because };
    case 'refused':
      return { answer: 'refused', problem: cell.problem, because: cell.because };
  }
};

const holds = (guard: Guard, { attention, anyAttemptAmbiguous }: TransitionSubject): boolean => {
  switch (guard) {
    case 'nothing-may-have-been-sent':
      return !anyAttemptAmbiguous;
    case 'nobody-is-needed':
      return attention.length === 0;
    case 'somebody-is-needed':
      return attention.length > 0;
    case 'nothing-blocks-sending':
      return !attention.some(({ reason }) => blockingAttention.includes(reason));
    case 'pending-for-too-long':
      return attention.some(({ reason }) => reason === 'pending-too-long');
  }
};

/**
 * Attention that outlives a move. A reason goes by itself only where the new state makes it untrue; what says
 * that two facts disagree stays until a person has looked.
 */
const kept = (
  current: TransitionSubject,
  event: OperationEvent,
  to: OperationState,
): readonly Attention[] => {
  if (event.type === 'resolve-confirmed' || event.type === 'resolve-failed') return [];
  return without(current.attention, [...(event.clears ?? []), ...untrueIn[to]]);
};

const ofWaiting: readonly AttentionReason[] = ['nobody-can-approve', 'provider-refuses-us'];
const ofEnding: readonly AttentionReason[] = [...ofWaiting, 'outcome-unresolved', 'pending-too-long'];

const untrueIn: Readonly<Record<OperationState, readonly AttentionReason[]>> = {
  proposed: ['provider-refuses-us'],
  approved: ['nobody-can-approve'],
  submitting: ofWaiting,
  outcome_unknown: ofWaiting,
  pending: [...ofWaiting, 'outcome-unresolved'],
  confirmed: ofEnding,
  failed: ofEnding,
  reversed: ofEnding,
  denied: ofEnding,
  cancelled: ofEnding,
  expired: ofEnding,
};

const without = (
  attention: readonly Attention[],
  reasons: readonly AttentionReason[],
): readonly Attention[] => attention.filter(({ reason }) => !reasons.includes(reason));

const raised = (
  attention: readonly Attention[],
  byTable: readonly AttentionReason[],
  current: TransitionSubject,
  event: OperationEvent,
): readonly Attention[] => {
  const seenByPerson = event.type.startsWith('evidence-') ? (current.clearedAttention ?? []) : [];
  const list = [...attention];
  for (const reason of [...byTable, ...(event.raises ?? [])]) {
    if (seenByPerson.includes(reason) || list.some((standing) => standing.reason === reason)) continue;
    list.push({ reason, since: event.at });
  }
  return list;
};

const sameReasons = (one: readonly Attention[], other: readonly Attention[]): boolean =>
  one.length === other.length &&
  one.every(({ reason }) => other.some((standing) => standing.reason === reason));

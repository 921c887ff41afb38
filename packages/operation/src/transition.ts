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
        // What the table raises with a move is news of this move, whatever a person cleared before it.
        attention: raised(kept(current, event, cell.to), [...cell.raises, ...fresh(current, event)], event),
      };
    case 'record':
      return { answer: 'moved', to: current.state, attention: current.attention };
    case 'stay': {
      const standing = without(current.attention, event.clears ?? []);
      const attention = raised(
        standing,
        [...cell.raises.filter(isFresh(current, event)), ...fresh(current, event)],
        event,
      );
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

/** What a person has looked at and cleared is not raised again by evidence that says the same. */
const isFresh =
  (current: TransitionSubject, event: OperationEvent) =>
  (reason: AttentionReason): boolean =>
    !event.type.startsWith('evidence-') || !(current.clearedAttention ?? []).includes(reason);

const fresh = (current: TransitionSubject, event: OperationEvent): readonly AttentionReason[] =>
  (event.raises ?? []).filter(isFresh(current, event));

const raised = (
  attention: readonly Attention[],
  reasons: readonly AttentionReason[],
  event: OperationEvent,
): readonly Attention[] => {
  const list = [...attention];
  for (const reason of reasons) {
    if (list.some((standing) => standing.reason === reason)) continue;
    list.push({ reason, since: event.at });
  }
  return list;
};

const sameReasons = (one: readonly Attention[], other: readonly Attention[]): boolean =>
  one.length === other.length &&
  one.every(({ reason }) => other.some((standing) => standing.reason === reason));

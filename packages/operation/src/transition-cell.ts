import type { AttentionReason } from './attention.ts';
import type { OperationEventType } from './event.ts';
import type { OperationState } from './state.ts';
import type { ProblemSlug } from './wire/problem-message.ts';

/** A condition that a cell of the table hangs on; `transition.ts` judges it. */
export type Guard =
  /** No attempt is ambiguous: nothing can be at the provider. */
  | 'nothing-may-have-been-sent'
  /** No attention at all. */
  | 'nobody-is-needed'
  /** No attention that stops sending on this payment. */
  | 'nothing-blocks-sending'
  | 'pending-for-too-long'
  | 'somebody-is-needed';

/** What one event does in one state. There is no default: every cell is written, and says why where nothing moves. */
export type Cell =
  /** The state changes; `raises` is added to the attention. */
  | { readonly kind: 'move'; readonly to: OperationState; readonly raises: readonly AttentionReason[] }
  /** The state stays and the event is recorded where a person could see a change: always an answer `moved`. */
  | { readonly kind: 'record' }
  /** The state stays: `moved` where attention changes or the caller says that something visible did, else `ignored`. */
  | { readonly kind: 'stay'; readonly raises: readonly AttentionReason[]; readonly because: string }
  /** A person has dealt with what was raised: all attention goes. */
  | { readonly kind: 'clear'; readonly because: string }
  /** Expected: late or doubled. */
  | { readonly kind: 'ignored'; readonly because: string }
  /** Must not happen, or comes too late for the person who asked. */
  | { readonly kind: 'refused'; readonly problem: ProblemSlug; readonly because: string }
  | { readonly kind: 'guarded'; readonly guard: Guard; readonly then: Cell; readonly otherwise: Cell };

export type TransitionRow = Readonly<Record<OperationEventType, Cell>>;

export const moveTo = (to: OperationState, ...raises: readonly AttentionReason[]): Cell => ({
  kind: 'move',
  to,
  raises,
});
export const recordOnly: Cell = { kind: 'record' };
export const stay = (because: string, ...raises: readonly AttentionReason[]): Cell => ({
  kind: 'stay',
  raises,
  because,
});
export const clearAttention = (because: string): Cell => ({ kind: 'clear', because });
export const ignored = (because: string): Cell => ({ kind: 'ignored', because });
export const refused = (problem: ProblemSlug, because: string): Cell => ({
  kind: 'refused',
  problem,
  because,
});
export const when = (guard: Guard, then: Cell, otherwise: Cell): Cell => ({
  kind: 'guarded',
  guard,
  then,
  otherwise,
});

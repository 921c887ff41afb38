import type { DeviceItem } from '@holdfast/outbox';
import { problemSlug, type Problem } from '@holdfast/operation';

/** One press of "Settle" that was stored, and when, by this device's clock. */
export type Tried = { readonly key: string; readonly atMs: number };

export type SettleRefusal = {
  /** The field of the form that it is about; `form`: none of them alone. */
  readonly field: 'reference' | 'note' | 'form';
  /** Which rule refused it, for the remedy. */
  readonly reason: string | null;
  readonly says: string;
  /** What stood in that field, so that what was changed since is not called wrong. */
  readonly value: string;
  /** Nothing is left to look at once the form has said it: the operation is as the person saw it. */
  readonly isReadHere: boolean;
};

/**
 * What has become of it, for the form that it was typed in. `waits`: it is stored here and its answer is not about to
 * come (no connection): the form is free again.
 */
export type SettleTry =
  | { readonly kind: 'none' | 'under-way' | 'waits' | 'done' }
  | { readonly kind: 'refused'; readonly key: string; readonly refusal: SettleRefusal };

/** A form is not locked for longer than an answer usually takes; what is stored goes out all the same. */
export const longestBusyMs = 8_000;

const fieldOf = (problem: Problem): SettleRefusal['field'] => {
  const [issue] = problem.issues ?? [];
  if (issue?.path.endsWith('providerReference') === true) return 'reference';
  if (issue?.path.endsWith('note') === true) return 'note';
  return problem.reasons?.[0]?.reason.startsWith('reference-') === true ? 'reference' : 'form';
};

/** What a refusal says, and where in the form it belongs. */
export const settleRefusal = ({ command }: DeviceItem, problem: Problem | null): SettleRefusal => {
  const field = problem === null ? 'form' : fieldOf(problem);
  const slug = problem === null ? undefined : problemSlug(problem);
  const values = {
    reference: command.type === 'resolve' ? (command.providerReference ?? '') : '',
    note: command.type === 'resolve' ? command.note : '',
    form: '',
  };
  const [reason] = problem?.reasons ?? [];
  return {
    field,
    reason: reason?.reason ?? null,
    says: problem?.issues?.[0]?.message ?? reason?.sentence ?? problem?.detail ?? '',
    value: values[field],
    // It has moved on, so this form may be gone in a moment: then its card tells of it.
    isReadHere: slug !== 'stale' && slug !== 'too-late',
  };
};

/** Pure; `items` are those of the operation on this device. */
export const settleTry = (tried: Tried | null, items: readonly DeviceItem[], nowMs: number): SettleTry => {
  if (tried === null) return { kind: 'none' };
  const item = items.find(({ key }) => key === tried.key);
  const isFresh = nowMs - tried.atMs < longestBusyMs;
  // Written, and not read back by this page yet.
  if (item === undefined) return { kind: isFresh ? 'under-way' : 'waits' };
  const { ending, sending, notSentBecause, standing } = item;
  if (ending?.how === 'dropped') return { kind: 'none' };
  if (ending?.how === 'verdict') {
    return ending.status === 'rejected'
      ? { kind: 'refused', key: item.key, refusal: settleRefusal(item, ending.problem) }
      : { kind: 'done' };
  }
  const isAboutToBeAnswered = sending || notSentBecause === 'not-tried-yet';
  return { kind: isFresh && standing === 'open' && isAboutToBeAnswered ? 'under-way' : 'waits' };
};

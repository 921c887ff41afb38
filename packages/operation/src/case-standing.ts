import type { Attention, AttentionReason } from './attention.ts';
import type { OperationState } from './state.ts';

type Subject = { readonly state: OperationState; readonly attention: readonly Attention[] };

/** Whether an operation stands in the queue of attention: sight of it is lost, or a person is needed. */
export const isCase = ({ state, attention }: Subject): boolean =>
  state === 'outcome_unknown' || attention.length > 0;

/** Whether it waits for a second operator to say the same as a first: only while it is a case. */
export const waitsForSecondWord = (
  subject: Subject & { readonly resolution: { readonly waiting: boolean } | null },
): boolean => subject.resolution?.waiting === true && isCase(subject);

/**
 * Whether it is contradicted by having been carried out though nothing of its sending is on record, and nobody had ended or
 * settled it: as after a restore from a backup, when a device tells it again.
 */
export const isCarriedOutUnrecorded = ({
  state,
  attention,
  attemptCount,
  resolution,
  ended,
}: Subject & {
  readonly attemptCount: number;
  readonly resolution: object | null;
  /** Somebody had denied or cancelled it, or its time ran out. */
  readonly ended: boolean;
}): boolean =>
  (state === 'pending' || state === 'confirmed' || state === 'reversed') &&
  attention.some(({ reason }) => reason === 'contradicted') &&
  attemptCount === 0 &&
  resolution === null &&
  !ended;

/** That nobody can approve is told to admins in its own way, and no operator can settle it. */
const notForOperators: readonly AttentionReason[] = ['nobody-can-approve'];

/** Since when a case waits for an operator, milliseconds since the epoch; `null` where it waits for none. */
export const waitsForOperatorSinceMs = ({ attention }: Pick<Subject, 'attention'>): number | null => {
  const times = attention
    .filter(({ reason }) => !notForOperators.includes(reason))
    .map(({ since }) => Date.parse(since));
  return times.length === 0 ? null : Math.min(...times);
};

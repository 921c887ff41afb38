import { isUnfinished, type OperationState } from '@holdfast/operation';

/**
 * The pause before the next check of an unknown outcome.
 * @param backoffMs pauses in milliseconds; the last one repeats
 * @param checksDone checks made since the outcome became unknown, or since the last request was sent
 */
export const pauseBeforeCheckMs = (backoffMs: readonly number[], checksDone: number): number => {
  const pause = backoffMs[Math.min(Math.max(0, checksDone), backoffMs.length - 1)];
  if (pause === undefined) throw new Error('there must be at least one pause between checks');
  return pause;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * Pause before the next look at something that the provider has accepted and not finished. It grows with the age,
 * so that an operation that stays pending for days costs some dozens of questions, not thousands.
 */
export const pauseWhilePendingMs = (ageMs: number, shortestMs: number): number =>
  Math.min(Math.max(shortestMs, Math.floor(ageMs / 2)), hourMs);

/** Pause before the next look at something settled that could still turn out otherwise: at most a day. */
export const pauseAfterSettledMs = (ageMs: number): number =>
  Math.min(Math.max(10 * minuteMs, ageMs), 24 * hourMs);

/** When to look again at a settled operation; `null` once the late-failure window has ended. */
export const nextLookAtSettledMs = (
  settledAtMs: number,
  lateFailureWindowMs: number,
  nowMs: number,
): number | null => {
  const windowEndsMs = settledAtMs + lateFailureWindowMs;
  if (nowMs >= windowEndsMs) return null;
  return Math.min(nowMs + pauseAfterSettledMs(nowMs - settledAtMs), windowEndsMs);
};

/** Every unfinished operation has a next wake-up or stands before a person. */
export const isRemembered = (
  state: OperationState,
  nextWakeAtMs: number | null,
  attention: readonly unknown[],
): boolean => !isUnfinished(state) || nextWakeAtMs !== null || attention.length > 0;

/** A forgotten operation is a broken promise of ours: it stops this operation's handling, loudly. */
export const assertRemembered = (
  operationId: string,
  state: OperationState,
  nextWakeAtMs: number | null,
  attention: readonly unknown[],
): void => {
  if (isRemembered(state, nextWakeAtMs, attention)) return;
  throw new Error(
    `operation ${operationId} is ${state} with neither a wake-up time nor a person who sees it`,
  );
};

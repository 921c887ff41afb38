import type { Operation } from '@holdfast/operation';

/**
 * Whole seconds in which an approval can still be taken back. Never more than was left when the server last spoke: this
 * device's clock is coarse, and may be wrong.
 */
export const undoSecondsLeft = (
  { undoUntil, updatedAt }: Pick<Operation, 'undoUntil' | 'updatedAt'>,
  nowMs: number,
): number => {
  if (undoUntil === null) return 0;
  const untilMs = Date.parse(undoUntil);
  const leftMs = Math.min(untilMs - nowMs, untilMs - Date.parse(updatedAt));
  return Math.max(0, Math.ceil(leftMs / 1_000));
};

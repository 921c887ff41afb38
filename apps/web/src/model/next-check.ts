import type { SeenOperation } from '@holdfast/outbox';
import type { Operation } from '@holdfast/operation';

/**
 * When an operation was looked at and is looked at next. A look that finds nothing new makes no new version, so no
 * feed tells of it: these are asked for while they are on the screen.
 */
export type LookTimes = Pick<Operation, 'version' | 'lastCheckAt' | 'nextCheckAt'>;

/** What this device was told, with newer times of looking where they are known. */
export const withLookTimes = (seen: SeenOperation, times: LookTimes | undefined): SeenOperation => {
  const { synced } = seen;
  // What was asked for before the newest version was told is older than that.
  if (synced === null || times === undefined || times.version < synced.version) return seen;
  const { lastCheckAt, nextCheckAt } = times;
  return { ...seen, synced: { ...synced, lastCheckAt, nextCheckAt } };
};

export type NextCheck =
  | { readonly kind: 'none' }
  | { readonly kind: 'ahead'; readonly at: string }
  /** Its time is long over: it was looked at since, or could not be, and this device has not heard of it. */
  | { readonly kind: 'not-heard'; readonly lastAt: string | null };

/** A look that is due is made within seconds, and heard of with the next question after it. */
const momentMs = 20_000;

/** What can be promised of the next look by what is known here. Pure. */
export const nextCheck = (
  { lastCheckAt, nextCheckAt }: Pick<Operation, 'lastCheckAt' | 'nextCheckAt'>,
  nowMs: number,
): NextCheck => {
  if (nextCheckAt === null) return { kind: 'none' };
  return nowMs - Date.parse(nextCheckAt) <= momentMs
    ? { kind: 'ahead', at: nextCheckAt }
    : { kind: 'not-heard', lastAt: lastCheckAt };
};

/** How much the database is asked to do at once, and when those who were turned away come back. Pure. */

export type PlaceLimits = {
  /** Requests that may be in work at once. */
  readonly inWork: number;
  /** Requests that may wait for a place; more are turned away at once. */
  readonly waiting: number;
  /** How long one may wait before it is turned away all the same. */
  readonly longestWaitMs: number;
};

export type Entry = 'begin' | 'wait' | 'turn-away';

/**
 * Nobody overtakes who waits; who could not be served in time is told so now, while telling is cheap. A request that
 * was let in once already (`first`) is never turned away for newcomers: it waits at the head of the line.
 */
export const judgeEntry = (
  load: { readonly inWork: number; readonly waiting: number; readonly first: boolean },
  limits: PlaceLimits,
): Entry => {
  if (load.inWork < limits.inWork && load.waiting === 0) return 'begin';
  return load.first || load.waiting < limits.waiting ? 'wait' : 'turn-away';
};

/** Shares of one pool: people's requests get half, so that the worker, streams and webhooks always find room. */
export const limitsFor = (
  connections: number,
): Readonly<Record<'request' | 'sign-in' | 'webhook' | 'feed', PlaceLimits>> => {
  const half = Math.max(1, Math.floor(connections / 2));
  const fifth = Math.max(1, Math.floor(connections / 5));
  const longestWaitMs = 10_000;
  return {
    request: { inWork: half, waiting: half * 100, longestWaitMs },
    // Passwords are slow to judge on purpose: a crowd at the door must not keep those inside from their work.
    'sign-in': { inWork: fifth, waiting: fifth * 20, longestWaitMs },
    // The provider sends again what we turned away, over days; but what it sends now is the freshest evidence.
    webhook: { inWork: fifth, waiting: fifth * 50, longestWaitMs },
    // Streams are bounded by their own number, and one that is open is never turned away.
    feed: { inWork: fifth, waiting: Number.POSITIVE_INFINITY, longestWaitMs: Number.POSITIVE_INFINITY },
  };
};

/** When the database was away: since when, when that was last seen, and since when it is back (`null`: it is not). */
export type Outage = {
  readonly sinceMs: number;
  readonly lastSeenMs: number;
  readonly backSinceMs: number | null;
};

const briefMs = 4_000;
const longestMs = 60_000;

export const outageSeen = (outage: Outage | null, nowMs: number): Outage =>
  outage === null ||
  (outage.backSinceMs !== null && nowMs - outage.backSinceMs > spreadOf(outage.lastSeenMs - outage.sinceMs))
    ? { sinceMs: nowMs, lastSeenMs: nowMs, backSinceMs: null }
    : { ...outage, lastSeenMs: nowMs, backSinceMs: null };

export const outageOver = (outage: Outage | null, nowMs: number): Outage | null => {
  if (outage === null) return null;
  if (outage.backSinceMs === null) return { ...outage, backSinceMs: nowMs };
  return nowMs - outage.backSinceMs > spreadOf(outage.lastSeenMs - outage.sinceMs) ? null : outage;
};

const spreadOf = (outMs: number): number => Math.min(longestMs, Math.max(briefMs, outMs));

/**
 * What to put into `Retry-After`, in whole seconds. After an outage everybody comes back: they are spread over as long
 * as it lasted, up to a minute, also while what has gathered is still being caught up with.
 * @param chance from 0 up to 1
 */
export const retryAfterSeconds = (outage: Outage | null, nowMs: number, chance: number): number => {
  const outMs =
    outage === null ? 0 : (outage.backSinceMs === null ? nowMs : outage.lastSeenMs) - outage.sinceMs;
  return 1 + Math.floor((chance * spreadOf(outMs)) / 1_000);
};

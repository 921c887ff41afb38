/** What the mirror remembers of one provider account. Times are the database's unless said otherwise. */
export type MirrorPosition = {
  /** When the last complete listing began. */
  readonly readAtMs: number | null;
  /** Since when listings follow one another without a gap. */
  readonly unbrokenSinceMs: number | null;
};

export type ListingWindow = { readonly sinceMs: number; readonly startsAnew: boolean };

/**
 * Listings overlap by this much: records become visible at the provider a little late, and its clock, which stamps
 * them, need not agree with ours.
 */
const overlapMs = 5 * 60_000;
/** The first listing goes back this far; what is older is asked about payment by payment. */
const firstWindowMs = 24 * 60 * 60_000;
/** After a pause this long one listing might not fit its deadline: coverage starts anew, and payments are asked about. */
const longestWindowMs = 7 * 24 * 60 * 60_000;

/** From when the next listing must read, so that nothing falls between two of them. */
export const nextListingWindow = (position: MirrorPosition, nowMs: number): ListingWindow => {
  if (position.readAtMs === null || nowMs - position.readAtMs > longestWindowMs) {
    return { sinceMs: nowMs - firstWindowMs, startsAnew: true };
  }
  return { sinceMs: position.readAtMs - overlapMs, startsAnew: false };
};

const whileWorkingMs = 3_000;
const whenIdleMs = 60_000;
const leastMs = 1_000;

/** Pauses until the next listing: if anything is unfinished by then, and in any case. Milliseconds. */
export type PausesBetweenListings = { readonly workingMs: number; readonly idleMs: number };

/** Short as soon as there is work, long when idle or where a provider offers no listing, never below a second. */
export const pausesBetweenListings = (
  isOffered: boolean,
  mirrorFreshForMs: number,
): PausesBetweenListings => ({
  workingMs: isOffered
    ? Math.max(leastMs, Math.min(whileWorkingMs, Math.floor(mirrorFreshForMs / 2)))
    : whenIdleMs,
  idleMs: whenIdleMs,
});

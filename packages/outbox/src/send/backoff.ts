export type PauseLimits = { readonly firstMs: number; readonly longestMs: number };

export const defaultPauses: PauseLimits = { firstMs: 1_000, longestMs: 60_000 };

/**
 * Full jitter: anywhere between nothing and a ceiling that doubles with each failure in a row, so that devices
 * coming back together do not knock together. `chance` is from 0 up to 1. A `Retry-After` is a floor, and the spread
 * comes on top of it, as long again as it is: whoever was told the same in the same second does not come back in one.
 */
export const pauseAfter = (
  failuresInRow: number,
  chance: number,
  retryAfterMs: number | null,
  limits: PauseLimits = defaultPauses,
): number => {
  const doublings = Math.min(Math.max(0, failuresInRow - 1), 30);
  const ceilingMs = Math.min(limits.longestMs, limits.firstMs * 2 ** doublings);
  const floorMs = retryAfterMs ?? 0;
  return floorMs + Math.round(chance * Math.max(ceilingMs, Math.min(floorMs, limits.longestMs)));
};

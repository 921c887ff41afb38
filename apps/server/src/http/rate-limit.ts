/** How one principal's requests are limited: a bucket that refills evenly over its window. */
export type RateLimiter = {
  /** Takes one request. `undefined`: go on; else the seconds after which one is allowed again. */
  readonly take: (principal: string) => number | undefined;
  /** What was taken is not counted after all. */
  readonly giveBack: (principal: string) => void;
};

type Bucket = { tokens: number; atMs: number };

const minuteMs = 60_000;

/** Buckets that have been full again for a while are forgotten, so that memory does not grow with strangers. */
const forget = (buckets: Map<string, Bucket>, nowMs: number, windowMs: number): void => {
  for (const [principal, bucket] of buckets) if (nowMs - bucket.atMs > windowMs) buckets.delete(principal);
};

/**
 * @param perWindow requests in the window; `undefined` limits nothing
 * @param nowMs the clock, milliseconds
 * @param windowMs a minute, where nothing else is said
 */
export const rateLimiter = (
  perWindow: number | undefined,
  nowMs: () => number,
  windowMs = minuteMs,
): RateLimiter => {
  if (perWindow === undefined) return { take: () => undefined, giveBack: () => undefined };
  const buckets = new Map<string, Bucket>();
  let lastForgotMs = nowMs();
  return {
    take: (principal) => {
      const now = nowMs();
      if (now - lastForgotMs > windowMs) {
        forget(buckets, now, windowMs);
        lastForgotMs = now;
      }
      const bucket = buckets.get(principal) ?? { tokens: perWindow, atMs: now };
      const refilled = Math.min(perWindow, bucket.tokens + ((now - bucket.atMs) * perWindow) / windowMs);
      const allowed = refilled >= 1;
      buckets.set(principal, { tokens: allowed ? refilled - 1 : refilled, atMs: now });
      return allowed ? undefined : Math.max(1, Math.ceil(((1 - refilled) * windowMs) / perWindow / 1_000));
    },
    giveBack: (principal) => {
      const bucket = buckets.get(principal);
      if (bucket !== undefined) bucket.tokens = Math.min(perWindow, bucket.tokens + 1);
    },
  };
};

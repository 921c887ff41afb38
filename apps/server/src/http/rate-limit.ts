/** How one principal's requests are limited: a bucket that refills evenly over a minute. */
export type RateLimiter = {
  /** Takes one request. `undefined`: go on; else the seconds after which one is allowed again. */
  readonly take: (principal: string) => number | undefined;
};

type Bucket = { tokens: number; atMs: number };

const minuteMs = 60_000;

/** Buckets that have been full again for a while are forgotten, so that memory does not grow with strangers. */
const forget = (buckets: Map<string, Bucket>, nowMs: number): void => {
  for (const [principal, bucket] of buckets) if (nowMs - bucket.atMs > minuteMs) buckets.delete(principal);
};

/**
 * @param perMinute requests a minute; `undefined` limits nothing
 * @param nowMs the clock, milliseconds
 */
export const rateLimiter = (perMinute: number | undefined, nowMs: () => number): RateLimiter => {
  if (perMinute === undefined) return { take: () => undefined };
  const buckets = new Map<string, Bucket>();
  let lastForgotMs = nowMs();
  return {
    take: (principal) => {
      const now = nowMs();
      if (now - lastForgotMs > minuteMs) {
        forget(buckets, now);
        lastForgotMs = now;
      }
      const bucket = buckets.get(principal) ?? { tokens: perMinute, atMs: now };
      const refilled = Math.min(perMinute, bucket.tokens + ((now - bucket.atMs) * perMinute) / minuteMs);
      const allowed = refilled >= 1;
      buckets.set(principal, { tokens: allowed ? refilled - 1 : refilled, atMs: now });
      return allowed ? undefined : Math.max(1, Math.ceil(((1 - refilled) * minuteMs) / perMinute / 1_000));
    },
  };
};

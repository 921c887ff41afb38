import * as z from 'zod/mini';

const durationMs = z.number().check(z.int(), z.nonnegative());

/** How long a provider usually takes over what it has accepted, for one organisation. Milliseconds. */
export const pendingTimesSchema = z.object({
  items: z.array(
    z.object({
      /** As on operations: "stripe". */
      provider: z.string(),
      /** What is known of the provider in general; after this long a person is told. */
      endsWithinMs: durationMs,
      /** Of this organisation's own confirmed ones of the last 90 days; `null`: too few to say anything. */
      past: z.nullable(
        z.object({
          count: z.number().check(z.int(), z.positive()),
          medianMs: durationMs,
          /** 95 of 100 were done within it. */
          mostMs: durationMs,
        }),
      ),
    }),
  ),
});
export type PendingTimes = z.infer<typeof pendingTimesSchema>;
export type PendingTime = PendingTimes['items'][number];

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * A sweep by the schedule begins a day before the last one began: clocks of the two sides differ, records become visible
 * late, and whoever compares by days compares in a time zone.
 */
export const overlapMs = dayMs;
/** After a longer pause people sweep by hand, over as much as they mean to. */
const longestWindowMs = 30 * dayMs;
/** Events become visible a little late, and carry the provider's time. */
const eventOverlapMs = hourMs;

/** From when on a sweep by the schedule reads. `sweptAtMs`: when the last whole one began; `null`: there was none. */
export const scheduledSince = (sweptAtMs: number | null, nowMs: number): number =>
  Math.max(nowMs - longestWindowMs, (sweptAtMs ?? nowMs) - overlapMs);

/**
 * From when on a sweep reads the provider's events: from the last that is known for certain, also across a downtime, and
 * no further back than the provider keeps them.
 */
export const eventsSince = (
  eventsThroughMs: number | null,
  sinceMs: number,
  nowMs: number,
  eventsKeptForMs: number,
): number =>
  Math.max(nowMs - eventsKeptForMs, eventsThroughMs === null ? sinceMs : eventsThroughMs - eventOverlapMs);

/**
 * Whether a sweep by the schedule is due, and when the next one is. An account that was never looked at waits one whole
 * pause: there is nothing to compare yet. `everyMs` `null`: there is no schedule.
 */
export const scheduleOf = (
  nextAtMs: number | null,
  nowMs: number,
  everyMs: number | null,
): { readonly due: boolean; readonly nextAtMs: number | null } => {
  if (everyMs === null) return { due: false, nextAtMs: null };
  if (nextAtMs === null) return { due: false, nextAtMs: nowMs + everyMs };
  // One that was set by a longer pause than is set now does not hold the new one back.
  if (nextAtMs > nowMs) return { due: false, nextAtMs: Math.min(nextAtMs, nowMs + everyMs) };
  return { due: true, nextAtMs: nowMs + everyMs };
};

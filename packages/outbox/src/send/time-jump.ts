/** The device's clock, which may be set, beside a count of time that only grows. Milliseconds. */
export type TimeSeen = { readonly wallMs: number; readonly steadyMs: number };

/**
 * Whether time did not pass as a page that runs would have seen it: a tick that comes more than twice too late (the
 * page was frozen, the lid was closed), or a clock that was set in between by more than a tick.
 */
export const isTimeJump = (before: TimeSeen, now: TimeSeen, tickMs: number): boolean => {
  const steadyMs = now.steadyMs - before.steadyMs;
  const wallMs = now.wallMs - before.wallMs;
  return steadyMs > 2 * tickMs || Math.abs(wallMs - steadyMs) > tickMs;
};

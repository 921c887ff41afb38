/**
 * One provider account's shared limit in this process: how many requests may be under way, and until when the
 * provider has asked us to stay away. Times come from the caller.
 */
export type AccountLimiter = {
  /** How long the provider still wants no submissions from us; 0 when it does not mind. */
  readonly pausedForMs: (nowMs: number) => number;
  /** The provider said "later". Without a time from it the pause doubles with each refusal in a row. */
  readonly refused: (nowMs: number, retryAfterMs: number | null) => void;
  readonly answered: () => void;
};

const shortestPauseMs = 1_000;
const longestPauseMs = 60_000;

export const createAccountLimiter = (): AccountLimiter => {
  let pausedUntilMs = 0;
  let refusedInARow = 0;
  return {
    pausedForMs: (nowMs) => Math.max(0, pausedUntilMs - nowMs),
    refused: (nowMs, retryAfterMs) => {
      const own = Math.min(shortestPauseMs * 2 ** Math.min(refusedInARow, 10), longestPauseMs);
      refusedInARow += 1;
      pausedUntilMs = Math.max(pausedUntilMs, nowMs + (retryAfterMs ?? own));
    },
    answered: () => {
      refusedInARow = 0;
    },
  };
};

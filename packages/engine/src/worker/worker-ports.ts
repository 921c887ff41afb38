/**
 * Time in this process: only for deadlines of requests and for pausing. What decides about money asks the
 * database's clock.
 */
export type ProcessClock = {
  /** Milliseconds, of the same clock by which the providers' adapters measure their deadlines. */
  readonly nowMs: () => number;
  readonly pause: (ms: number) => Promise<void>;
};

export type LogLevel = 'info' | 'warn' | 'error';
/** IDs and closed words only: never names, notes, keys or bodies. */
/** `error` in `about` is what was thrown, as it was: whoever writes the log knows which of its words may be in it. */
export type WorkerLog = (level: LogLevel, message: string, about: Readonly<Record<string, unknown>>) => void;

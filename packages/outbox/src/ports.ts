/** What the outbox needs of the world; the world is brought by the adapters. */

/** Milliseconds since the Unix epoch by this device's clock. */
export type Clock = { nowMs(): number };

/** A number from 0 up to, not including, 1. */
export type Chance = () => number;

/** A fresh UUIDv7. */
export type MintId = () => string;

/** A request to stop, passed down to whatever waits. */
export type Cancellation = {
  readonly requested: boolean;
  /** Calls the listener once when stopping is asked for (at once when it already was). Returns how to unlisten. */
  onRequested(listener: () => void): () => void;
};

/** Calls `fire` once after the time, unless cancelled by the function that it returns. */
export type Timer = (afterMs: number, fire: () => void) => () => void;

export const neverCancelled: Cancellation = { requested: false, onRequested: () => () => undefined };

export type Canceller = Cancellation & { cancel(): void };

export const createCanceller = (): Canceller => {
  const listeners = new Set<() => void>();
  let requested = false;
  return {
    get requested() {
      return requested;
    },
    onRequested(listener) {
      if (requested) {
        listener();
        return () => undefined;
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    cancel() {
      if (requested) return;
      requested = true;
      const told = [...listeners];
      listeners.clear();
      for (const listener of told) listener();
    },
  };
};

/** Waits, or returns early when cancelled. */
export const pause = (timer: Timer, ms: number, cancellation: Cancellation): Promise<void> =>
  new Promise((resolve) => {
    const stopTimer = timer(ms, () => {
      unlisten();
      resolve();
    });
    const unlisten = cancellation.onRequested(() => {
      stopTimer();
      resolve();
    });
  });

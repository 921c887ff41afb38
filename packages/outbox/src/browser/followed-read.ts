import type { Timer } from '../ports.ts';
import type { Unsubscribe } from '../outbox-interface.ts';
import type { StorageChange, Stores } from './storage-changes.ts';

export type FollowPorts = {
  readonly changes: (listener: (touched: StorageChange) => void) => Unsubscribe;
  readonly timer: Timer;
  /** Milliseconds that only grow. */
  readonly elapsedMs: () => number;
};

export type FollowedRead<Value> = {
  /** @param look names the stores that are read next. Whatever is awaited in between, they are followed. */
  readonly read: (look: (stores: Stores) => void) => Promise<Value>;
  readonly next: (value: Value) => void;
  /** The second failure in a row, and each one after it. It is read again by itself. */
  readonly failed: (error: unknown) => void;
};

/** A read that takes less is begun anew at once. */
const quickMs = 100;
/** A slower one rests for so many times as long as it took, so that it cannot keep the writes waiting it follows. */
const restsForTimes = 2;
const longestRestMs = 2_000;
/** One failure may be a database that changes hands. */
const firstRetryMs = 100;
const retryMs = 1_000;

/**
 * Reads now and after each change of what was read, one read at a time, so that no answer is older than the one before.
 * Changes while it reads or rests come to one more read.
 */
export const followRead = <Value>(ports: FollowPorts, followed: FollowedRead<Value>): Unsubscribe => {
  const { changes, timer, elapsedMs } = ports;
  let looksInto = new Set<Stores>();
  let isReading = false;
  let isStale = false;
  let isOver = false;
  let failures = 0;
  let stopResting: (() => void) | null = null;

  /** Resolves with how long to rest, in milliseconds. */
  const readOnce = async (): Promise<number> => {
    const beganMs = elapsedMs();
    looksInto = new Set();
    isStale = false;
    try {
      const value = await followed.read((stores) => looksInto.add(stores));
      failures = 0;
      if (!isOver) followed.next(value);
      const tookMs = elapsedMs() - beganMs;
      return tookMs < quickMs ? 0 : Math.min(longestRestMs, restsForTimes * tookMs);
    } catch (error) {
      failures += 1;
      if (!isOver && failures > 1) followed.failed(error);
      isStale = true;
      return failures === 1 ? firstRetryMs : retryMs;
    }
  };

  const readAgain = (): void => {
    if (isStale && !isReading && !isOver && stopResting === null) void read();
  };

  const read = async (): Promise<void> => {
    isReading = true;
    const restMs = await readOnce();
    isReading = false;
    if (restMs > 0 && !isOver) {
      stopResting = timer(restMs, () => {
        stopResting = null;
        readAgain();
      });
    }
    readAgain();
  };

  const unlisten = changes((touched) => {
    isStale ||= [...looksInto].some(touched);
    readAgain();
  });
  void read();
  return () => {
    isOver = true;
    unlisten();
    stopResting?.();
  };
};

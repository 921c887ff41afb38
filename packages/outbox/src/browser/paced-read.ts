import { Dexie } from 'dexie';

/** A read that takes less is not paced. */
const quickMs = 100;
/** For so many times as long as it took it is not begun again, at most for the longest. */
const restsForTimes = 3;
const longestRestMs = 3_000;

/**
 * A live read is begun anew with each change. While a long catch-up is stored that is once a batch, and a read over
 * thousands of rows would then keep the very writes waiting that it wants to show: a slow read rests in between.
 */
export const createPacedRead = <Value>(read: () => Promise<Value>): (() => Promise<Value>) => {
  let restUntilMs = 0;
  const measured = async (): Promise<Value> => {
    const beganMs = performance.now();
    const value = await read();
    const endedMs = performance.now();
    const tookMs = endedMs - beganMs;
    restUntilMs = tookMs < quickMs ? 0 : endedMs + Math.min(longestRestMs, restsForTimes * tookMs);
    return value;
  };
  return () => {
    const restMs = restUntilMs - performance.now();
    if (restMs <= 0) return measured();
    // Dexie's own promise, so that it still knows what the read is for.
    return new Dexie.Promise<void>((resolve) => void setTimeout(resolve, restMs)).then(measured);
  };
};

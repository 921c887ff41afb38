/** One turn. @returns how long to wait until the next one, in milliseconds */
export type Turn = (stopped: () => boolean) => Promise<number>;

/**
 * Takes turns, one after another with a pause before each, until it is stopped. A turn answers for its own trouble: one
 * that rejects is a mistake of ours.
 * @returns the stop: it cuts the pause short and waits for the turn that is under way
 */
export const takeTurns = (firstPauseMs: number, turn: Turn): (() => Promise<void>) => {
  let stopped = false;
  let wake: () => void = () => undefined;
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const running = (async () => {
    for (let pauseMs = firstPauseMs; !stopped;) {
      await pause(pauseMs);
      if (!stopped) pauseMs = await turn(() => stopped);
    }
  })();
  return async () => {
    stopped = true;
    wake();
    await running;
  };
};

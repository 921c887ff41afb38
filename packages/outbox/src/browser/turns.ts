import { locksOf } from './web-lock.ts';

/**
 * One task of a kind at a time in this browser. Nobody waits for ever: a frozen page may keep its lock, so after
 * `longestWaitMs` the task runs all the same. Without locks each runs at once.
 */
export const createTurns =
  (name: string, useLocks: boolean, longestWaitMs: number) =>
  async <Answer>(task: () => Promise<Answer>): Promise<Answer> => {
    const locks = locksOf(useLocks);
    if (!locks) return task();
    let hasBegun = false;
    const begin = (): Promise<Answer> => {
      hasBegun = true;
      return task();
    };
    try {
      return await locks.request(name, { signal: AbortSignal.timeout(longestWaitMs) }, begin);
    } catch (error) {
      if (hasBegun) throw error;
      return task();
    }
  };

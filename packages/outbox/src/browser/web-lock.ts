import type { Cancellation } from '../ports.ts';
import type { SenderLock } from '../send/transport.ts';
import { signalOf } from './browser-world.ts';

export const locksOf = (useLocks: boolean): LockManager | undefined =>
  useLocks && 'locks' in navigator ? navigator.locks : undefined;

export const areLocksThere = (useLocks: boolean): boolean => locksOf(useLocks) !== undefined;

const whenRequested = (cancellation: Cancellation): Promise<void> =>
  new Promise((resolve) => {
    cancellation.onRequested(resolve);
  });

/**
 * One round at a time in this browser, where it has locks. Nobody waits: who does not get it is told so, and may send
 * all the same, since the page that has it may be frozen. So each holds a lock of its own name besides, which the
 * browser takes from it when its tab is closed, loaded anew or killed.
 */
export const createSenderLock = (name: string, holder: string, useLocks: boolean): SenderLock => {
  const ownLockOf = (whose: string): string => `${name}-sender-${whose}`;
  return {
    async during(task, cancellation) {
      const locks = locksOf(useLocks);
      if (!locks) return task('unavailable');
      return new Promise((resolve, reject) => {
        let hasBegun = false;
        const round = (lock: Lock | null): Promise<void> => {
          hasBegun = true;
          const running = task(lock === null ? 'busy' : 'held');
          running.then(resolve, reject);
          const over = running.then(
            () => undefined,
            () => undefined,
          );
          return Promise.race([over, whenRequested(cancellation)]);
        };
        const holding = locks.request(ownLockOf(holder), () =>
          locks.request(`${name}-sender`, { ifAvailable: true }, round),
        );
        // Where the browser does not answer for its locks, it is as if there were none: sending goes on by the lease.
        holding.catch(() => {
          if (!hasBegun) task('unavailable').then(resolve, reject);
        });
      });
    },
    async isGone(whose) {
      try {
        const known = await locksOf(useLocks)?.query();
        if (known === undefined) return false;
        const { held = [], pending = [] } = known;
        return ![...held, ...pending].some((lock) => lock.name === ownLockOf(whose));
      } catch {
        return false;
      }
    },
  };
};

/**
 * Runs the task in one tab at a time; the others wait their turn, which comes when the holder's tab ends. Without
 * locks every tab runs it: more connections, the same result.
 */
export const holdInTurn = async (
  name: string,
  useLocks: boolean,
  cancellation: Cancellation,
  task: () => Promise<void>,
): Promise<void> => {
  const locks = locksOf(useLocks);
  if (!locks) return task();
  const { controller, release } = signalOf(cancellation);
  try {
    await locks.request(name, { signal: controller.signal }, task);
  } catch (error) {
    if (!cancellation.requested) throw error;
  } finally {
    release();
  }
};

import { isUnfinished, type Operation } from '@holdfast/operation';
import { makeBell } from '../http/bell.ts';
import { refuse } from '../http/problem.ts';
import type { ReadTogether } from './reads-together.ts';

/** What a wait needs of the request that it goes on in. */
export type Waiting = {
  /** There are as many waits as may be: this one is told to come back. */
  readonly isFull: boolean;
  readonly stop: AbortSignal;
  readonly read: ReadTogether;
  readonly stillAllowed: () => Promise<boolean>;
  readonly onRecheck: (look: () => void) => () => void;
};

export type WaitParts = Pick<Waiting, 'stop' | 'stillAllowed' | 'onRecheck'> & {
  readonly watch: (wake: () => void) => () => void;
  readonly read: () => Promise<Operation | null>;
  readonly timeoutMs: number;
  /** Told of each state it passes through. */
  readonly onProgress: (operation: Operation) => Promise<void>;
};

/** However quiet the feed is, it looks this often. */
const lookEveryMs = 1_000;
/** However busy it is, a wait asks no more often whether its key still works, unless it is told that rights changed. */
const rightsTrustedForMs = 1_000;

/** Waiting has an end where the operation has one, or where only a person goes on. */
const isWorthWaiting = ({ state, needsPerson }: Operation): boolean => isUnfinished(state) && !needsPerson;

/**
 * Waits until an operation ends, a person is needed, or the time is over, and answers with it as it is then. `null`:
 * there is none.
 * @throws Refusal when whoever waits is no longer who began to
 */
export const waitForOutcome = async (parts: WaitParts): Promise<Operation | null> => {
  const { read, stop, timeoutMs } = parts;
  const endsAtMs = performance.now() + timeoutMs;
  const bell = makeBell();
  stop.addEventListener('abort', bell.ring);
  const unwatch = parts.watch(bell.ring);
  let askAgain = false;
  let askedAtMs = performance.now();
  const unlisten = parts.onRecheck(() => {
    askAgain = true;
    bell.ring();
  });
  let told = 0;
  try {
    for (;;) {
      const operation = await read();
      // After the read and before the telling, so that nothing is told that was read just before the rights went.
      if (askAgain || performance.now() - askedAtMs >= rightsTrustedForMs) {
        askAgain = false;
        askedAtMs = performance.now();
        if (!(await parts.stillAllowed())) {
          throw refuse('unauthenticated', 'The key that this was asked with does not work any more.');
        }
      }
      if (operation === null) return null;
      if (operation.version > told) await parts.onProgress(operation);
      told = operation.version;
      const leftMs = endsAtMs - performance.now();
      if (!isWorthWaiting(operation) || leftMs <= 0 || stop.aborted) return operation;
      await bell.wait(Math.min(lookEveryMs, leftMs));
    }
  } finally {
    stop.removeEventListener('abort', bell.ring);
    unwatch();
    unlisten();
  }
};

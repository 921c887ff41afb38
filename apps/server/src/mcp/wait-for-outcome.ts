import type { Engine, Principal } from '@holdfast/engine';
import { isUnfinished, type Operation } from '@holdfast/operation';

export type WaitParts = {
  readonly engine: Pick<Engine, 'getOperation'> & { readonly feed: Pick<Engine['feed'], 'watch'> };
  readonly who: Principal;
  readonly operationId: string;
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
  /** Told of each state it passes through. */
  readonly onProgress: (operation: Operation) => Promise<void>;
};

/** However quiet the feed is, it looks this often. */
const lookEveryMs = 2_000;

const pause = (ms: number, stop: AbortSignal, onWake: (wake: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stop.addEventListener('abort', done);
    onWake(done);
  });

/** Waiting has an end where the operation has one, or where only a person goes on. */
const isWorthWaiting = ({ state, needsPerson }: Operation): boolean => isUnfinished(state) && !needsPerson;

/**
 * Waits until an operation ends, a person is needed, or the time is over, and answers with it as it is then. `null`:
 * there is none.
 */
export const waitForOutcome = async (parts: WaitParts): Promise<Operation | null> => {
  const { engine, who, operationId, timeoutMs, stop } = parts;
  const endsAtMs = performance.now() + timeoutMs;
  let wake = (): void => undefined;
  const unwatch = engine.feed.watch(who.organisationId, () => {
    wake();
  });
  let told = 0;
  try {
    for (;;) {
      const operation = await engine.getOperation(who, operationId);
      if (operation === null) return null;
      if (operation.version > told) await parts.onProgress(operation);
      told = operation.version;
      const leftMs = endsAtMs - performance.now();
      if (!isWorthWaiting(operation) || leftMs <= 0 || stop.aborted) return operation;
      await pause(Math.min(lookEveryMs, leftMs), stop, (ring) => {
        wake = ring;
      });
    }
  } finally {
    unwatch();
  }
};

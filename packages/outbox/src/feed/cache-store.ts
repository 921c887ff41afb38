import type { Operation, OperationState } from '@holdfast/operation';
import type { FeedBatch } from './feed-batch.ts';

/** What is known of the server's history on this device. `epoch` grows each time the caches are dropped. */
export type CacheState = {
  readonly epoch: number;
  readonly cursor: string | null;
  readonly generation: string | null;
  /** A catch-up from the beginning was completed: what is missing here is missing there. */
  readonly isComplete: boolean;
};

export const emptyCache = (epoch: number): CacheState => ({
  epoch,
  cursor: null,
  generation: null,
  isComplete: false,
});

/**
 * `history-changed`: the stream's generation is not the cache's; nothing was stored, the caches must be dropped.
 * `dropped-meanwhile`: another tab dropped them since the stream was opened; nothing was stored, begin anew.
 */
export type Applied = { readonly kind: 'applied' | 'history-changed' | 'dropped-meanwhile' };

/**
 * Copies of what the server told: operations, orders, tickets and the place in the feed. Losing all of it costs one
 * catch-up. It lives in a database of its own, so that its trouble cannot reach the queue.
 */
export type CacheStore = {
  state(): Promise<CacheState>;
  /** Content and cursor in one transaction; of each thing the highest version stays. */
  applyBatch(batch: FeedBatch, epoch: number): Promise<Applied>;
  /** From a verdict or a look-up. Does nothing when the caches were dropped since the question was asked. */
  applyOperations(operations: readonly Operation[], epoch: number): Promise<void>;
  /** Drops everything and begins a new epoch. */
  reset(): Promise<void>;
  operationStates(
    orderId: string,
  ): Promise<readonly { readonly id: string; readonly state: OperationState }[]>;
};

/** Version order within one history: the higher wins, the same or a lower one is late or doubled. */
export const isNewer = (known: number | undefined, told: number): boolean =>
  known === undefined || told > known;

/** The newest of each, when one batch carries several versions of a thing. */
export const newestOfEach = <Item extends { readonly id: string; readonly version: number }>(
  items: readonly Item[],
): Item[] => {
  const newest = new Map<string, Item>();
  for (const item of items)
    if (isNewer(newest.get(item.id)?.version, item.version)) newest.set(item.id, item);
  return [...newest.values()];
};

/** The cache's state after a batch, or that the batch tells of another history. */
export const stateAfter = (state: CacheState, batch: FeedBatch): CacheState | 'history-changed' => {
  if (batch.live !== null && state.generation !== null && state.generation !== batch.live)
    return 'history-changed';
  return {
    ...state,
    cursor: batch.cursor ?? state.cursor,
    generation: batch.live ?? state.generation,
    isComplete: state.isComplete || batch.live !== null,
  };
};

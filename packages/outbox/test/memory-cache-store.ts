import type { Operation, OperationState, Order, Ticket } from '@holdfast/operation';
import { emptyCache, isNewer, newestOfEach, stateAfter } from '../src/feed/cache-store.ts';
import type { Applied, CacheState, CacheStore } from '../src/feed/cache-store.ts';
import type { FeedBatch } from '../src/feed/feed-batch.ts';

const putNewer = <Item extends { readonly id: string; readonly version: number }>(
  known: Map<string, Item>,
  items: readonly Item[],
): void => {
  for (const item of newestOfEach(items)) {
    if (isNewer(known.get(item.id)?.version, item.version)) known.set(item.id, item);
  }
};

/** The caches in memory, with the promises of the real ones. */
export class MemoryCacheStore implements CacheStore {
  readonly operations = new Map<string, Operation>();
  readonly orders = new Map<string, Order>();
  readonly tickets = new Map<string, Ticket>();
  #state: CacheState = emptyCache(0);

  async state(): Promise<CacheState> {
    return Promise.resolve(this.#state);
  }

  async applyBatch(batch: FeedBatch, epoch: number): Promise<Applied> {
    if (this.#state.epoch !== epoch) return Promise.resolve({ kind: 'dropped-meanwhile' });
    const after = stateAfter(this.#state, batch);
    if (after === 'history-changed') return { kind: 'history-changed' };
    putNewer(this.operations, batch.operations);
    putNewer(this.orders, batch.orders);
    putNewer(this.tickets, batch.tickets);
    this.#state = after;
    return { kind: 'applied' };
  }

  async applyOperations(told: readonly Operation[], epoch: number): Promise<void> {
    if (this.#state.epoch === epoch) putNewer(this.operations, told);
    return Promise.resolve();
  }

  async reset(): Promise<void> {
    for (const table of [this.operations, this.orders, this.tickets]) table.clear();
    this.#state = emptyCache(this.#state.epoch + 1);
    return Promise.resolve();
  }

  async operationStates(orderId: string): Promise<{ id: string; state: OperationState }[]> {
    const own = [...this.operations.values()].filter((operation) => operation.orderId === orderId);
    return Promise.resolve(own.map(({ id, state }) => ({ id, state })));
  }

  /** For the contract suite. */
  async operation(id: string): Promise<Operation | null> {
    return Promise.resolve(this.operations.get(id) ?? null);
  }

  async order(id: string): Promise<Order | null> {
    return Promise.resolve(this.orders.get(id) ?? null);
  }
}

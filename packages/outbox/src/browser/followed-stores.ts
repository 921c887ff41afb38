import type { Unsubscribe } from '../outbox-interface.ts';
import type { RefundWords } from '../queue/refund-rows.ts';
import type { CacheDatabase } from './cache-database.ts';
import { CacheReads } from './cache-reads.ts';
import { browserFollowPorts, followedQueue, noting } from './followed-queue.ts';
import type { QueueReads } from './followed-queue.ts';
import { followRead } from './followed-read.ts';
import type { FollowedRead } from './followed-read.ts';
import { listenToChanges, storesOf } from './storage-changes.ts';
import type { Stores } from './storage-changes.ts';
import type { TabQueueStore } from './tab-queue-store.ts';

export type StoresToFollow = {
  readonly store: TabQueueStore<RefundWords>;
  readonly queueName: string;
  readonly cache: CacheReads;
  readonly cacheName: string;
};

type CachedReads = Omit<{ readonly [Name in keyof CacheReads]: CacheReads[Name] }, 'atHand'>;

/** All that a live read may look at. */
export type FollowedStores = { readonly store: QueueReads<RefundWords>; readonly cache: CachedReads };

/**
 * The stores as a live read sees them: each question names what it looks into before it looks. A live read is handed
 * nothing else to read from, so that nothing it shows can change without its being begun anew, whatever else it waits
 * for in between.
 */
export const followedStores = (stores: StoresToFollow, look: (stores: Stores) => void): FollowedStores => {
  const { store, queueName, cache, cacheName } = stores;
  const noted = noting(look);
  const ofCache = (table: string): Stores => storesOf(cacheName, table);
  return {
    store: followedQueue(store, queueName, look),
    cache: {
      isComplete: noted(ofCache('place'), () => cache.isComplete()),
      operation: noted(ofCache('operations'), (id: string) => cache.operation(id)),
      operations: noted(ofCache('operations'), (...asked: Parameters<CacheReads['operations']>) =>
        cache.operations(...asked),
      ),
      counts: noted(ofCache('operations'), () => cache.counts()),
      order: noted(ofCache('orders'), (id: string) => cache.order(id)),
      orders: noted(ofCache('orders'), (query: Parameters<CacheReads['orders']>[0]) => cache.orders(query)),
      ticket: noted(ofCache('tickets'), (id: string) => cache.ticket(id)),
      tickets: noted(ofCache('tickets'), (query: Parameters<CacheReads['tickets']>[0]) =>
        cache.tickets(query),
      ),
    },
  };
};

/** Reads now and after each change of what was read. See `followRead`. */
export type Follow = <Value>(
  followed: Omit<FollowedRead<Value>, 'read'> & { readonly read: (stores: FollowedStores) => Promise<Value> },
) => Unsubscribe;

export const createFollow = (
  store: TabQueueStore<RefundWords>,
  queueName: string,
  cacheDatabase: CacheDatabase,
): Follow => {
  const cache = new CacheReads(cacheDatabase);
  const stores = { store, queueName, cache, cacheName: cacheDatabase.name };
  const { atHand } = cache;
  return ({ read, next, failed }) =>
    followRead(
      {
        ...browserFollowPorts,
        changes: (listener) => {
          if (!atHand.isOpen) atHand.onBack(() => listener(() => true));
          return listenToChanges(listener);
        },
      },
      {
        next,
        failed,
        read: async (look) => {
          // Neither lets wait for ever: what is away is done without, and told when it is back.
          if (!atHand.isOpen) await atHand.settled();
          await store.settled();
          return read(followedStores(stores, look));
        },
      },
    );
};

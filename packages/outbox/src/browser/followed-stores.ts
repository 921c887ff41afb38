import type { Unsubscribe } from '../outbox-interface.ts';
import { browserTimer } from './browser-world.ts';
import type { CacheDatabase } from './cache-database.ts';
import { CacheReads } from './cache-reads.ts';
import type { EntryIndex } from './entry-index.ts';
import { followRead } from './followed-read.ts';
import type { FollowedRead } from './followed-read.ts';
import { listenToChanges, storesOf } from './storage-changes.ts';
import type { Stores } from './storage-changes.ts';
import type { TabQueueStore } from './tab-queue-store.ts';

export type StoresToFollow = {
  readonly store: TabQueueStore;
  readonly queueName: string;
  readonly cache: CacheReads;
  readonly cacheName: string;
};

type QueueReads = Pick<TabQueueStore, 'read' | 'readOpen' | 'readAll' | 'note' | 'entryIndex' | 'openIds'>;
type CachedReads = Omit<{ readonly [Name in keyof CacheReads]: CacheReads[Name] }, 'atHand'>;

/** All that a live read may look at. */
export type FollowedStores = { readonly store: QueueReads; readonly cache: CachedReads };

/**
 * The stores as a live read sees them: each question names what it looks into before it looks. A live read is handed
 * nothing else to read from, so that nothing it shows can change without its being begun anew, whatever else it waits
 * for in between.
 */
export const followedStores = (stores: StoresToFollow, look: (stores: Stores) => void): FollowedStores => {
  const { store, queueName, cache, cacheName } = stores;
  const noting =
    <Question extends unknown[], Answer>(where: Stores, read: (...question: Question) => Promise<Answer>) =>
    (...question: Question): Promise<Answer> => {
      look(where);
      return read(...question);
    };
  const ofQueue = storesOf(queueName);
  const ofCache = (table: string): Stores => storesOf(cacheName, table);
  const entryIndex: EntryIndex = {
    keysOf: noting(ofQueue, (subject) => store.entryIndex.keysOf(subject)),
    keysOfOrders: noting(ofQueue, (subject, beginning) => store.entryIndex.keysOfOrders(subject, beginning)),
    count: noting(ofQueue, () => store.entryIndex.count()),
  };
  return {
    store: {
      read: noting(ofQueue, store.read),
      readOpen: noting(ofQueue, store.readOpen),
      readAll: noting(ofQueue, store.readAll),
      note: noting(ofQueue, store.note),
      openIds: noting(storesOf(queueName, 'unended'), store.openIds),
      entryIndex,
    },
    cache: {
      isComplete: noting(ofCache('place'), () => cache.isComplete()),
      operation: noting(ofCache('operations'), (id) => cache.operation(id)),
      operations: noting(ofCache('operations'), (query, limit) => cache.operations(query, limit)),
      counts: noting(ofCache('operations'), () => cache.counts()),
      order: noting(ofCache('orders'), (id) => cache.order(id)),
      orders: noting(ofCache('orders'), (query) => cache.orders(query)),
      ticket: noting(ofCache('tickets'), (id) => cache.ticket(id)),
      tickets: noting(ofCache('tickets'), (query) => cache.tickets(query)),
    },
  };
};

/** Reads now and after each change of what was read. See `followRead`. */
export type Follow = <Value>(
  followed: Omit<FollowedRead<Value>, 'read'> & { readonly read: (stores: FollowedStores) => Promise<Value> },
) => Unsubscribe;

export const createFollow = (
  store: TabQueueStore,
  queueName: string,
  cacheDatabase: CacheDatabase,
): Follow => {
  const cache = new CacheReads(cacheDatabase);
  const stores = { store, queueName, cache, cacheName: cacheDatabase.name };
  const { atHand } = cache;
  return ({ read, next, failed }) =>
    followRead(
      {
        timer: browserTimer,
        elapsedMs: () => performance.now(),
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

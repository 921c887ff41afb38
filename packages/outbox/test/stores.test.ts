import { cacheStoreContract } from './cache-store-contract.ts';
import { MemoryCacheStore } from './memory-cache-store.ts';
import { MemoryQueueStore } from './memory-queue-store.ts';
import { queueStoreContract } from './queue-store-contract.ts';

queueStoreContract('the double', () => {
  const store = new MemoryQueueStore();
  return Promise.resolve({
    store,
    putRaw: (table, row) => {
      const key = table === 'entries' ? 'key' : table === 'drafts' ? 'operationId' : 'id';
      store.rows[table].set(String((row as Record<string, unknown>)[key]), row);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
});

cacheStoreContract('the double', () => {
  const cache = new MemoryCacheStore();
  return Promise.resolve({
    cache,
    operation: (id) => cache.operation(id),
    order: (id) => cache.order(id),
    close: () => Promise.resolve(),
  });
});

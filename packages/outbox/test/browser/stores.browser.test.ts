import { CacheDatabase } from '../../src/browser/cache-database.ts';
import { browserMintId } from '../../src/browser/browser-world.ts';
import { DexieCacheStore } from '../../src/browser/dexie-cache-store.ts';
import { DexieQueueStore } from '../../src/browser/dexie-queue-store.ts';
import { QueueDatabase } from '../../src/browser/queue-database.ts';
import { refundRows } from '../../src/queue/refund-rows.ts';
import { cacheStoreContract } from '../cache-store-contract.ts';
import { queueStoreContract } from '../queue-store-contract.ts';

queueStoreContract('IndexedDB', async () => {
  const database = new QueueDatabase(`contract-${browserMintId()}`, () => undefined);
  await database.open();
  return {
    store: new DexieQueueStore(database, refundRows, () => false),
    putRaw: async (table, row) => {
      await database.table(table).put(row);
    },
    close: () => database.delete(),
  };
});

cacheStoreContract('IndexedDB', async () => {
  const database = new CacheDatabase(`contract-${browserMintId()}`);
  await database.open();
  return {
    cache: new DexieCacheStore(database, browserMintId),
    operation: async (id) => (await database.operations.get(id))?.body ?? null,
    order: async (id) => (await database.orders.get(id))?.body ?? null,
    close: () => database.delete(),
  };
});

/** IndexedDB with nothing around it: what the product is measured against. */

const done = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
  });

export type BareDatabase = {
  /** One transaction that puts all rows; resolves when it is complete. */
  readonly put: (rows: readonly unknown[], durability: IDBTransactionDurability) => Promise<void>;
  readonly drop: () => void;
};

/** @param indexes names of the rows' fields that have an index, as the product's table has them */
export const openBareDatabase = (
  name: string,
  keyPath: string,
  indexes: readonly string[],
): Promise<BareDatabase> =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      const store = opening.result.createObjectStore('rows', { keyPath });
      for (const index of indexes) store.createIndex(index, index);
    };
    opening.onerror = () => reject(opening.error ?? new Error('not opened'));
    opening.onsuccess = () => {
      const database = opening.result;
      resolve({
        put: (rows, durability) => {
          const transaction = database.transaction('rows', 'readwrite', { durability });
          const store = transaction.objectStore('rows');
          for (const row of rows) store.put(row);
          return done(transaction);
        },
        drop: () => {
          database.close();
          indexedDB.deleteDatabase(name);
        },
      });
    };
  });

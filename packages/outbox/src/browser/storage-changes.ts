import { Dexie } from 'dexie';
import type { Unsubscribe } from '../outbox-interface.ts';

/** Some stores of one database: all of them, or one. Made by `storesOf` only. */
export type Stores = string & { readonly of?: 'stores' };

export const storesOf = (database: string, table?: string): Stores =>
  `idb://${database}/${table === undefined ? '' : `${table}/`}`;

/** What one change touched. */
export type StorageChange = (stores: Stores) => boolean;

/**
 * Calls the listener after each change that was stored, by whichever tab or worker of this browser. The change itself
 * was committed before, so a read that begins afterwards sees it.
 */
export const listenToChanges = (listener: (touched: StorageChange) => void): Unsubscribe => {
  const told = (parts: Record<string, unknown>): void => {
    const names = Object.keys(parts);
    // `all`: the page was away, and nobody knows what changed meanwhile.
    const isUnknown = names.includes('all');
    // Told in the middle of the writer's transaction, which is none of the listener's.
    Dexie.ignoreTransaction(() =>
      listener((stores) => isUnknown || names.some((name) => name.startsWith(stores))),
    );
  };
  Dexie.on('storagemutated', told);
  return () => Dexie.on.storagemutated.unsubscribe(told);
};

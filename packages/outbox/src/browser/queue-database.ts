import { Dexie } from 'dexie';
import type { Table } from 'dexie';
import type { Connectivity } from '../outbox-interface.ts';

export type StateRow = { readonly key: 'session' | 'lease' | 'list-since'; readonly value: unknown };

/** Raised with each change of the stores. IndexedDB counts it in tens. */
const schemaVersion = 1;

/**
 * The queue's own database. Keys are text that we made; auto-increment keys fail in WebKit. Rows are read as
 * `unknown`, since an older or newer version of the app may have written them.
 */
export class QueueDatabase extends Dexie {
  declare readonly drafts: Table<unknown, string>;
  declare readonly entries: Table<unknown, string>;
  declare readonly log: Table<unknown, string>;
  /** Which operations have something open: an index only, rebuilt from the others at each start. */
  declare readonly unended: Table<{ readonly id: string }, string>;
  declare readonly state: Table<StateRow, string>;

  constructor(name: string, report: (storage: Connectivity['storage']) => void) {
    // Without this "saved" would mean "handed to the operating system".
    super(name, { chromeTransactionDurability: 'strict' });
    this.version(schemaVersion).stores({
      drafts: 'operationId, [subject+orderId]',
      entries: 'key, operationId, subject, [subject+orderId]',
      log: 'id, entryKey',
      unended: 'id',
      state: 'key',
    });
    this.on('versionchange', () => {
      // A newer app in another tab: finish what is being written, let go, and say so.
      report('updated-elsewhere');
      this.close();
    });
    this.on('blocked', () => report('blocked'));
    const refuseNewer = (): void => {
      // Dexie would go on with a database of a later version; this app does not know what its rows mean.
      if (this.backendDB().version <= schemaVersion * 10) return;
      report('updated-elsewhere');
      throw new Error('the queue on this device is of a newer version of the app');
    };
    this.on('ready', refuseNewer, true);
  }
}

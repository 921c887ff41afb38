import type { QueueStore } from '../queue/queue-store.ts';
import type { QueueDatabase } from './queue-database.ts';

/** Entries by their keys alone: a thousand of them are counted without reading one. */
export type EntryIndex = {
  keysOf(subject: string): Promise<readonly string[]>;
  /** Those whose order's ID begins so. */
  keysOfOrders(subject: string, beginning: string): Promise<readonly string[]>;
  /** Entries of everybody. */
  count(): Promise<number>;
};

const lastCharacter = '\uffff';

export const indexOfDatabase = ({ entries }: QueueDatabase): EntryIndex => ({
  keysOf: async (subject) => entries.where('subject').equals(subject).primaryKeys(),
  keysOfOrders: async (subject, beginning) =>
    entries
      .where('[subject+orderId]')
      .between([subject, beginning], [subject, beginning + lastCharacter])
      .primaryKeys(),
  count: async () => entries.count(),
});

/** Where the stores are those of a newer app, no index of theirs is leaned on. */
export const indexOfRows = (store: QueueStore): EntryIndex => ({
  keysOf: async (subject) => {
    const { records } = await store.readAll();
    return records.filter(({ entry }) => entry.subject === subject).map(({ entry }) => entry.key);
  },
  keysOfOrders: async (subject, beginning) => {
    const { records } = await store.readAll();
    const ofOrders = records.filter(
      ({ entry }) => entry.subject === subject && (entry.orderId ?? '').startsWith(beginning),
    );
    return ofOrders.map(({ entry }) => entry.key);
  },
  count: async () => (await store.readAll()).records.length,
});

import type { Page } from '@playwright/test';

export type EntryRow = {
  readonly key: string;
  readonly operationId: string;
  readonly commandId: string;
  readonly type: string;
  readonly subject: string;
  readonly orderId: string | null;
  readonly position: number;
  readonly body: string;
  readonly queuedAtMs: number;
};

export type LogRow = {
  readonly id: string;
  readonly entryKey: string;
  readonly atMs: number;
  readonly event: {
    readonly kind: string;
    readonly attemptId?: string;
    readonly result?: string;
    readonly status?: number | string | null;
  };
};

export type DraftRow = { readonly operationId: string; readonly orderId: string; readonly content: unknown };

/** What lies in the queue's database on the device, read apart from the app. */
export type QueueRows = {
  readonly drafts: readonly DraftRow[];
  readonly entries: readonly EntryRow[];
  readonly log: readonly LogRow[];
};

const nothing: QueueRows = { drafts: [], entries: [], log: [] };

/** The rows, or `null` where there is no such database. Runs in a page of the app's origin, so it stands on its own. */
export const rowsInPage = async (): Promise<QueueRows | null> => {
  const name = 'holdfast-queue';
  const known = await indexedDB.databases();
  if (!known.some((database) => database.name === name)) return null;
  const settled = <Value>(request: IDBRequest<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('the request failed'));
    });
  const database = await settled(indexedDB.open(name));
  try {
    const transaction = database.transaction(['drafts', 'entries', 'log'], 'readonly');
    const rowsOf = (store: string) => settled(transaction.objectStore(store).getAll());
    const [drafts, entries, log] = await Promise.all([rowsOf('drafts'), rowsOf('entries'), rowsOf('log')]);
    return { drafts, entries, log };
  } finally {
    database.close();
  }
};

/** Reads the rows in a page of the app's origin, with a connection of its own that is closed at once. */
export const queueRows = async (page: Page): Promise<QueueRows> =>
  (await page.evaluate(rowsInPage)) ?? nothing;

/** What happened to an entry, in order. */
export const eventsOf = (rows: QueueRows, entryKey: string): readonly string[] =>
  rows.log
    .filter((row) => row.entryKey === entryKey)
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ event }) => event.kind);

export const proposalsOf = (rows: QueueRows, orderId: string): readonly EntryRow[] =>
  rows.entries.filter((entry) => entry.type === 'propose' && entry.orderId === orderId);

/** Keeps every write to the queue waiting, from another page of the origin, until that page is gone. */
export const holdQueueWrites = async (page: Page): Promise<void> => {
  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('holdfast-queue');
        opening.onerror = () => reject(opening.error ?? new Error('the queue did not open'));
        opening.onsuccess = () => {
          const log = opening.result.transaction(['log'], 'readwrite').objectStore('log');
          // A transaction lives as long as requests are made in it.
          const ask = (): void => {
            log.count().onsuccess = () => {
              resolve();
              ask();
            };
          };
          ask();
        };
      }),
  );
};

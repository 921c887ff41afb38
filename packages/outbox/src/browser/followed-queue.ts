import type { Unsubscribe } from '../outbox-interface.ts';
import type { Words } from '../queue/words.ts';
import { browserTimer } from './browser-world.ts';
import type { EntryIndex } from './entry-index.ts';
import { followRead } from './followed-read.ts';
import type { FollowedRead, FollowPorts } from './followed-read.ts';
import { listenToChanges, storesOf } from './storage-changes.ts';
import type { Stores } from './storage-changes.ts';
import type { TabQueueStore } from './tab-queue-store.ts';

/** All of the queue that a live read may look at. */
export type QueueReads<W extends Words = Words> = Pick<
  TabQueueStore<W>,
  'read' | 'readOpen' | 'readAll' | 'note' | 'entryIndex' | 'openIds'
>;

/** Names the stores that a question looks into, before it looks. */
export const noting =
  (look: (stores: Stores) => void) =>
  <Question extends unknown[], Answer>(where: Stores, read: (...question: Question) => Promise<Answer>) =>
  (...question: Question): Promise<Answer> => {
    look(where);
    return read(...question);
  };

export const followedQueue = <W extends Words>(
  store: TabQueueStore<W>,
  queueName: string,
  look: (stores: Stores) => void,
): QueueReads<W> => {
  const noted = noting(look);
  const ofQueue = storesOf(queueName);
  const entryIndex: EntryIndex = {
    keysOf: noted(ofQueue, (subject: string) => store.entryIndex.keysOf(subject)),
    keysOfOrders: noted(ofQueue, (subject: string, beginning: string) =>
      store.entryIndex.keysOfOrders(subject, beginning),
    ),
    count: noted(ofQueue, () => store.entryIndex.count()),
  };
  return {
    read: noted(ofQueue, store.read),
    readOpen: noted(ofQueue, store.readOpen),
    readAll: noted(ofQueue, store.readAll),
    note: noted(ofQueue, store.note),
    openIds: noted(storesOf(queueName, 'unended'), store.openIds),
    entryIndex,
  };
};

export const browserFollowPorts: FollowPorts = {
  timer: browserTimer,
  elapsedMs: () => performance.now(),
  changes: listenToChanges,
};

/** Reads the queue now and after each change of what was read. See `followRead`. */
export type FollowQueue<W extends Words = Words> = <Value>(
  followed: Omit<FollowedRead<Value>, 'read'> & { readonly read: (store: QueueReads<W>) => Promise<Value> },
) => Unsubscribe;

export const createFollowQueue =
  <W extends Words>(store: TabQueueStore<W>, queueName: string): FollowQueue<W> =>
  ({ read, next, failed }) =>
    followRead(browserFollowPorts, {
      next,
      failed,
      read: async (look) => {
        // It lets nobody wait for ever: what is away is told when it is back.
        await store.settled();
        return read(followedQueue(store, queueName, look));
      },
    });

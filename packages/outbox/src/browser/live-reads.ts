import { liveQuery } from 'dexie';
import type { LiveQuery, LiveRead, LiveValue, LiveValues } from '../live-query.ts';
import type { Unsubscribe } from '../outbox-interface.ts';
import { readLostList, shownEviction } from '../queue/list-canary.ts';
import { statusSummary } from '../read/device-item.ts';
import { ownDrafts, ownItems } from '../read/own-view.ts';
import { isAskedFor, newestFirst, seenOperation } from '../read/seen-operation.ts';
import type { Clock } from '../ports.ts';
import type { CacheReads } from './cache-reads.ts';
import type { ConnectivityBoard } from './connectivity-board.ts';
import { recordReaders } from './record-reads.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { TabQueueStore } from './tab-queue-store.ts';

export type LiveReadPorts = {
  readonly store: TabQueueStore;
  readonly cache: CacheReads;
  readonly board: ConnectivityBoard;
  readonly clock: Clock;
  readonly session: Pick<SessionKeeper, 'shown' | 'listen'>;
};

type Readers = {
  [Of in keyof LiveValues]: (query: Extract<LiveQuery, { of: Of }>) => Promise<LiveValues[Of] | null>;
};

const resubscribeAfterMs = 1_000;
const defaultListLimit = 100;

const draftReaders = ({ store }: LiveReadPorts): Pick<Readers, 'draft' | 'drafts'> => ({
  draft: async ({ operationId }) => {
    const drafts = ownDrafts(await store.read({ operationIds: [operationId] }));
    return drafts.find((draft) => draft.operationId === operationId) ?? null;
  },
  drafts: async () => {
    const drafts = ownDrafts(await store.readOpen());
    return [...drafts].sort((one, other) => other.savedAtMs - one.savedAtMs);
  },
});

const operationReaders = ({
  store,
  cache,
  clock,
}: LiveReadPorts): Pick<Readers, 'items' | 'operation' | 'operations'> => ({
  items: async ({ operationId }) => {
    if (operationId !== undefined) {
      return ownItems(await store.read({ operationIds: [operationId] }), clock.nowMs());
    }
    const items = ownItems(await store.readOpen(), clock.nowMs());
    return items.filter(({ standing, ending }) => standing !== 'closed' || ending === null);
  },
  operation: async ({ operationId }) => {
    const items = ownItems(await store.read({ operationIds: [operationId] }), clock.nowMs());
    return seenOperation(operationId, await cache.operation(operationId), items);
  },
  operations: async (query) => {
    const items = ownItems(await store.readOpen(), clock.nowMs());
    const synced = new Map((await cache.operations(query)).map((operation) => [operation.id, operation]));
    for (const { operationId } of items) {
      const known = synced.has(operationId) ? null : await cache.operation(operationId);
      if (known) synced.set(operationId, known);
    }
    const ids = new Set([...synced.keys(), ...items.map(({ operationId }) => operationId)]);
    return [...ids]
      .flatMap((id) => {
        const own = items.filter(({ operationId }) => operationId === id);
        return seenOperation(id, synced.get(id) ?? null, own) ?? [];
      })
      .filter((seen) => isAskedFor(seen, query))
      .sort(newestFirst)
      .slice(0, query.limit ?? defaultListLimit);
  },
});

const readersOf = (ports: LiveReadPorts): Readers => ({
  ...draftReaders(ports),
  ...operationReaders(ports),
  ...recordReaders(ports),
  order: ({ orderId }) => ports.cache.order(orderId),
  orders: (query) => ports.cache.orders(query),
  ticket: ({ ticketId }) => ports.cache.ticket(ticketId),
  tickets: (query) => ports.cache.tickets(query),
  status: async () =>
    statusSummary(await ports.store.readOpen(), await ports.cache.counts(), ports.clock.nowMs()),
  session: () => Promise.resolve(ports.session.shown),
  connectivity: () => Promise.resolve(ports.board.current),
  eviction: async () => {
    // Both are begun at once, so that a live query follows both.
    const [note, { session }] = await Promise.all([
      ports.store.note('eviction'),
      ports.store.read({ operationIds: [] }),
    ]);
    return shownEviction(readLostList(note), session.subject);
  },
});

const detailOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Live reads over IndexedDB: a change by any tab, worker or stream of this browser reaches every listener. */
export class LiveReads {
  readonly #ports: LiveReadPorts;
  readonly #readers: Readers;

  constructor(ports: LiveReadPorts) {
    this.#ports = ports;
    this.#readers = readersOf(ports);
  }

  watch<Query extends LiveQuery>(
    query: Query,
    listener: (read: LiveRead<LiveValue<Query>>) => void,
  ): Unsubscribe {
    listener({ state: 'loading' });
    if (query.of === 'connectivity') {
      const tell = (): void =>
        listener({ state: 'ready', value: this.#ports.board.current as LiveValue<Query> });
      tell();
      return this.#ports.board.listen(tell);
    }
    if (query.of === 'session') {
      const { session } = this.#ports;
      return session.listen((shown) => listener({ state: 'ready', value: shown as LiveValue<Query> }));
    }
    return this.#subscribe(query, listener);
  }

  #subscribe<Query extends LiveQuery>(
    query: Query,
    listener: (read: LiveRead<LiveValue<Query>>) => void,
  ): Unsubscribe {
    let isOver = false;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let subscription: { unsubscribe(): void } | undefined;
    const { atHand } = this.#ports.cache;
    const { store } = this.#ports;
    const begin = async (): Promise<void> => {
      // Waited for out here: within a live query nothing may be waited for but its own reads.
      if (!atHand.isOpen) await atHand.settled();
      await store.settled();
      if (isOver) return;
      subscription?.unsubscribe();
      if (!atHand.isOpen) atHand.onBack(() => void begin());
      subscription = liveQuery(() => this.#read(query)).subscribe({
        next: (read) => {
          if (!isOver) listener(read);
        },
        error: (error: unknown) => {
          if (isOver) return;
          listener({ state: 'failed', because: detailOf(error) });
          subscription?.unsubscribe();
          // A listener must come alive again by itself when storage does.
          retry = setTimeout(() => void begin(), resubscribeAfterMs);
        },
      });
    };
    void begin();
    return () => {
      isOver = true;
      clearTimeout(retry);
      subscription?.unsubscribe();
    };
  }

  async #read<Query extends LiveQuery>(query: Query): Promise<LiveRead<LiveValue<Query>>> {
    // The compiler cannot follow that the reader under a query's name takes that very query.
    const read = this.#readers[query.of] as (query: LiveQuery) => Promise<LiveValue<Query> | null>;
    const value = await read(query);
    if (value !== null) return { state: 'ready', value };
    return { state: 'missing', synced: await this.#ports.cache.isComplete() };
  }
}

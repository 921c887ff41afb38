import type { LiveQuery, LiveRead, LiveValue, LiveValues } from '../live-query.ts';
import type { StatusSummary, Unsubscribe } from '../outbox-interface.ts';
import { readLostList, shownEviction } from '../queue/list-canary.ts';
import { statusSummary } from '../read/device-item.ts';
import { ownDrafts, ownItems } from '../read/own-view.ts';
import { isAskedFor, newestFirst, seenOperation } from '../read/seen-operation.ts';
import type { Clock } from '../ports.ts';
import type { ConnectivityBoard } from './connectivity-board.ts';
import type { Follow, FollowedStores } from './followed-stores.ts';
import { recordReaders } from './record-reads.ts';
import type { SessionKeeper } from './session-keeper.ts';

export type LiveReadPorts = {
  readonly follow: Follow;
  readonly board: ConnectivityBoard;
  readonly clock: Clock;
  readonly session: Pick<SessionKeeper, 'shown' | 'listen'>;
};

type Readers = {
  /** Reads from the stores that it is handed, and from nothing else: those are followed. */
  [Of in keyof LiveValues]: (
    query: Extract<LiveQuery, { of: Of }>,
    stores: FollowedStores,
  ) => Promise<LiveValues[Of] | null>;
};

const defaultListLimit = 100;

const draftReaders: Pick<Readers, 'draft' | 'drafts'> = {
  draft: async ({ operationId }, { store }) => {
    const drafts = ownDrafts(await store.read({ operationIds: [operationId] }));
    return drafts.find((draft) => draft.operationId === operationId) ?? null;
  },
  drafts: async (_query, { store }) => {
    const drafts = ownDrafts(await store.readOpen());
    return [...drafts].sort((one, other) => other.savedAtMs - one.savedAtMs);
  },
};

const operationReaders = ({ clock }: LiveReadPorts): Pick<Readers, 'items' | 'operation' | 'operations'> => ({
  items: async ({ operationId }, { store }) => {
    if (operationId !== undefined) {
      return ownItems(await store.read({ operationIds: [operationId] }), clock.nowMs());
    }
    const items = ownItems(await store.readOpen(), clock.nowMs());
    return items.filter(({ standing, ending }) => standing !== 'closed' || ending === null);
  },
  operation: async ({ operationId }, { store, cache }) => {
    const items = ownItems(await store.read({ operationIds: [operationId] }), clock.nowMs());
    return seenOperation(operationId, await cache.operation(operationId), items);
  },
  operations: async (query, { store, cache }) => {
    const items = ownItems(await store.readOpen(), clock.nowMs());
    const limit = query.limit ?? defaultListLimit;
    const newest = await cache.operations(query, limit);
    const synced = new Map(newest.map((operation) => [operation.id, operation]));
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
      .slice(0, limit);
  },
});

const readersOf = (ports: LiveReadPorts): Readers => ({
  ...draftReaders,
  ...operationReaders(ports),
  ...recordReaders(ports),
  order: ({ orderId }, { cache }) => cache.order(orderId),
  orders: (query, { cache }) => cache.orders(query),
  ticket: ({ ticketId }, { cache }) => cache.ticket(ticketId),
  tickets: (query, { cache }) => cache.tickets(query),
  status: async (_query, { store, cache }) =>
    statusSummary(await store.readOpen(), await cache.counts(), ports.clock.nowMs()),
  session: () => Promise.resolve(ports.session.shown),
  connectivity: () => Promise.resolve(ports.board.current),
  eviction: async (_query, { store }) => {
    const note = await store.note('eviction');
    const { session } = await store.read({ operationIds: [] });
    return shownEviction(readLostList(note), session.subject);
  },
});

const detailOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Live reads over IndexedDB: a change by any tab, worker or stream of this browser reaches every listener. */
export class LiveReads {
  readonly #ports: LiveReadPorts;
  readonly #readers: Readers;
  readonly #following = new Set<Unsubscribe>();
  readonly #whenSaved = new Set<() => void>();

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
    if (query.of === 'status') {
      return this.#watchStatus(listener as unknown as (read: LiveRead<StatusSummary>) => void);
    }
    return this.#follow(query, listener);
  }

  /** Something was saved just now: until the queue is read again, nobody may go on saying that all was received. */
  savedNow(): void {
    for (const doubt of [...this.#whenSaved]) doubt();
  }

  /** Nobody is told anything any more. */
  stop(): void {
    for (const unfollow of this.#following) unfollow();
    this.#following.clear();
  }

  #watchStatus(listener: (read: LiveRead<StatusSummary>) => void): Unsubscribe {
    let last: StatusSummary | null = null;
    const doubt = (): void => {
      if (last?.allReceived !== true) return;
      last = { ...last, allReceived: false, waiting: 1 };
      listener({ state: 'ready', value: last });
    };
    this.#whenSaved.add(doubt);
    const unfollow = this.#follow({ of: 'status' }, (read) => {
      last = read.state === 'ready' ? read.value : null;
      listener(read);
    });
    return () => {
      this.#whenSaved.delete(doubt);
      unfollow();
    };
  }

  #follow<Query extends LiveQuery>(
    query: Query,
    listener: (read: LiveRead<LiveValue<Query>>) => void,
  ): Unsubscribe {
    const unfollow = this.#ports.follow({
      read: (stores) => this.#read(query, stores),
      next: listener,
      failed: (error) => listener({ state: 'failed', because: detailOf(error) }),
    });
    this.#following.add(unfollow);
    return () => {
      this.#following.delete(unfollow);
      unfollow();
    };
  }

  async #read<Query extends LiveQuery>(
    query: Query,
    stores: FollowedStores,
  ): Promise<LiveRead<LiveValue<Query>>> {
    // The compiler cannot follow that the reader under a query's name takes that very query.
    const read = this.#readers[query.of] as (
      query: LiveQuery,
      stores: FollowedStores,
    ) => Promise<LiveValue<Query> | null>;
    const value = await read(query, stores);
    if (value !== null) return { state: 'ready', value };
    return { state: 'missing', synced: await stores.cache.isComplete() };
  }
}

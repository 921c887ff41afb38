import type { Operation, OperationState, Order, Ticket } from '@holdfast/operation';
import type { Table } from 'dexie';
import { emptyCache, isNewer, newestOfEach, stateAfter } from '../feed/cache-store.ts';
import type { Applied, CacheState, CacheStore } from '../feed/cache-store.ts';
import type { FeedBatch } from '../feed/feed-batch.ts';
import { searchTextOfOrder, searchTextOfTicket } from '../read/search-text.ts';
import { CacheAtHand } from './cache-at-hand.ts';
import type { CacheDatabase, CachedOperation, CachedOrder, CachedTicket } from './cache-database.ts';

const cachedOperation = (body: Operation): CachedOperation => ({
  id: body.id,
  version: body.version,
  orderId: body.orderId,
  ticketId: body.ticketId,
  state: body.state,
  needsPerson: body.needsPerson ? 1 : 0,
  body,
});

const cachedOrder = (body: Order): CachedOrder => ({
  id: body.id,
  version: body.version,
  customerId: body.customer.id,
  placedAt: body.placedAt,
  searchText: searchTextOfOrder(body),
  body,
});

const cachedTicket = (body: Ticket): CachedTicket => ({
  id: body.id,
  version: body.version,
  customerId: body.customerId,
  orderId: body.orderId ?? null,
  updatedAt: body.updatedAt,
  searchText: searchTextOfTicket(body),
  body,
});

const putNewer = async <Row extends { readonly id: string; readonly version: number }>(
  table: Table<Row, string>,
  rows: readonly Row[],
): Promise<void> => {
  const newest = newestOfEach(rows);
  if (newest.length === 0) return;
  const known = await table.bulkGet(newest.map(({ id }) => id));
  await table.bulkPut(newest.filter((row, index) => isNewer(known[index]?.version, row.version)));
};

/** The caches in IndexedDB. See `CacheStore` for what it promises. */
export class DexieCacheStore implements CacheStore {
  readonly #database: CacheDatabase;
  readonly #mintId: () => string;
  readonly #atHand: CacheAtHand;
  #owner: string | null = null;

  constructor(database: CacheDatabase, mintId: () => string) {
    this.#database = database;
    this.#mintId = mintId;
    this.#atHand = new CacheAtHand(database);
    // Before anybody reads: caches that open late must not show what another person left.
    database.on('ready', () => (this.#owner === null ? undefined : this.#own(this.#owner)), true);
  }

  /**
   * From here on the caches are this person's: what another one left is dropped. Never rejects; caches of which that
   * cannot be made sure are done without.
   */
  async belongTo(subject: string): Promise<void> {
    this.#owner = subject;
    try {
      await this.#atHand.during(() => this.#own(subject));
    } catch {
      this.#database.close({ disableAutoOpen: false });
    }
  }

  #own(subject: string): Promise<void> {
    const { operations, orders, tickets, unreadable, place } = this.#database;
    return this.#database.transaction('rw', [operations, orders, tickets, unreadable, place], async () => {
      const row = await place.get('owner');
      if (row?.key === 'owner' && row.subject === subject) return;
      await this.#clear();
      await place.put({ key: 'owner', subject });
    });
  }

  state(): Promise<CacheState> {
    return this.#atHand.during(() => this.#state());
  }

  lastHeardAtMs(): Promise<number | null> {
    return this.#atHand.during(async () => {
      const row = await this.#database.place.get('heard');
      return row?.key === 'heard' && Number.isFinite(row.atMs) ? row.atMs : null;
    });
  }

  async rememberHeard(atMs: number): Promise<void> {
    await this.#atHand.during(() => this.#database.place.put({ key: 'heard', atMs }));
  }

  async #state(): Promise<CacheState> {
    const row = await this.#database.place.get('feed');
    return row?.key === 'feed' ? row : emptyCache(0);
  }

  applyBatch(batch: FeedBatch, epoch: number): Promise<Applied> {
    const { operations, orders, tickets, unreadable, place } = this.#database;
    return this.#atHand.during(() =>
      this.#database.transaction('rw', [operations, orders, tickets, unreadable, place], async () => {
        const state = await this.#state();
        if (state.epoch !== epoch) return { kind: 'dropped-meanwhile' };
        const after = stateAfter(state, batch);
        if (after === 'history-changed') return { kind: 'history-changed' };
        await putNewer(operations, batch.operations.map(cachedOperation));
        await putNewer(orders, batch.orders.map(cachedOrder));
        await putNewer(tickets, batch.tickets.map(cachedTicket));
        const aside = batch.unreadable.map((event) => ({ id: this.#mintId(), ...event }));
        if (aside.length > 0) await unreadable.bulkAdd(aside);
        await place.put({ ...after, key: 'feed' });
        return { kind: 'applied' };
      }),
    );
  }

  async applyOperations(told: readonly Operation[], epoch: number): Promise<void> {
    const { operations, place } = this.#database;
    if (told.length === 0) return;
    await this.#atHand.during(() =>
      this.#database.transaction('rw', [operations, place], async () => {
        const state = await this.#state();
        if (state.epoch === epoch) await putNewer(operations, told.map(cachedOperation));
      }),
    );
  }

  async reset(): Promise<void> {
    const { operations, orders, tickets, unreadable, place } = this.#database;
    await this.#atHand.during(() =>
      this.#database.transaction('rw', [operations, orders, tickets, unreadable, place], () => this.#clear()),
    );
  }

  async #clear(): Promise<void> {
    const { operations, orders, tickets, unreadable, place } = this.#database;
    const { epoch } = await this.#state();
    for (const table of [operations, orders, tickets, unreadable]) await table.clear();
    await place.put({ ...emptyCache(epoch + 1), key: 'feed' });
  }

  async operationStates(orderId: string): Promise<{ id: string; state: OperationState }[]> {
    const { operations } = this.#database;
    const rows = await this.#atHand.during(() => operations.where('orderId').equals(orderId).toArray());
    return rows.map(({ id, body }) => ({ id, state: body.state }));
  }
}

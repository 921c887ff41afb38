import type { Operation, Order, Ticket } from '@holdfast/operation';
import type { Collection } from 'dexie';
import type { LiveQuery } from '../live-query.ts';
import type { SyncedCounts } from '../read/device-item.ts';
import { matches } from '../read/search-text.ts';
import { CacheAtHand } from './cache-at-hand.ts';
import type { CacheDatabase, CachedOrder, CachedTicket } from './cache-database.ts';
import { newestOperations } from './newest-operations.ts';

const defaultLimit = 50;

const bodies = async <Body, Row extends { readonly body: Body }>(
  rows: Collection<Row, string>,
  isWanted: (row: Row) => boolean,
  limit: number | undefined,
): Promise<readonly Body[]> => {
  const found = await rows
    .filter(isWanted)
    .limit(limit ?? defaultLimit)
    .toArray();
  return found.map(({ body }) => body);
};

/** Reads of what the server told. Lists are newest first. While the caches are away, nothing is known. */
export class CacheReads {
  readonly #database: CacheDatabase;
  readonly atHand: CacheAtHand;

  constructor(database: CacheDatabase) {
    this.#database = database;
    this.atHand = new CacheAtHand(database);
  }

  async isComplete(): Promise<boolean> {
    if (!this.atHand.isOpen) return false;
    const row = await this.#database.place.get('feed');
    return row?.key === 'feed' && row.isComplete;
  }

  async operation(id: string): Promise<Operation | null> {
    if (!this.atHand.isOpen) return null;
    return (await this.#database.operations.get(id))?.body ?? null;
  }

  /** At least the newest so many that are asked for by what the server told of them. */
  async operations(
    query: Extract<LiveQuery, { of: 'operations' }>,
    limit: number,
  ): Promise<readonly Operation[]> {
    return this.atHand.isOpen ? newestOperations(this.#database, query, limit) : [];
  }

  async order(id: string): Promise<Order | null> {
    if (!this.atHand.isOpen) return null;
    return (await this.#database.orders.get(id))?.body ?? null;
  }

  orders({ text, customerId, limit }: Extract<LiveQuery, { of: 'orders' }>): Promise<readonly Order[]> {
    if (!this.atHand.isOpen) return Promise.resolve([]);
    return bodies<Order, CachedOrder>(
      this.#database.orders.orderBy('placedAt').reverse(),
      (row) =>
        (customerId === undefined || row.customerId === customerId) &&
        (text === undefined || matches(row.searchText, text)),
      limit,
    );
  }

  async ticket(id: string): Promise<Ticket | null> {
    if (!this.atHand.isOpen) return null;
    return (await this.#database.tickets.get(id))?.body ?? null;
  }

  tickets(query: Extract<LiveQuery, { of: 'tickets' }>): Promise<readonly Ticket[]> {
    if (!this.atHand.isOpen) return Promise.resolve([]);
    const { text, orderId, customerId, limit } = query;
    return bodies<Ticket, CachedTicket>(
      this.#database.tickets.orderBy('updatedAt').reverse(),
      (row) =>
        (orderId === undefined || row.orderId === orderId) &&
        (customerId === undefined || row.customerId === customerId) &&
        (text === undefined || matches(row.searchText, text)),
      limit,
    );
  }

  async counts(): Promise<SyncedCounts> {
    if (!this.atHand.isOpen) return { unknown: 0, needsPerson: 0 };
    const { operations } = this.#database;
    return {
      unknown: await operations.where('state').equals('outcome_unknown').count(),
      needsPerson: await operations.where('needsPerson').equals(1).count(),
    };
  }
}

import type { Operation, Order, Ticket } from '@holdfast/operation';
import { Dexie } from 'dexie';
import type { Table } from 'dexie';
import type { CacheState } from '../feed/cache-store.ts';

export type CachedOperation = {
  readonly id: string;
  readonly version: number;
  readonly orderId: string | null;
  readonly ticketId: string | null;
  readonly state: string;
  /** 0 or 1: IndexedDB has no index over booleans. */
  readonly needsPerson: number;
  readonly body: Operation;
};

export type CachedOrder = {
  readonly id: string;
  readonly version: number;
  readonly customerId: string;
  readonly placedAt: string;
  readonly searchText: string;
  readonly body: Order;
};

export type CachedTicket = {
  readonly id: string;
  readonly version: number;
  readonly customerId: string;
  readonly orderId: string | null;
  readonly updatedAt: string;
  readonly searchText: string;
  readonly body: Ticket;
};

export type UnreadableEvent = { readonly id: string; readonly raw: string; readonly because: string };

/** When Holdfast was last heard from, so that a start without a connection can say it. Outlives a drop of the caches. */
export type HeardRow = { readonly key: 'heard'; readonly atMs: number };

/** Whose the caches are. Those of another person are dropped, not shown. */
export type OwnerRow = { readonly key: 'owner'; readonly subject: string };

/** What the server told. A database of its own: it may be dropped, and its upgrades cannot hold the queue up. */
export class CacheDatabase extends Dexie {
  declare readonly operations: Table<CachedOperation, string>;
  declare readonly orders: Table<CachedOrder, string>;
  declare readonly tickets: Table<CachedTicket, string>;
  declare readonly unreadable: Table<UnreadableEvent, string>;
  declare readonly place: Table<(CacheState & { readonly key: 'feed' }) | HeardRow | OwnerRow, string>;

  constructor(name: string) {
    super(name);
    this.version(1).stores({
      operations: 'id, orderId, ticketId, state, needsPerson',
      orders: 'id, customerId, placedAt',
      tickets: 'id, customerId, orderId, updatedAt',
      unreadable: 'id',
      place: 'key',
    });
    // 2: what lists ask for, newest first: a list reads the rows it shows.
    this.version(2).stores({ operations: 'id, orderId, ticketId, [state+id], [needsPerson+id]' });
  }
}

import type { OrganisationTransaction } from './connection.ts';
import { paymentKey } from './working-memory.ts';

export type FeedSubject = 'operation' | 'order' | 'ticket';
export type FeedEntry = {
  readonly subject: FeedSubject;
  readonly subjectId: string;
  readonly version: number;
};

/** Puts changes into the organisation's feed; they become visible, in order, once the transaction has committed. */
export const writeFeed = (tx: OrganisationTransaction, entries: readonly FeedEntry[]): void => {
  if (entries.length === 0) return;
  tx.unsent.feed.push(...entries);
  tx.wroteFeed();
};

/** Raises the version of every order of a payment, since its figures or an operation of it changed, and tells the feed. */
export const touchOrdersOfPayment = (
  tx: OrganisationTransaction,
  provider: string,
  paymentReference: string,
): void => {
  tx.wroteFeed();
  const key = paymentKey(provider, paymentReference);
  if (tx.unsent.touchedPayments.has(key)) return;
  tx.unsent.touchedPayments.set(key, { provider, paymentReference });
  for (const [id, order] of tx.memory.orders) {
    if (order?.provider !== provider || order.paymentReference !== paymentReference) continue;
    tx.memory.orders.set(id, { ...order, version: order.version + 1, updatedAt: tx.now });
  }
};

/** Raises the version of tickets whose operation reached another end, and tells the feed. */
export const touchTickets = (tx: OrganisationTransaction, ticketIds: readonly string[]): void => {
  if (ticketIds.length === 0) return;
  for (const id of ticketIds) tx.unsent.touchedTickets.add(id);
  tx.wroteFeed();
};

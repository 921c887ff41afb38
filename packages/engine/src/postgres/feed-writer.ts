import { and, eq, inArray, sql } from 'drizzle-orm';
import type { OrganisationTransaction } from './connection.ts';
import { feed, orders, organisations, tickets } from './schema.ts';

export type FeedSubject = 'operation' | 'order' | 'ticket';
export type FeedEntry = {
  readonly subject: FeedSubject;
  readonly subjectId: string;
  readonly version: number;
};

/** Puts changes into the organisation's feed; they become visible, in order, once the transaction has committed. */
export const writeFeed = async (
  tx: OrganisationTransaction,
  entries: readonly FeedEntry[],
): Promise<void> => {
  if (entries.length === 0) return;
  const generation = sql`(select ${organisations.generation} from ${organisations}
    where ${organisations.organisationId} = ${tx.organisationId})`;
  await tx.db.insert(feed).values(
    entries.map((entry) => ({
      ...entry,
      organisationId: tx.organisationId,
      // Overwritten by the trigger: a value from here would be another node's counter.
      transactionId: '0',
      generation,
      at: tx.now,
    })),
  );
  tx.wroteFeed();
};

/** Raises the version of every order of a payment, since its figures or an operation of it changed, and tells the feed. */
export const touchOrdersOfPayment = async (
  tx: OrganisationTransaction,
  provider: string,
  paymentReference: string,
): Promise<void> => {
  const changed = await tx.db
    .update(orders)
    .set({ version: sql`${orders.version} + 1`, updatedAt: tx.now })
    .where(
      and(
        eq(orders.organisationId, tx.organisationId),
        eq(orders.provider, provider),
        eq(orders.paymentReference, paymentReference),
      ),
    )
    .returning({ subjectId: orders.orderId, version: orders.version });
  await writeFeed(
    tx,
    changed.map((order) => ({ subject: 'order', ...order })),
  );
};

/** Raises the version of tickets whose operation reached another end, and tells the feed. */
export const touchTickets = async (
  tx: OrganisationTransaction,
  ticketIds: readonly string[],
): Promise<void> => {
  if (ticketIds.length === 0) return;
  const changed = await tx.db
    .update(tickets)
    .set({ version: sql`${tickets.version} + 1`, updatedAt: tx.now })
    .where(and(eq(tickets.organisationId, tx.organisationId), inArray(tickets.ticketId, [...ticketIds])))
    .returning({ subjectId: tickets.ticketId, version: tickets.version });
  await writeFeed(
    tx,
    changed.map((ticket) => ({ subject: 'ticket', ...ticket })),
  );
};

import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { FeedChange } from '../engine-interface.ts';
import type { FeedPosition, ResumeFacts } from '../feed/feed-position.ts';
import type { OrganisationTransaction } from './connection.ts';
import { readOperations, viewOperations, type ProviderNames } from './operation-reader.ts';
import { readOrdersByIds, viewOrders } from './order-reader.ts';
import { feed, operations, orders, tickets, type FeedRow } from './schema.ts';
import { readTicketsByIds, viewTickets } from './ticket-reader.ts';

/** Below this every transaction has ended, so no row can still appear before one that is told already. */
const horizon = sql`pg_snapshot_xmin(pg_current_snapshot())`;

export type FeedRows = Pick<FeedRow, 'id' | 'transactionId' | 'subject' | 'subjectId'>;

const feedAfterText = `select id::text, tx_id::text as "transactionId", subject, subject_id as "subjectId" from feed
  where org_id = $1 and (tx_id, id) > ($2::xid8, $3::bigint) and tx_id < pg_snapshot_xmin(pg_current_snapshot())
  order by tx_id, feed.id limit $4`;

/** Rows after a position, in order, as far as nothing can still appear between them. */
export const readFeedAfter = async (
  tx: OrganisationTransaction,
  position: Pick<FeedPosition, 'transactionId' | 'rowId'>,
  limit: number,
): Promise<FeedRows[]> => {
  const rows = await tx.ask<Omit<FeedRows, 'id'> & { id: string }>(feedAfterText, [
    tx.organisationId,
    position.transactionId,
    position.rowId,
    limit,
  ]);
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
};

const resumeFactsText = `select generation, feed_pruned_through::text as "prunedThrough",
    pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
    pg_snapshot_xmax(pg_current_snapshot())::text as "nextTransactionId"
  from organisations where org_id = $1`;

export const readResumeFacts = async (
  tx: OrganisationTransaction,
): Promise<ResumeFacts & { horizon: string }> => {
  const [row] = await tx.ask<Omit<ResumeFacts, 'organisationId'> & { horizon: string }>(resumeFactsText, [
    tx.organisationId,
  ]);
  if (row === undefined) throw new Error(`there is no organisation ${tx.organisationId}`);
  return { organisationId: tx.organisationId, ...row };
};

/** Which history this is: the name alone, as every poll asks for it. */
export const readGeneration = async (tx: OrganisationTransaction): Promise<string> => {
  const [row] = await tx.ask<{ generation: string }>(
    'select generation from organisations where org_id = $1',
    [tx.organisationId],
  );
  if (row === undefined) throw new Error(`there is no organisation ${tx.organisationId}`);
  return row.generation;
};

/** The newest row that may be told, and the newest row there is: apart while a transaction holds the horizon back. */
export const readFeedHead = async (
  tx: OrganisationTransaction,
): Promise<{ readonly visible: string; readonly latest: string }> => {
  const newest = (below: ReturnType<typeof sql>) => sql<string | null>`(
    select ${feed.transactionId}::text || ' ' || ${feed.id}::text from ${feed}
    where ${feed.organisationId} = ${tx.organisationId} and ${below}
    order by ${feed.transactionId} desc, ${feed.id} desc limit 1)`;
  const [row] = await tx.db.execute<{ visible: string | null; latest: string | null }>(
    sql`select ${newest(sql`${feed.transactionId} < ${horizon}`)} as visible, ${newest(sql`true`)} as latest`,
  );
  return { visible: row?.visible ?? '', latest: row?.latest ?? '' };
};

/** What the rows speak of, as it is now: each thing once, state and not deltas. Orders first, so that operations find theirs. */
export const viewFeedSubjects = async (
  tx: OrganisationTransaction,
  rows: readonly Pick<FeedRow, 'subject' | 'subjectId'>[],
  providerName: ProviderNames,
): Promise<readonly FeedChange[]> => {
  const idsOf = (subject: FeedRow['subject']): readonly string[] => [
    ...new Set(rows.filter((row) => row.subject === subject).map((row) => row.subjectId)),
  ];
  const inOrder = <Row>(ids: readonly string[], found: readonly Row[], idOf: (row: Row) => string): Row[] => {
    const byId = new Map(found.map((row) => [idOf(row), row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  };
  const [orderIds, ticketIds, operationIds] = [idsOf('order'), idsOf('ticket'), idsOf('operation')];
  const orderRows = inOrder(orderIds, await readOrdersByIds(tx, orderIds), (row) => row.orderId);
  const ticketRows = inOrder(ticketIds, await readTicketsByIds(tx, ticketIds), (row) => row.ticketId);
  const operationRows = inOrder(operationIds, await readOperations(tx, operationIds), (row) => row.id);
  return [
    ...(await viewOrders(tx, orderRows)).map((data): FeedChange => ({ event: 'order', data })),
    ...(await viewTickets(tx, ticketRows, providerName)).map((data): FeedChange => ({
      event: 'ticket',
      data,
    })),
    ...(await viewOperations(tx, operationRows, providerName)).map((data): FeedChange => ({
      event: 'operation',
      data,
    })),
  ];
};

/** One page of everything of one kind, after an ID; empty at the end. */
export const readSnapshotPage = async (
  tx: OrganisationTransaction,
  subject: FeedRow['subject'],
  afterId: string | null,
  limit: number,
): Promise<readonly string[]> => {
  switch (subject) {
    case 'order': {
      const rows = await tx.db
        .select({ id: orders.orderId })
        .from(orders)
        .where(
          and(
            eq(orders.organisationId, tx.organisationId),
            afterId === null ? undefined : gt(orders.orderId, afterId),
          ),
        )
        .orderBy(asc(orders.orderId))
        .limit(limit);
      return rows.map(({ id }) => id);
    }
    case 'ticket': {
      const rows = await tx.db
        .select({ id: tickets.ticketId })
        .from(tickets)
        .where(
          and(
            eq(tickets.organisationId, tx.organisationId),
            afterId === null ? undefined : gt(tickets.ticketId, afterId),
          ),
        )
        .orderBy(asc(tickets.ticketId))
        .limit(limit);
      return rows.map(({ id }) => id);
    }
    case 'operation': {
      const rows = await tx.db
        .select({ id: operations.id })
        .from(operations)
        .where(
          and(
            eq(operations.organisationId, tx.organisationId),
            afterId === null ? undefined : gt(operations.id, afterId),
          ),
        )
        .orderBy(asc(operations.id))
        .limit(limit);
      return rows.map(({ id }) => id);
    }
  }
};

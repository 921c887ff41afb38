import { and, asc, desc, eq, ilike, inArray, or, sql } from 'drizzle-orm';
import type { OperationState, Ticket } from '@holdfast/operation';
import type { Page } from '../engine-interface.ts';
import { viewOfTicket } from '../query/order-view.ts';
import type { OrganisationTransaction } from './connection.ts';
import { groupedBy } from './grouped.ts';
import { viewOperations, type ProviderNames } from './operation-reader.ts';
import { anywhere, decodePosition, encodePosition, pageSize } from './page-cursor.ts';
import { operations, tickets, type TicketRow } from './schema.ts';

const ended: OperationState[] = ['confirmed', 'failed', 'reversed', 'denied', 'cancelled', 'expired'];

/** Tickets as people see them, each with how its operations ended: read from the operations, so never out of step. */
export const viewTickets = async (
  tx: OrganisationTransaction,
  rows: readonly TicketRow[],
  providerName: ProviderNames,
): Promise<readonly Ticket[]> => {
  if (rows.length === 0) return [];
  const operationRows = await tx.db
    .select()
    .from(operations)
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        inArray(
          operations.ticketId,
          rows.map((row) => row.ticketId),
        ),
        inArray(operations.state, ended),
      ),
    )
    .orderBy(asc(operations.settledAt), asc(operations.id));
  const views = await viewOperations(tx, operationRows, providerName);
  const outcomes = operationRows.map((row, index) => ({
    ticketId: row.ticketId,
    outcome: {
      at: (row.settledAt ?? row.updatedAt).toISOString(),
      operationId: row.id,
      sentence: views[index]?.sentence ?? '',
    },
  }));
  const outcomesOf = groupedBy(outcomes, ({ ticketId }) => ticketId);
  return rows.map((row) =>
    viewOfTicket(
      row,
      (outcomesOf.get(row.ticketId) ?? []).map(({ outcome }) => outcome),
    ),
  );
};

export const readTicketsByIds = async (
  tx: OrganisationTransaction,
  ticketIds: readonly string[],
): Promise<TicketRow[]> =>
  ticketIds.length === 0
    ? []
    : tx.db
        .select()
        .from(tickets)
        .where(and(eq(tickets.organisationId, tx.organisationId), inArray(tickets.ticketId, [...ticketIds])));

/** Tickets that contain the text, latest changed first. */
export const findTickets = async (
  tx: OrganisationTransaction,
  text: string,
  cursor: string | undefined,
  limit: number | undefined,
  providerName: ProviderNames,
): Promise<Page<Ticket>> => {
  const size = pageSize(limit);
  const after = decodePosition(cursor);
  const pattern = anywhere(text.trim());
  const rows = await tx.db
    .select()
    .from(tickets)
    .where(
      and(
        eq(tickets.organisationId, tx.organisationId),
        text.trim() === ''
          ? undefined
          : or(
              ilike(tickets.ticketId, pattern),
              ilike(tickets.subject, pattern),
              ilike(tickets.customerId, pattern),
              ilike(tickets.orderId, pattern),
            ),
        after &&
          sql`(${tickets.updatedAt}, ${tickets.ticketId}) < (${after.at.toISOString()}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(desc(tickets.updatedAt), desc(tickets.ticketId))
    .limit(size + 1);
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    items: await viewTickets(tx, shown, providerName),
    nextCursor: rows.length > size && last ? encodePosition({ at: last.updatedAt, id: last.ticketId }) : null,
  };
};

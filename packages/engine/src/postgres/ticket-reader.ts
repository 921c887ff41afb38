import { and, asc, desc, eq, ilike, inArray, or, sql } from 'drizzle-orm';
import type { OperationState, Ticket } from '@holdfast/operation';
import type { Page } from '../engine-interface.ts';
import { viewOfTicket } from '../query/order-view.ts';
import type { OrganisationTransaction } from './connection.ts';
import { groupedBy } from './grouped.ts';
import { viewOperations, type ProviderNames } from './operation-reader.ts';
import { anywhere, decodePosition, encodePosition, pageSize } from './page-cursor.ts';
import { operations, tickets, type TicketRow } from './schema.ts';
import { readNotes, type TicketNote } from './ticket-note.ts';

const ended: OperationState[] = ['confirmed', 'failed', 'reversed', 'denied', 'cancelled', 'expired'];

/** Ends from before notes were written: read from the operations themselves. */
const endsWithoutNote = async (
  tx: OrganisationTransaction,
  ticketIds: readonly string[],
  noted: ReadonlySet<string>,
  providerName: ProviderNames,
): Promise<readonly TicketNote[]> => {
  const rows = await tx.db
    .select()
    .from(operations)
    .where(
      and(
        eq(operations.organisationId, tx.organisationId),
        inArray(operations.ticketId, [...ticketIds]),
        inArray(operations.state, ended),
      ),
    )
    .orderBy(asc(operations.settledAt), asc(operations.id));
  const missing = rows.filter(({ id }) => !noted.has(id));
  const views = await viewOperations(tx, missing, providerName);
  return missing.map((row, index) => ({
    ticketId: row.ticketId ?? '',
    outcome: {
      at: (row.settledAt ?? row.updatedAt).toISOString(),
      operationId: row.id,
      sentence: views[index]?.sentence ?? '',
    },
  }));
};

/** Tickets as people see them, each with the notes that its operations left when they ended. */
export const viewTickets = async (
  tx: OrganisationTransaction,
  rows: readonly TicketRow[],
  providerName: ProviderNames,
): Promise<readonly Ticket[]> => {
  if (rows.length === 0) return [];
  const ticketIds = rows.map((row) => row.ticketId);
  const notes = await readNotes(tx, ticketIds, providerName);
  const noted = new Set(notes.map(({ outcome }) => outcome.operationId));
  const before = await endsWithoutNote(tx, ticketIds, noted, providerName);
  const outcomesOf = groupedBy([...before, ...notes], ({ ticketId }) => ticketId);
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

import { and, eq, sql } from 'drizzle-orm';
import type { Ticket, TicketInput } from '@holdfast/operation';
import { sameTicket } from '../catalogue/judge-order.ts';
import type { PutAnswer } from '../engine-interface.ts';
import type { OrganisationTransaction } from './connection.ts';
import { writeFeed } from './feed-writer.ts';
import type { ProviderNames } from './operation-reader.ts';
import { tickets, type TicketRow } from './schema.ts';
import { viewTickets } from './ticket-reader.ts';

/** Takes in the help desk's own record of a ticket. The same record again changes nothing. */
export const putTicket = async (
  tx: OrganisationTransaction,
  ticketId: string,
  input: TicketInput,
  providerName: ProviderNames,
): Promise<PutAnswer<Ticket>> => {
  const [known] = await tx.db
    .select()
    .from(tickets)
    .where(and(eq(tickets.organisationId, tx.organisationId), eq(tickets.ticketId, ticketId)))
    .for('update');
  if (known !== undefined && sameTicket(inputOf(known), input)) {
    return { ok: true, item: await view(tx, known, providerName), created: false, changed: false };
  }
  const columns = {
    subject: input.subject,
    customerId: input.customerId,
    orderId: input.orderId ?? null,
    status: input.status,
    messages: input.messages ?? [],
    updatedAt: tx.now,
  };
  const [row] = await tx.db
    .insert(tickets)
    .values({ organisationId: tx.organisationId, ticketId, createdAt: tx.now, ...columns })
    .onConflictDoUpdate({
      target: [tickets.organisationId, tickets.ticketId],
      set: { ...columns, version: sql`${tickets.version} + 1` },
    })
    .returning();
  if (row === undefined) throw new Error(`ticket ${ticketId} was not written`);
  writeFeed(tx, [{ subject: 'ticket', subjectId: ticketId, version: row.version }]);
  return { ok: true, item: await view(tx, row, providerName), created: known === undefined, changed: true };
};

const inputOf = (row: TicketRow): TicketInput => ({
  subject: row.subject,
  customerId: row.customerId,
  ...(row.orderId === null ? {} : { orderId: row.orderId }),
  status: row.status,
  messages: row.messages,
});

const view = async (
  tx: OrganisationTransaction,
  row: TicketRow,
  providerName: ProviderNames,
): Promise<Ticket> => {
  const [ticket] = await viewTickets(tx, [row], providerName);
  if (ticket === undefined) throw new Error('a ticket that was just written can be read');
  return ticket;
};

import { integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { OperationRow } from './schema-operation.ts';
import { time } from './schema-types.ts';

/** What of the operation the note's sentence is made of, as it was then. People by ID. */
export type NoteFacts = Pick<
  OperationRow,
  'state' | 'settlement' | 'providerReference' | 'bookedMinor' | 'endedBy' | 'endReason'
> & {
  /** ISO 8601 UTC. */
  readonly approvedAt: string | null;
};

export const ticketNotes = pgTable(
  'ticket_notes',
  {
    organisationId: text('org_id').notNull(),
    ticketId: text('ticket_id').notNull(),
    operationId: uuid('operation_id').notNull(),
    version: integer('version').notNull(),
    at: time('at').notNull(),
    facts: jsonb('facts').$type<NoteFacts>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organisationId, table.ticketId, table.operationId, table.version] }),
  ],
);
export type TicketNoteRow = typeof ticketNotes.$inferSelect;

import type { Conversation } from '@holdfast/operation';
import { jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time } from './schema-types.ts';

export const operationConversations = pgTable(
  'operation_conversations',
  {
    organisationId: text('org_id').notNull(),
    operationId: uuid('operation_id').notNull(),
    keptAt: time('kept_at').notNull(),
    conversation: jsonb('conversation').$type<Conversation>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.operationId] })],
);

export type ConversationRow = typeof operationConversations.$inferSelect;

import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './schema-types.ts';

export const recoveries = pgTable(
  'recoveries',
  {
    organisationId: text('org_id').notNull(),
    id: text('id').notNull(),
    person: text('person').notNull(),
    reason: text('reason').notNull(),
    startedBy: text('started_by').notNull(),
    startedAt: time('started_at').notNull(),
    expiresAt: time('expires_at').notNull(),
    endedAs: text('ended_as').$type<'agreed' | 'withdrawn' | 'expired'>(),
    endedBy: text('ended_by'),
    endedAt: time('ended_at'),
    linkHash: text('link_hash'),
    linkUntil: time('link_until'),
    usedAt: time('used_at'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

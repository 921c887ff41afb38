import { integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { PolicyChangeState } from '../policy/judge-policy-change.ts';
import { time } from './schema-types.ts';

/** Policies that were in force. The stored shape is as old as the row: it is read with today's defaults. */
export const policyVersions = pgTable(
  'policy_versions',
  {
    organisationId: text('org_id').notNull(),
    version: integer('version').notNull(),
    policy: jsonb('policy').$type<unknown>().notNull(),
    note: text('note'),
    proposedBy: text('proposed_by'),
    confirmedBy: text('confirmed_by'),
    inForceFrom: time('in_force_from').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.version] })],
);

export const policyChanges = pgTable(
  'policy_changes',
  {
    organisationId: text('org_id').notNull(),
    id: uuid('id').notNull(),
    basedOn: integer('based_on').notNull(),
    policy: jsonb('policy').$type<unknown>().notNull(),
    note: text('note').notNull(),
    proposedBy: text('proposed_by').notNull(),
    proposedPerson: text('proposed_person').notNull(),
    proposedAt: time('proposed_at').notNull(),
    state: text('state').$type<PolicyChangeState>().notNull(),
    decidedBy: text('decided_by'),
    decidedPerson: text('decided_person'),
    decidedAt: time('decided_at'),
    reason: text('reason'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

export type PolicyVersionRow = typeof policyVersions.$inferSelect;
export type PolicyChangeRow = typeof policyChanges.$inferSelect;

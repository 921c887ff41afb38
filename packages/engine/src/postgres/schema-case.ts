import type { CaseAct, FollowUpAct } from '@holdfast/operation';
import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time } from './schema-types.ts';

export const caseEntries = pgTable(
  'case_entries',
  {
    organisationId: text('org_id').notNull(),
    commandId: uuid('command_id').notNull(),
    operationId: uuid('operation_id').notNull(),
    act: text('act').$type<CaseAct['act'] | `follow-up-${FollowUpAct['act']}` | 'resolve'>().notNull(),
    at: time('at').notNull(),
    actorId: text('actor_id').notNull(),
    digest: text('digest').notNull(),
    toPerson: text('to_person'),
    note: text('note'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.commandId] })],
);

export type CaseEntryRow = typeof caseEntries.$inferSelect;

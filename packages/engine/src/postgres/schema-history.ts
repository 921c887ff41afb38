import type { CommandType, OperationState, Problem } from '@holdfast/operation';
import type { AuditData } from '../audit/audit-chain.ts';
import { doublePrecision, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time, whole, xid8 } from './schema-types.ts';

/** The first verdict about state or eligibility that a decision's command got: it binds the command's ID. */
export type RecordedVerdict =
  { readonly status: 'applied' } | { readonly status: 'rejected'; readonly problem: Problem };

export const commands = pgTable(
  'commands',
  {
    organisationId: text('org_id').notNull(),
    commandId: uuid('command_id').notNull(),
    type: text('type').$type<CommandType>().notNull(),
    operationId: uuid('operation_id').notNull(),
    actorId: text('actor_id').notNull(),
    /** SHA-256 of what was asked, so that an ID used for something else shows. */
    digest: text('digest').notNull(),
    verdict: jsonb('verdict').$type<RecordedVerdict>().notNull(),
    decidedAt: time('decided_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.commandId] })],
);

export const audit = pgTable(
  'audit',
  {
    organisationId: text('org_id').notNull(),
    operationId: uuid('operation_id').notNull(),
    sequence: integer('sequence').notNull(),
    at: time('at').notNull(),
    type: text('type').notNull(),
    actorId: text('actor_id'),
    commandId: uuid('command_id'),
    state: text('state').$type<OperationState>().notNull(),
    version: integer('version').notNull(),
    data: jsonb('data').$type<AuditData>().notNull(),
    previousHash: text('previous_hash').notNull(),
    hash: text('hash').notNull(),
    /** Stamped by a trigger; not part of what is hashed. */
    transactionId: xid8('tx_id'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.operationId, table.sequence] })],
);

/** Chained per subject: see organisation-audit.ts. */
export const organisationAudit = pgTable(
  'organisation_audit',
  {
    organisationId: text('org_id').notNull(),
    subject: text('subject').notNull(),
    sequence: integer('sequence').notNull(),
    at: time('at').notNull(),
    type: text('type').notNull(),
    actorId: text('actor_id'),
    data: jsonb('data').$type<AuditData>().notNull(),
    previousHash: text('previous_hash').notNull(),
    hash: text('hash').notNull(),
    /** Stamped by a trigger; not part of what is hashed. */
    transactionId: xid8('tx_id'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.subject, table.sequence] })],
);

export const feed = pgTable(
  'feed',
  {
    organisationId: text('org_id').notNull(),
    id: whole('id').generatedAlwaysAsIdentity(),
    /** Stamped by a trigger; what a query gives here is ignored. */
    transactionId: xid8('tx_id').notNull(),
    generation: text('generation').notNull(),
    subject: text('subject').$type<'operation' | 'order' | 'ticket'>().notNull(),
    subjectId: text('subject_id').notNull(),
    version: integer('version').notNull(),
    at: time('at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

export const counted = pgTable(
  'counted',
  {
    organisationId: text('org_id').notNull(),
    id: whole('id').generatedAlwaysAsIdentity(),
    name: text('name').notNull(),
    label: text('label').notNull().default(''),
    amount: doublePrecision('amount').notNull(),
    times: whole('times').notNull().default(1),
    at: time('at').notNull().defaultNow(),
    /** `null`: counted before this was kept, or of no operation. */
    operationId: uuid('operation_id'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

export type CommandRow = typeof commands.$inferSelect;
export type AuditRow = typeof audit.$inferSelect;
export type OrganisationAuditRow = typeof organisationAudit.$inferSelect;
export type FeedRow = typeof feed.$inferSelect;

import { boolean, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { SweepPhase, SweepState } from '../sweep/sweep-run.ts';
import type { SweepFindingKind } from '../sweep/sweep-finding.ts';
import { time, whole } from './schema-types.ts';

export const sweeps = pgTable(
  'sweeps',
  {
    organisationId: text('org_id').notNull(),
    id: uuid('id').notNull(),
    provider: text('provider').notNull(),
    accountId: text('account_id').notNull(),
    askedBy: text('asked_by').notNull(),
    askedAt: time('asked_at').notNull(),
    since: time('since').notNull(),
    sweptAt: time('swept_at'),
    eventsSince: time('events_since'),
    state: text('state').$type<SweepState>().notNull(),
    phase: text('phase').$type<SweepPhase>().notNull().default('refunds'),
    position: text('position'),
    refundsRead: integer('refunds_read').notNull().default(0),
    operationsRead: integer('operations_read').notNull().default(0),
    eventsRead: integer('events_read').notNull().default(0),
    eventsFetched: integer('events_fetched').notNull().default(0),
    found: integer('found').notNull().default(0),
    startedAt: time('started_at'),
    progressAt: time('progress_at'),
    endedAt: time('ended_at'),
    worker: text('worker'),
    fence: integer('fence').notNull().default(0),
    leaseUntil: time('lease_until'),
    because: text('because'),
    keyRefused: boolean('key_refused').notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

export const sweepFindings = pgTable(
  'sweep_findings',
  {
    organisationId: text('org_id').notNull(),
    sweepId: uuid('sweep_id').notNull(),
    kind: text('kind').$type<SweepFindingKind>().notNull(),
    reference: text('reference').notNull(),
    paymentReference: text('payment_reference').notNull(),
    operationId: text('operation_id'),
    amountMinor: whole('amount_minor').notNull(),
    currency: text('currency').notNull(),
    oursMinor: whole('ours_minor'),
    oursCurrency: text('ours_currency'),
    foundAt: time('found_at').notNull(),
    firstFoundAt: time('first_found_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.sweepId, table.kind, table.reference] })],
);

export type SweepRow = typeof sweeps.$inferSelect;
export type SweepFindingRow = typeof sweepFindings.$inferSelect;

import { doublePrecision, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './schema-types.ts';

/** How many requests of one kind may be made to a provider account, as every process shares it. */
export const accountBudgets = pgTable(
  'account_budgets',
  {
    organisationId: text('org_id').notNull(),
    provider: text('provider').notNull(),
    accountId: text('account_id').notNull(),
    kind: text('kind').$type<'submission' | 'question'>().notNull(),
    perSecond: doublePrecision('per_second'),
    refusedAtPerSecond: doublePrecision('refused_at_per_second'),
    nextSlotAt: time('next_slot_at').notNull(),
    pausedUntil: time('paused_until').notNull(),
    refusalsInRow: integer('refusals_in_row').notNull(),
    loweredAt: time('lowered_at').notNull(),
    raisedAt: time('raised_at').notNull(),
    countedSince: time('counted_since').notNull(),
    counted: integer('counted').notNull(),
    lastPerSecond: doublePrecision('last_per_second').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.provider, table.accountId, table.kind] })],
);

export type AccountBudgetRow = typeof accountBudgets.$inferSelect;

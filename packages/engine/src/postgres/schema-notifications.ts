import { integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { ChosenWay, NoticeKind } from '../notify/plan-notices.ts';
import { time } from './schema-types.ts';

export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    organisationId: text('org_id').notNull(),
    id: text('id').notNull(),
    userId: text('user_id').notNull(),
    sessionId: text('session_id').notNull(),
    endpoint: text('endpoint').notNull(),
    publicKey: text('public_key').notNull(),
    authSecret: text('auth_secret').notNull(),
    createdAt: time('created_at').notNull(),
    lastSuccessAt: time('last_success_at'),
    goneAt: time('gone_at'),
    goneBecause: text('gone_because'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

export const notificationWays = pgTable(
  'notification_ways',
  {
    organisationId: text('org_id').notNull(),
    userId: text('user_id').notNull(),
    way: text('way').$type<ChosenWay>().notNull(),
    changedAt: time('changed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.userId] })],
);

export const notices = pgTable(
  'notices',
  {
    organisationId: text('org_id').notNull(),
    id: text('id').notNull(),
    batch: text('batch').notNull(),
    userId: text('user_id').notNull(),
    kind: text('kind').$type<NoticeKind>().notNull(),
    way: text('way').$type<'push' | 'mail'>().notNull(),
    subscriptionId: text('subscription_id'),
    madeAt: time('made_at').notNull(),
    dueAt: time('due_at').notNull(),
    claimedUntil: time('claimed_until'),
    tries: integer('tries').notNull().default(0),
    sentAt: time('sent_at'),
    endedAt: time('ended_at'),
    endedBecause: text('ended_because'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

export const noticesTold = pgTable(
  'notices_told',
  {
    organisationId: text('org_id').notNull(),
    userId: text('user_id').notNull(),
    kind: text('kind').$type<NoticeKind>().notNull(),
    operationId: uuid('operation_id').notNull(),
    since: time('since').notNull(),
    batch: text('batch').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.organisationId, table.userId, table.kind, table.operationId, table.since],
    }),
  ],
);

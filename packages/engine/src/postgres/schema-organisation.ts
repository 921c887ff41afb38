import type { Policy, Role } from '@holdfast/operation';
import { boolean, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, time, xid8 } from './schema-types.ts';

export const installation = pgTable('installation', {
  id: boolean('id').primaryKey().default(true),
  cursorKey: bytes('cursor_key').notNull(),
  defaultOrganisationId: text('default_org_id'),
  systemIdentifier: text('system_identifier'),
  timeline: integer('timeline'),
  demo: boolean('demo'),
  usedWithFakeProvider: boolean('used_with_fake_provider'),
  createdAt: time('created_at').notNull().defaultNow(),
});

export const organisations = pgTable('organisations', {
  organisationId: text('org_id').primaryKey(),
  name: text('name').notNull(),
  generation: text('generation').notNull(),
  holdOn: boolean('hold_on').notNull().default(false),
  holdSince: time('hold_since'),
  holdBy: text('hold_by'),
  holdReason: text('hold_reason'),
  policy: jsonb('policy').$type<Policy>().notNull(),
  feedPrunedThrough: xid8('feed_pruned_through'),
  createdAt: time('created_at').notNull().defaultNow(),
});

export const members = pgTable(
  'members',
  {
    organisationId: text('org_id').notNull(),
    userId: text('user_id').notNull(),
    role: text('role').$type<Role>().notNull(),
    name: text('name').notNull(),
    email: text('email').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    removedAt: time('removed_at'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.userId] })],
);

export const apiKeys = pgTable(
  'api_keys',
  {
    organisationId: text('org_id').notNull(),
    id: text('id').notNull(),
    hash: text('hash').notNull(),
    role: text('role').$type<Role>().notNull(),
    name: text('name').notNull(),
    ownerUserId: text('owner_user_id'),
    assistant: boolean('assistant').notNull().default(false),
    createdAt: time('created_at').notNull().defaultNow(),
    revokedAt: time('revoked_at'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

export const actors = pgTable(
  'actors',
  {
    organisationId: text('org_id').notNull(),
    actorId: text('actor_id').notNull(),
    name: text('name').notNull(),
    assistant: boolean('assistant').notNull().default(false),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.actorId] })],
);

export const providerAccounts = pgTable(
  'provider_accounts',
  {
    organisationId: text('org_id').notNull(),
    provider: text('provider').notNull(),
    accountId: text('account_id').notNull(),
    liveMode: boolean('live_mode').notNull(),
    fake: boolean('fake').notNull(),
    firstUsedAt: time('first_used_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.provider, table.accountId] })],
);

/** `sealed`: the provider key and the webhook secrets, encrypted with a key that is not in the database. */
export const providerAccess = pgTable(
  'provider_access',
  {
    organisationId: text('org_id').notNull(),
    provider: text('provider').notNull(),
    accountId: text('account_id').notNull(),
    apiBase: text('api_base').notNull(),
    sealed: bytes('sealed').notNull(),
    setAt: time('set_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.provider] })],
);

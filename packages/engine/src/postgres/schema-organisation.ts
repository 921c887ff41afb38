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
    subject: text('subject').notNull(),
    removedBy: text('removed_by'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.userId] })],
);

export const invitations = pgTable(
  'invitations',
  {
    organisationId: text('org_id').notNull(),
    id: text('id').notNull(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    role: text('role').$type<Exclude<Role, 'integrator'>>().notNull(),
    tokenHash: text('token_hash').notNull(),
    invitedBy: text('invited_by').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    sentAt: time('sent_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    acceptedAt: time('accepted_at'),
    acceptedBy: text('accepted_by'),
    withdrawnAt: time('withdrawn_at'),
    withdrawnBy: text('withdrawn_by'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
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
    scope: text('scope').$type<'role' | 'propose' | 'read'>().notNull().default('role'),
    expiresAt: time('expires_at'),
    createdBy: text('created_by'),
    revokedBy: text('revoked_by'),
    lastUsedAt: time('last_used_at'),
    ownerRole: text('owner_role').$type<Role>(),
    rotatedAt: time('rotated_at'),
    previousHash: text('previous_hash'),
    previousWorksUntil: time('previous_works_until'),
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

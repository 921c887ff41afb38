import { boolean, pgSchema, text } from 'drizzle-orm/pg-core';
import { bytes, time, whole } from './schema-types.ts';

/** People's sign-in stands apart from the organisations' tables: no row-level security, few grants. */
const signIn = pgSchema('sign_in');

export const passkey = signIn.table('passkey', {
  id: text('id').primaryKey(),
  credentialId: text('credential_id').notNull(),
  publicKey: bytes('public_key').notNull(),
  counter: whole('counter').notNull(),
  userId: text('user_id').notNull(),
  name: text('name').notNull(),
  rpId: text('rp_id').notNull(),
  origin: text('origin').notNull(),
  transports: text('transports').notNull().default(''),
  backedUp: boolean('backed_up').notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
  lastUsedAt: time('last_used_at'),
  counterWentBackAt: time('counter_went_back_at'),
  revokedAt: time('revoked_at'),
  revokedBy: text('revoked_by'),
  beforeRecovery: boolean('before_recovery').notNull().default(false),
});

export const spentChallenge = signIn.table('spent_challenge', {
  challenge: text('challenge').primaryKey(),
  endsAt: time('ends_at').notNull(),
});

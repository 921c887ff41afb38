import { integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { SealPosition } from '../audit/seal.ts';
import { time } from './schema-types.ts';

export const auditSeals = pgTable(
  'audit_seals',
  {
    organisationId: text('org_id').notNull(),
    number: integer('number').notNull(),
    at: time('at').notNull(),
    previousHash: text('previous_hash').notNull(),
    heads: integer('heads').notNull(),
    root: text('root').notNull(),
    position: jsonb('position').$type<SealPosition>().notNull(),
    publicKey: text('public_key').notNull(),
    hash: text('hash').notNull(),
    signature: text('signature').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.number] })],
);

export const auditSealHeads = pgTable(
  'audit_seal_heads',
  {
    organisationId: text('org_id').notNull(),
    number: integer('number').notNull(),
    chain: text('chain').notNull(),
    sequence: integer('sequence').notNull(),
    hash: text('hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.number, table.chain] })],
);

export type AuditSealRow = typeof auditSeals.$inferSelect;

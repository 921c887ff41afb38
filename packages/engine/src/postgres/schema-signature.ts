import { integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time, whole } from './schema-types.ts';

/** What a passkey signed when an approval was given, and what it was verified against. Bytes as base64url. */
export const approvalSignatures = pgTable(
  'approval_signatures',
  {
    organisationId: text('org_id').notNull(),
    operationId: uuid('operation_id').notNull(),
    commandId: uuid('command_id').notNull(),
    approverId: text('approver_id').notNull(),
    fingerprint: text('fingerprint').notNull(),
    seenRefundableMinor: whole('seen_refundable_minor'),
    seenCurrency: text('seen_currency'),
    seenOrderVersion: integer('seen_order_version'),
    /** The very texts that were signed. */
    signedAt: text('signed_at').notNull(),
    expiresAt: text('expires_at').notNull(),
    credentialId: text('credential_id').notNull(),
    authenticatorData: text('authenticator_data').notNull(),
    clientDataJSON: text('client_data_json').notNull(),
    signature: text('signature').notNull(),
    publicKey: text('public_key').notNull(),
    relyingPartyId: text('relying_party_id').notNull(),
    origin: text('origin').notNull(),
    counter: whole('counter').notNull(),
    acceptedAt: time('accepted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.operationId, table.commandId] })],
);

export type ApprovalSignatureRow = typeof approvalSignatures.$inferSelect;

import type {
  Actor,
  AtProposal,
  Attention,
  AttentionReason,
  ForeignRefund,
  Operation,
  OperationState,
  RefundReason,
  Role,
  Settlement,
} from '@holdfast/operation';
import { boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time, whole } from './schema-types.ts';

/** Why the last check put an operation back before the approvers: its sentences as people read them. */
export type SentBack = { readonly reasons: readonly string[]; readonly at: string };

/** What operators said of the outcome: one's word, waiting for a second's, or both. IDs only. Times are ISO 8601 UTC. */
export type ResolutionRecord = {
  readonly by: string;
  /** Who `by` counts as where two people are needed. */
  readonly person: string;
  readonly outcome: 'confirmed' | 'failed';
  readonly providerReference: string | null;
  readonly note: string;
  readonly waiting: boolean;
  readonly at: string;
  /** Who said the same after `by`. Left out where both notes were not kept yet: then `note` is the second one's. */
  readonly second?: {
    readonly by: string;
    readonly person: string;
    readonly note: string;
    readonly at: string;
  };
};

/** What a refund that did not last leaves to do. People by ID; times are ISO 8601 UTC. */
export type FollowUpRecord = {
  readonly kind: 'pay-another-way';
  readonly since: string;
  readonly takenBy: string | null;
  readonly takenAt: string | null;
  readonly closed: {
    readonly at: string;
    readonly by: string | null;
    readonly how: 'note' | 'proposal';
    readonly note: string | null;
    readonly operationId: string | null;
  } | null;
};

export const operations = pgTable(
  'operations',
  {
    organisationId: text('org_id').notNull(),
    id: uuid('id').notNull(),
    kind: text('kind').$type<'refund'>().notNull().default('refund'),
    state: text('state').$type<OperationState>().notNull(),
    version: integer('version').notNull().default(1),
    generation: text('generation').notNull(),
    /** Grows with each claim; what a worker writes counts only while its number is still the operation's. */
    fence: whole('fence').notNull().default(0),
    attention: jsonb('attention').$type<readonly Attention[]>().notNull().default([]),
    /** Reasons that a person has cleared: the same evidence does not raise them again. */
    clearedAttention: jsonb('cleared_attention').$type<readonly AttentionReason[]>().notNull().default([]),
    waitingFor: text('waiting_for').$type<NonNullable<Operation['waitingFor']>>(),

    provider: text('provider'),
    paymentReference: text('payment_reference'),
    orderId: text('order_id'),
    ticketId: text('ticket_id'),
    customerId: text('customer_id'),
    amountMinor: whole('amount_minor'),
    currency: text('currency'),
    lines: jsonb('lines').$type<Operation['lines']>().notNull().default([]),
    returnId: text('return_id'),
    reason: text('reason').$type<RefundReason>(),
    note: text('note'),
    replaces: uuid('replaces'),
    differentFrom: jsonb('different_from').$type<readonly string[]>().notNull().default([]),
    fingerprint: text('fingerprint'),
    /** What the order showed then; none where it was proposed before this was kept. */
    atProposal: jsonb('at_proposal').$type<AtProposal>(),
    proposedBy: text('proposed_by').notNull(),
    proposedVia: text('proposed_via').$type<Actor['via']>().notNull(),
    /** Who counts as the proposer where two people are needed: ownerless keys of one role are one person. */
    proposedPerson: text('proposed_person').notNull(),
    /** Not known of what was proposed before these were kept. */
    proposedRole: text('proposed_role').$type<Role>(),
    proposedPolicyVersion: integer('proposed_policy_version'),
    proposedByAssistant: boolean('proposed_by_assistant'),

    approvedAt: time('approved_at'),
    undoUntil: time('undo_until'),
    approvedPolicyVersion: integer('approved_policy_version'),
    /** Refunds made elsewhere that were known at the completing approval. */
    knownElsewhere: jsonb('known_elsewhere').$type<readonly ForeignRefund[]>().notNull().default([]),
    sentBack: jsonb('sent_back').$type<SentBack>(),

    /** From the oldest attempt not proved unsent; both are cleared when the operation goes back to approved. */
    firstSentAt: time('first_sent_at'),
    replayDeadline: time('replay_deadline'),
    attemptCount: integer('attempt_count').notNull().default(0),
    claimedBy: text('claimed_by'),
    leaseUntil: time('lease_until'),
    deferredUntil: time('deferred_until'),

    settlement: jsonb('settlement').$type<Settlement>(),
    providerReference: text('provider_reference'),
    providerStatus: text('provider_status'),
    /** What was booked as refunded, where it differs from the amount or once it is booked. */
    bookedMinor: whole('booked_minor'),
    unknownSince: time('unknown_since'),
    pendingSince: time('pending_since'),
    settledAt: time('settled_at'),
    resolution: jsonb('resolution').$type<ResolutionRecord>(),
    takenBy: text('taken_by'),
    takenAt: time('taken_at'),
    /** When people were last told that it waits: for somebody to take it, or for a second word. */
    escalatedAt: time('escalated_at'),
    followUp: jsonb('follow_up').$type<FollowUpRecord>(),
    endedBy: text('ended_by'),
    endReason: text('end_reason'),

    wakeAt: time('wake_at'),
    lastCheckAt: time('last_check_at'),
    nextCheckAt: time('next_check_at'),
    checkCount: integer('check_count').notNull().default(0),
    checkAskedAt: time('check_asked_at'),
    expiresAt: time('expires_at'),

    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

export const approvals = pgTable(
  'approvals',
  {
    organisationId: text('org_id').notNull(),
    operationId: uuid('operation_id').notNull(),
    commandId: uuid('command_id').notNull(),
    actorId: text('actor_id').notNull(),
    /** Who counts as the approver where two people are needed; `actorId` says who it was. */
    person: text('person').notNull(),
    role: text('role').$type<Role>().notNull(),
    via: text('via').$type<Actor['via']>().notNull(),
    fingerprint: text('fingerprint').notNull(),
    signed: boolean('signed').notNull().default(false),
    policyVersion: integer('policy_version'),
    approvedAt: time('approved_at').notNull(),
    voidedAt: time('voided_at'),
    voidReason: text('void_reason'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.operationId, table.commandId] })],
);

export type OperationRow = typeof operations.$inferSelect;
export type ApprovalRow = typeof approvals.$inferSelect;

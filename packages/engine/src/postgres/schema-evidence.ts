import type { AttemptFinding, Observation } from '@holdfast/operation';
import type { EncodedRequest, VerifiedEvent } from '@holdfast/providers';
import { boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time, whole } from './schema-types.ts';

export const attempts = pgTable(
  'attempts',
  {
    organisationId: text('org_id').notNull(),
    operationId: uuid('operation_id').notNull(),
    number: integer('number').notNull(),
    fence: whole('fence').notNull(),
    provider: text('provider').notNull(),
    accountId: text('account_id'),
    request: jsonb('request').$type<EncodedRequest>().notNull(),
    /** Equal to the operation's, by foreign key; none only once proved not sent or deferred. */
    replayDeadline: time('replay_deadline'),
    startedAt: time('started_at').notNull(),
    endedAt: time('ended_at'),
    result: text('result').$type<AttemptFinding['kind']>(),
    finding: jsonb('finding').$type<AttemptFinding>(),
    status: integer('status'),
    requestId: text('request_id'),
    replayed: boolean('replayed').notNull().default(false),
    providerDate: time('provider_date'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.operationId, table.number] })],
);

export const observations = pgTable(
  'observations',
  {
    organisationId: text('org_id').notNull(),
    operationId: uuid('operation_id').notNull(),
    id: uuid('id').notNull().defaultRandom(),
    observedAt: time('observed_at').notNull(),
    source: text('source').$type<Observation['source']>().notNull(),
    attemptNumber: integer('attempt_number'),
    eventId: text('event_id'),
    replayed: boolean('replayed').notNull().default(false),
    finding: jsonb('finding').$type<Observation['finding']>().notNull(),
    actorId: text('actor_id'),
    /** The fence of the worker that brought it; evidence is kept whoever brings it. */
    fence: whole('fence'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.operationId, table.id] })],
);

export type EventApplication =
  'applied' | 'foreign-account' | 'foreign-mode' | 'unknown-operation' | 'not-for-us';

export const providerEvents = pgTable(
  'provider_events',
  {
    organisationId: text('org_id').notNull(),
    eventId: text('event_id').notNull(),
    provider: text('provider').notNull(),
    type: text('type').notNull(),
    accountId: text('account_id'),
    liveMode: boolean('live_mode').notNull(),
    objectReference: text('object_reference'),
    paymentReference: text('payment_reference'),
    operationId: uuid('operation_id'),
    event: jsonb('event').$type<VerifiedEvent>().notNull(),
    raw: text('raw').notNull(),
    providerCreatedAt: time('provider_created_at').notNull(),
    receivedAt: time('received_at').notNull(),
    deliveryCount: integer('delivery_count').notNull().default(1),
    appliedAt: time('applied_at'),
    appliedAs: text('applied_as').$type<EventApplication>(),
    applyFailures: integer('apply_failures').notNull().default(0),
    lastFailure: text('last_failure'),
    wakeAt: time('wake_at'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.eventId] })],
);

export const mirrorRefunds = pgTable(
  'mirror_refunds',
  {
    organisationId: text('org_id').notNull(),
    provider: text('provider').notNull(),
    reference: text('reference').notNull(),
    paymentReference: text('payment_reference').notNull(),
    amountMinor: whole('amount_minor').notNull(),
    currency: text('currency').notNull(),
    status: text('status').$type<'pending' | 'succeeded' | 'failed'>().notNull(),
    statusText: text('status_text').notNull(),
    failureReason: text('failure_reason'),
    metadataOrganisationId: text('metadata_org_id'),
    metadataOperationId: text('metadata_operation_id'),
    providerCreatedAt: time('provider_created_at').notNull(),
    firstSeenAt: time('first_seen_at').notNull(),
    updatedAt: time('updated_at').notNull(),
    /** When a sweep last met it in the provider's ledger. */
    sweptAt: time('swept_at'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.provider, table.reference] })],
);

export const mirrorDisputes = pgTable(
  'mirror_disputes',
  {
    organisationId: text('org_id').notNull(),
    provider: text('provider').notNull(),
    reference: text('reference').notNull(),
    paymentReference: text('payment_reference').notNull(),
    amountMinor: whole('amount_minor').notNull(),
    currency: text('currency').notNull(),
    open: boolean('open').notNull(),
    statusText: text('status_text').notNull(),
    providerCreatedAt: time('provider_created_at').notNull(),
    firstSeenAt: time('first_seen_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.provider, table.reference] })],
);

export const mirrorPositions = pgTable(
  'mirror_positions',
  {
    organisationId: text('org_id').notNull(),
    provider: text('provider').notNull(),
    accountId: text('account_id').notNull(),
    listedThrough: time('listed_through'),
    /** Since when listings follow one another without a gap. */
    unbrokenSince: time('unbroken_since'),
    /** When the account is listed next in any case; whoever takes that turn moves it on. */
    nextListingAt: time('next_listing_at'),
    /** From when on it is listed as soon as there is something unfinished. */
    listingWithWorkAt: time('listing_with_work_at'),
    freshAt: time('fresh_at'),
    keyRefusedSince: time('key_refused_since'),
    lastFailure: text('last_failure'),
    clockSkewMs: whole('clock_skew_ms'),
    /** When the last whole sweep began, and from when on it read. */
    sweptAt: time('swept_at'),
    sweptSince: time('swept_since'),
    /** When the account is swept next, by whichever process looks first. */
    nextSweepAt: time('next_sweep_at'),
    /** Every event that the provider made before it is known here. */
    eventsThrough: time('events_through'),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.provider, table.accountId] })],
);

export type AttemptRow = typeof attempts.$inferSelect;
export type ObservationRow = typeof observations.$inferSelect;
export type ProviderEventRow = typeof providerEvents.$inferSelect;
export type MirrorRefundRow = typeof mirrorRefunds.$inferSelect;
export type MirrorDisputeRow = typeof mirrorDisputes.$inferSelect;
export type MirrorPositionRow = typeof mirrorPositions.$inferSelect;

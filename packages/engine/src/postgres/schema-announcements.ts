import { boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import type { AnnouncementType } from '../announce/announcement.ts';
import type { DeliveryOutcome } from '../announce/judge-announcing.ts';
import { bytes, time } from './schema-types.ts';

export const announcementEndpoints = pgTable(
  'announcement_endpoints',
  {
    organisationId: text('org_id').notNull(),
    id: uuid('id').notNull(),
    url: text('url').notNull(),
    description: text('description').notNull(),
    /** Which events go there; empty: all. */
    eventTypes: jsonb('event_types').$type<readonly AnnouncementType[]>().notNull().default([]),
    isOn: boolean('is_on').notNull().default(true),
    createdAt: time('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    /** Sealed; the one before signs beside it until `previousUntil`. */
    secret: bytes('secret').notNull(),
    previousSecret: bytes('previous_secret'),
    previousUntil: time('previous_until'),
    rotatedAt: time('rotated_at'),
    failures: integer('failures').notNull().default(0),
    failingSince: time('failing_since'),
    nextTryAt: time('next_try_at'),
    markedFailingAt: time('marked_failing_at'),
    lastSuccessAt: time('last_success_at'),
    removedAt: time('removed_at'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.id] })],
);

export const announcements = pgTable(
  'announcements',
  {
    organisationId: text('org_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    eventId: text('event_id').notNull(),
    type: text('type').$type<AnnouncementType>().notNull(),
    operationId: uuid('operation_id'),
    version: integer('version').notNull(),
    generation: text('generation').notNull(),
    madeAt: time('made_at').notNull(),
    payload: text('payload').notNull(),
    dueAt: time('due_at').notNull(),
    claimedUntil: time('claimed_until'),
    tries: integer('tries').notNull().default(0),
    deliveredAt: time('delivered_at'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.endpointId, table.eventId] })],
);

export const announcementAttempts = pgTable(
  'announcement_attempts',
  {
    organisationId: text('org_id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    eventId: text('event_id').notNull(),
    number: integer('number').notNull(),
    at: time('at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    status: integer('status'),
    outcome: text('outcome').$type<DeliveryOutcome>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.endpointId, table.eventId, table.number] })],
);

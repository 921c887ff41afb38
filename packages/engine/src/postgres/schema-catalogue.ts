import type { Order, Ticket } from '@holdfast/operation';
import { boolean, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time, whole } from './schema-types.ts';

export const payments = pgTable(
  'payments',
  {
    organisationId: text('org_id').notNull(),
    provider: text('provider').notNull(),
    paymentReference: text('payment_reference').notNull(),
    accountId: text('account_id'),
    currency: text('currency').notNull(),
    captured: whole('captured').notNull(),
    refunded: whole('refunded').notNull().default(0),
    refundedElsewhere: whole('refunded_elsewhere').notNull().default(0),
    reserved: whole('reserved').notNull().default(0),
    disputed: boolean('disputed').notNull().default(false),
    /** When the provider last answered about this payment, all pages read. */
    askedAt: time('asked_at'),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.provider, table.paymentReference] })],
);

export const orders = pgTable(
  'orders',
  {
    organisationId: text('org_id').notNull(),
    orderId: text('order_id').notNull(),
    version: integer('version').notNull().default(1),
    customerId: text('customer_id').notNull(),
    customerName: text('customer_name').notNull(),
    provider: text('provider').notNull(),
    paymentReference: text('payment_reference').notNull(),
    lines: jsonb('lines').$type<Order['lines']>().notNull().default([]),
    placedAt: time('placed_at').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.orderId] })],
);

export const returns = pgTable(
  'returns',
  {
    organisationId: text('org_id').notNull(),
    orderId: text('order_id').notNull(),
    returnId: text('return_id').notNull(),
    status: text('status').$type<Order['returns'][number]['status']>().notNull(),
    receivedAt: time('received_at'),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.orderId, table.returnId] })],
);

export const tickets = pgTable(
  'tickets',
  {
    organisationId: text('org_id').notNull(),
    ticketId: text('ticket_id').notNull(),
    version: integer('version').notNull().default(1),
    subject: text('subject').notNull(),
    customerId: text('customer_id').notNull(),
    orderId: text('order_id'),
    status: text('status').$type<Ticket['status']>().notNull(),
    messages: jsonb('messages').$type<NonNullable<Ticket['messages']>>().notNull().default([]),
    createdAt: time('created_at').notNull().defaultNow(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.organisationId, table.ticketId] })],
);

export type PaymentRow = typeof payments.$inferSelect;
export type OrderRow = typeof orders.$inferSelect;
export type ReturnRow = typeof returns.$inferSelect;
export type TicketRow = typeof tickets.$inferSelect;

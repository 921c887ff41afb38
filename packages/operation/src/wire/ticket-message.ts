import { z } from 'zod';
import { outsideId, plainText } from './plain-text.ts';

export const ticketMessageSchema = z.object({
  at: z.iso.datetime(),
  from: plainText(300),
  text: plainText(10_000),
});

/** What an integrator puts: the help desk's own record of a ticket. */
export const ticketInputSchema = z.object({
  subject: plainText(500),
  customerId: outsideId,
  orderId: outsideId.optional(),
  status: z.enum(['open', 'closed']),
  messages: z.array(ticketMessageSchema).max(500).optional(),
});
export type TicketInput = z.infer<typeof ticketInputSchema>;

export const ticketSchema = ticketInputSchema.extend({
  id: outsideId,
  version: z.int().positive(),
  updatedAt: z.iso.datetime(),
  /** Facts that Holdfast adds to the ticket: an operation of it reached an end. Newest last. */
  outcomes: z
    .array(z.object({ at: z.iso.datetime(), operationId: z.string(), sentence: z.string() }))
    .default([]),
});
export type Ticket = z.infer<typeof ticketSchema>;

import * as z from 'zod/mini';
import { operationStates } from '../state.ts';
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
  orderId: z.optional(outsideId),
  status: z.enum(['open', 'closed']),
  messages: z.optional(z.array(ticketMessageSchema).check(z.maxLength(500))),
});
export type TicketInput = z.infer<typeof ticketInputSchema>;

export const ticketSchema = z.extend(ticketInputSchema, {
  id: outsideId,
  version: z.int().check(z.positive()),
  updatedAt: z.iso.datetime(),
  /** Facts that Holdfast adds to the ticket: an operation of it reached an end. Newest last. */
  outcomes: z._default(
    z.array(
      z.object({
        at: z.iso.datetime(),
        operationId: z.string(),
        sentence: z.string(),
        /** The end that it tells of, and the operation's version then. Since version 3. */
        state: z.optional(z.enum(operationStates)),
        version: z.optional(z.int()),
      }),
    ),
    [],
  ),
});
export type Ticket = z.infer<typeof ticketSchema>;

import * as z from 'zod/mini';
import { operationSchema } from './operation-message.ts';
import { orderSchema } from './order-message.ts';
import { ticketSchema } from './ticket-message.ts';

/**
 * Events of `GET /v1/feed`. The SSE `event:` field is the key here, `data:` is the JSON of the schema.
 * `operation`, `order` and `ticket` carry the whole thing; `id:` is the signed cursor (absent before `live`).
 */
export const feedEventSchemas = {
  operation: operationSchema,
  order: orderSchema,
  ticket: ticketSchema,
  live: z.object({ generation: z.string() }),
  reset: z.object({ reason: z.enum(['cursor-too-old', 'history-restored', 'cursor-unreadable']) }),
} as const;
export type FeedEventName = keyof typeof feedEventSchemas;
export type FeedReset = z.infer<(typeof feedEventSchemas)['reset']>;

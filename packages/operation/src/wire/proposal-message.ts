import * as z from 'zod/mini';
import { amountSchema } from '../amount.ts';
import { refundReasons } from '../refund-reason.ts';
import { conversationSchema } from './conversation-message.ts';
import { outsideId, plainText } from './plain-text.ts';

const foldedId = z.transform((text: string, { issues }) => {
  const folded = text.toLowerCase();
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(folded)) return folded;
  issues.push({ code: 'custom', input: text, message: 'must be a UUIDv7' });
  return z.NEVER;
});
export const operationIdSchema = z.pipe(z.string(), foldedId);

export const proposedLineSchema = z.object({ sku: outsideId, quantity: z.int().check(z.positive()) });

/** The body of `PUT /v1/operations/{id}`. Fields we do not know are ignored, so no client can set a state. */
export const proposalSchema = z.object({
  kind: z.literal('refund'),
  orderId: outsideId,
  amount: amountSchema,
  reason: z.enum(refundReasons),
  lines: z.optional(z.array(proposedLineSchema).check(z.maxLength(500))),
  returnId: z.optional(outsideId),
  note: z.optional(plainText(2_000)),
  ticketId: z.optional(outsideId),
  replaces: z.optional(operationIdSchema),
  differentFrom: z.optional(z.array(outsideId).check(z.maxLength(100))),
  /** What an assistant was asked before. It is kept beside, and is no part of what is proposed. Since version 3. */
  conversation: z.optional(conversationSchema),
});
export type Proposal = z.infer<typeof proposalSchema>;

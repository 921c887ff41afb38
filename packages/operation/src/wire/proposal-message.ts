import { z } from 'zod';
import { amountSchema } from '../amount.ts';
import { refundReasons } from '../refund-reason.ts';
import { outsideId, plainText } from './plain-text.ts';

export const operationIdSchema = z.string().transform((text, context) => {
  const folded = text.toLowerCase();
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(folded)) return folded;
  context.addIssue({ code: 'custom', message: 'must be a UUIDv7' });
  return z.NEVER;
});

export const proposedLineSchema = z.object({ sku: outsideId, quantity: z.int().positive() });

/** The body of `PUT /v1/operations/{id}`. Fields we do not know are ignored, so no client can set a state. */
export const proposalSchema = z.object({
  kind: z.literal('refund'),
  orderId: outsideId,
  amount: amountSchema,
  reason: z.enum(refundReasons),
  lines: z.array(proposedLineSchema).max(500).optional(),
  returnId: outsideId.optional(),
  note: plainText(2_000).optional(),
  ticketId: outsideId.optional(),
  replaces: operationIdSchema.optional(),
  differentFrom: z.array(outsideId).max(100).optional(),
});
export type Proposal = z.infer<typeof proposalSchema>;

import * as z from 'zod/mini';
import { amountSchema, figureSchema } from '../amount.ts';
import { outsideId, plainText } from './plain-text.ts';

export const orderLineSchema = z.object({
  sku: outsideId,
  title: plainText(500),
  quantity: z.int().check(z.positive()),
  amount: figureSchema,
});

export const orderReturnSchema = z.object({
  id: outsideId,
  status: z.enum(['expected', 'received', 'rejected']),
  receivedAt: z.optional(z.iso.datetime()),
});

/** What an integrator puts: the shop's own record of an order. */
export const orderInputSchema = z.object({
  customer: z.object({ id: outsideId, name: plainText(300) }),
  payment: z.object({ provider: z.literal('stripe'), reference: outsideId, captured: amountSchema }),
  lines: z.array(orderLineSchema).check(z.maxLength(500)),
  returns: z._default(z.array(orderReturnSchema).check(z.maxLength(100)), []),
  placedAt: z.iso.datetime(),
});
export type OrderInput = z.infer<typeof orderInputSchema>;

/** An order as people see it, with the payment's figures. `version` grows when any of them changes. */
export const orderSchema = z.object({
  id: outsideId,
  version: z.int().check(z.positive()),
  customer: z.object({ id: outsideId, name: plainText(300) }),
  payment: z.object({ provider: z.string(), reference: outsideId, captured: figureSchema }),
  lines: z.array(orderLineSchema),
  returns: z.array(orderReturnSchema),
  placedAt: z.iso.datetime(),
  captured: figureSchema,
  refunded: figureSchema,
  refundedElsewhere: figureSchema,
  reserved: figureSchema,
  refundable: figureSchema,
  disputed: z.boolean(),
  operationIds: z.array(z.string()),
  updatedAt: z.iso.datetime(),
});
export type Order = z.infer<typeof orderSchema>;

import * as z from 'zod/mini';
import { figureSchema } from '../amount.ts';
import { assertionSchema } from './assertion-message.ts';
import { operationIdSchema } from './proposal-message.ts';
import { outsideId, someText } from './plain-text.ts';

const commandIdSchema = operationIdSchema;

export const approveSchema = z.object({
  commandId: commandIdSchema,
  fingerprint: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')),
  seen: z.optional(z.object({ refundable: figureSchema, orderVersion: z.int().check(z.positive()) })),
  /** The approver's signature over exactly this decision; since version 2. */
  assertion: z.optional(assertionSchema),
});
export type Approve = z.infer<typeof approveSchema>;

export const withdrawSchema = z.object({ commandId: commandIdSchema });
export type Withdraw = z.infer<typeof withdrawSchema>;

/** Deny and cancel: both end an operation before submission, and both say why. */
export const endSchema = z.object({ commandId: commandIdSchema, reason: someText(2_000) });
export type End = z.infer<typeof endSchema>;

export const resolveSchema = z.object({
  commandId: commandIdSchema,
  version: z.int().check(z.positive()),
  outcome: z.enum(['confirmed', 'failed']),
  providerReference: z.optional(outsideId),
  note: someText(2_000),
});
export type Resolve = z.infer<typeof resolveSchema>;

import { z } from 'zod';
import { figureSchema } from '../amount.ts';
import { operationIdSchema } from './proposal-message.ts';
import { outsideId, plainText } from './plain-text.ts';

const commandIdSchema = operationIdSchema;

export const approveSchema = z.object({
  commandId: commandIdSchema,
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'),
  seen: z.object({ refundable: figureSchema, orderVersion: z.int().positive() }).optional(),
});
export type Approve = z.infer<typeof approveSchema>;

export const withdrawSchema = z.object({ commandId: commandIdSchema });
export type Withdraw = z.infer<typeof withdrawSchema>;

/** Deny and cancel: both end an operation before submission, and both say why. */
export const endSchema = z.object({ commandId: commandIdSchema, reason: plainText(2_000).min(1) });
export type End = z.infer<typeof endSchema>;

export const resolveSchema = z.object({
  commandId: commandIdSchema,
  version: z.int().positive(),
  outcome: z.enum(['confirmed', 'failed']),
  providerReference: outsideId.optional(),
  note: plainText(2_000).min(1),
});
export type Resolve = z.infer<typeof resolveSchema>;

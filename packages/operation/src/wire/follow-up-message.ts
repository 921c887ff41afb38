import * as z from 'zod/mini';
import { outsideId, someText } from './plain-text.ts';
import { operationIdSchema } from './proposal-message.ts';

/** What an agent or operator does about a refund that did not last: sees to it that the customer is paid another way. */
export const followUpActSchema = z.discriminatedUnion('act', [
  z.object({
    act: z.literal('take'),
    commandId: operationIdSchema,
    /** Whom it is taken from: who is said to have it must be who has it. Left out: nobody. */
    from: z.optional(outsideId),
  }),
  z.object({ act: z.literal('put-back'), commandId: operationIdSchema }),
  z.object({ act: z.literal('close'), commandId: operationIdSchema, note: someText(2_000) }),
]);
export type FollowUpAct = z.infer<typeof followUpActSchema>;

import * as z from 'zod/mini';
import { approveSchema, endSchema, resolveSchema, withdrawSchema } from './decision-message.ts';
import { operationSchema } from './operation-message.ts';
import { problemSchema } from './problem-message.ts';
import { operationIdSchema, proposalSchema } from './proposal-message.ts';

const envelope = { operationId: operationIdSchema, subject: z.optional(z.string()) };

/** One thing asked of one operation. A proposal's command ID is its operation ID. */
export const commandSchema = z.discriminatedUnion('type', [
  z.extend(proposalSchema, { type: z.literal('propose'), commandId: operationIdSchema, ...envelope }),
  z.extend(approveSchema, { type: z.literal('approve'), ...envelope }),
  z.extend(withdrawSchema, { type: z.literal('withdraw'), ...envelope }),
  z.extend(endSchema, { type: z.literal('deny'), ...envelope }),
  z.extend(endSchema, { type: z.literal('cancel'), ...envelope }),
  z.extend(resolveSchema, { type: z.literal('resolve'), ...envelope }),
]);
export type Command = z.infer<typeof commandSchema>;
export type CommandType = Command['type'];

/** The batch is read loosely, so that one malformed command never spoils another's. */
export const commandBatchSchema = z.object({
  commands: z.array(z.unknown()).check(z.minLength(1), z.maxLength(500)),
});

/** The server's verdict on one command. Only this ends an item on a device. */
export const commandResultSchema = z.object({
  commandId: z.string(),
  status: z.enum(['applied', 'replayed', 'rejected']),
  operation: z.optional(operationSchema),
  problem: z.optional(problemSchema),
});
export type CommandResult = z.infer<typeof commandResultSchema>;

export const commandResultsSchema = z.object({ results: z.array(commandResultSchema) });
export type CommandResults = z.infer<typeof commandResultsSchema>;

import { z } from 'zod';
import { approveSchema, endSchema, resolveSchema, withdrawSchema } from './decision-message.ts';
import { operationSchema } from './operation-message.ts';
import { problemSchema } from './problem-message.ts';
import { operationIdSchema, proposalSchema } from './proposal-message.ts';

const envelope = { operationId: operationIdSchema, subject: z.string().optional() };

/** One thing asked of one operation. A proposal's command ID is its operation ID. */
export const commandSchema = z.discriminatedUnion('type', [
  proposalSchema.extend({ type: z.literal('propose'), commandId: operationIdSchema, ...envelope }),
  approveSchema.extend({ type: z.literal('approve'), ...envelope }),
  withdrawSchema.extend({ type: z.literal('withdraw'), ...envelope }),
  endSchema.extend({ type: z.literal('deny'), ...envelope }),
  endSchema.extend({ type: z.literal('cancel'), ...envelope }),
  resolveSchema.extend({ type: z.literal('resolve'), ...envelope }),
]);
export type Command = z.infer<typeof commandSchema>;
export type CommandType = Command['type'];

/** The batch is read loosely, so that one malformed command never spoils another's. */
export const commandBatchSchema = z.object({ commands: z.array(z.unknown()).min(1).max(500) });

/** The server's verdict on one command. Only this ends an item on a device. */
export const commandResultSchema = z.object({
  commandId: z.string(),
  status: z.enum(['applied', 'replayed', 'rejected']),
  operation: operationSchema.optional(),
  problem: problemSchema.optional(),
});
export type CommandResult = z.infer<typeof commandResultSchema>;

export const commandResultsSchema = z.object({ results: z.array(commandResultSchema) });
export type CommandResults = z.infer<typeof commandResultsSchema>;

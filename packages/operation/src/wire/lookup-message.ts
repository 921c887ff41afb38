import { z } from 'zod';
import { operationSchema } from './operation-message.ts';

export const lookupRequestSchema = z.object({ ids: z.array(z.string()).max(500) });
export const lookupResponseSchema = z.object({
  operations: z.record(z.string(), operationSchema.nullable()),
});
export type LookupResponse = z.infer<typeof lookupResponseSchema>;

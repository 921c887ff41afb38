import * as z from 'zod/mini';
import { operationSchema } from './operation-message.ts';

export const lookupRequestSchema = z.object({ ids: z.array(z.string()).check(z.maxLength(500)) });
export const lookupResponseSchema = z.object({
  operations: z.record(z.string(), z.nullable(operationSchema)),
});
export type LookupResponse = z.infer<typeof lookupResponseSchema>;

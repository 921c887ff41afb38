import { z } from 'zod';
import { figureSchema } from '../amount.ts';

export const problemSlugs = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'wrong-subject',
  'not-found',
  'operation-mismatch',
  'not-eligible',
  'exceeds-refundable',
  'possible-duplicate',
  'stale-approval',
  'already-decided',
  'stale',
  'too-late',
  'rate-limited',
  'too-large',
  'unsupported-protocol',
  'unavailable',
] as const;
export type ProblemSlug = (typeof problemSlugs)[number];

export const problemStatus: Record<ProblemSlug, number> = {
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  'wrong-subject': 403,
  'not-found': 404,
  'operation-mismatch': 422,
  'not-eligible': 422,
  'exceeds-refundable': 422,
  'possible-duplicate': 409,
  'stale-approval': 409,
  'already-decided': 409,
  stale: 409,
  'too-late': 409,
  'rate-limited': 429,
  'too-large': 413,
  'unsupported-protocol': 426,
  unavailable: 503,
};

export const problemTypePrefix = 'https://holdfast.invalid/problems/';

/** RFC 9457 problem. `final`: sending the same again cannot help. The extra fields depend on the slug. */
export const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  final: z.boolean(),
  operationId: z.string().optional(),
  commandId: z.string().optional(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  reasons: z.array(z.object({ reason: z.string(), sentence: z.string() })).optional(),
  recorded: z.record(z.string(), z.unknown()).optional(),
  received: z.record(z.string(), z.unknown()).optional(),
  refundable: figureSchema.optional(),
  operations: z
    .array(
      z.object({ id: z.string(), state: z.string(), amount: figureSchema.nullable(), sentence: z.string() }),
    )
    .optional(),
  elsewhere: z.array(z.object({ reference: z.string(), amount: figureSchema, at: z.string() })).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** The slug of a problem's type, or `undefined` when it is not one of ours. */
export const problemSlug = (problem: { type: string }): ProblemSlug | undefined =>
  problemSlugs.find((slug) => problem.type.endsWith(`/${slug}`));

import * as z from 'zod/mini';
import { figureSchema } from '../amount.ts';
import { operationStates } from '../state.ts';

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
  operationId: z.optional(z.string()),
  commandId: z.optional(z.string()),
  issues: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
  reasons: z.optional(z.array(z.object({ reason: z.string(), sentence: z.string() }))),
  recorded: z.optional(z.record(z.string(), z.unknown())),
  received: z.optional(z.record(z.string(), z.unknown())),
  refundable: z.optional(figureSchema),
  operations: z.optional(
    z.array(
      z.object({
        id: z.string(),
        state: z.string(),
        amount: z.nullable(figureSchema),
        sentence: z.string(),
        /** Whose act it stands by, and since when. */
        by: z.optional(z.object({ id: z.string(), name: z.string() })),
        at: z.optional(z.string()),
      }),
    ),
  ),
  /** What it had become before this command arrived, by whom (`null`: by nobody in person) and when. */
  decided: z.optional(
    z.object({
      state: z.enum(operationStates),
      by: z.nullable(z.object({ id: z.string(), name: z.optional(z.string()) })),
      at: z.string(),
    }),
  ),
  /** What is, where a decision was about something else: of an approval its content and figures, else the version. */
  now: z.optional(
    z.looseObject({
      version: z.optional(z.int()),
      fingerprint: z.optional(z.nullable(z.string())),
      refundable: z.optional(figureSchema),
      orderVersion: z.optional(z.int()),
      /** When the order's figures last changed. */
      at: z.optional(z.string()),
      refundedElsewhere: z.optional(figureSchema),
      disputed: z.optional(z.boolean()),
    }),
  ),
  elsewhere: z.optional(z.array(z.object({ reference: z.string(), amount: figureSchema, at: z.string() }))),
});
export type Problem = z.infer<typeof problemSchema>;

/** The slug of a problem's type, or `undefined` when it is not one of ours. */
export const problemSlug = (problem: { type: string }): ProblemSlug | undefined =>
  problemSlugs.find((slug) => problem.type.endsWith(`/${slug}`));

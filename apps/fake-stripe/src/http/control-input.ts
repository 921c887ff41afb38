import { z } from 'zod';
import { disputeStatuses } from '../ledger/records.ts';
import { describeIssues } from '../faults/fault.ts';

const paymentIntent = z.strictObject({
  id: z.string().regex(/^pi_\w{1,200}$/, 'must look like pi_…'),
  amount: z.int().min(1),
  currency: z
    .string()
    .regex(/^[a-zA-Z]{3}$/, 'must be a three-letter currency code')
    .transform((code) => code.toLowerCase()),
  created: z.int().min(0).optional(),
  charge: z
    .string()
    .regex(/^(ch|py)_\w{1,200}$/, 'must look like ch_…')
    .optional(),
});

/** One or many: a single one is read as a list of one, so that a problem names the same field either way. */
export const paymentIntentsInput = z.preprocess(
  (input) => (input === undefined || Array.isArray(input) ? input : [input]),
  z.array(paymentIntent).min(1).max(10_000),
);

export const refundInput = z.strictObject({
  payment_intent: z.string().min(1),
  amount: z.int().min(1).optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata: z.record(z.string(), z.string()).default({}),
});

export const refundChangeInput = z.strictObject({
  status: z.enum(['succeeded', 'failed', 'canceled']),
  failure_reason: z.string().min(1).default('expired_or_canceled_card'),
});

export const disputeInput = z.strictObject({
  payment_intent: z.string().min(1),
  amount: z.int().min(1).optional(),
  reason: z.string().min(1).default('fraudulent'),
  status: z.enum(disputeStatuses).default('needs_response'),
});

export const disputeChangeInput = z.strictObject({ status: z.enum(disputeStatuses) });

const longestMoveMs = 10 * 365 * 24 * 60 * 60 * 1000;
export const clockInput = z.union(
  [
    z.strictObject({ advanceMs: z.int().min(-longestMoveMs).max(longestMoveMs) }),
    z.strictObject({ reset: z.literal(true) }),
  ],
  'advanceMs: a whole number of milliseconds, or reset: true',
);

export const endpointInput = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).nullable(),
  secret: z.string().min(1).default('whsec_fake'),
});

export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { value: z.output<Schema> } | { problem: string } {
  const parsed = schema.safeParse(input);
  return parsed.success ? { value: parsed.data } : { problem: describeIssues(parsed.error) };
}

import { z } from 'zod';

export const apiCalls = [
  'refund.create',
  'refund.list',
  'refund.retrieve',
  'payment_intent.retrieve',
  'charge.retrieve',
  'dispute.list',
  'dispute.retrieve',
  'event.list',
  'event.retrieve',
  'account.retrieve',
  'balance.retrieve',
] as const;
export type ApiCall = (typeof apiCalls)[number];

/** `any` is every API call, for a provider that is down altogether; webhooks are aimed at by their own name. */
export const faultTargets = [...apiCalls, 'any', 'webhook'] as const;
export type FaultTarget = (typeof faultTargets)[number];

function isTimes(value: unknown): boolean {
  return value === 'always' || value === null || (Number.isInteger(value) && Number(value) >= 1);
}

const common = {
  on: z.enum(faultTargets),
  times: z
    .custom<number | 'always' | null>(isTimes, 'a whole number from 1, "always" or null')
    .default(1)
    .transform((times) => (times === 'always' ? null : times)),
  every: z.int().min(1).default(1),
  paymentIntent: z.string().min(1).nullable().default(null),
};

const longestMs = 30 * 24 * 60 * 60 * 1000;
const ms = z.int().min(0).max(longestMs);
const settled = z.enum(['succeeded', 'failed', 'canceled']);
const failureReason = z.string().min(1).default('expired_or_canceled_card');

function kind<Do extends string, Shape extends z.ZodRawShape>(name: Do, shape: Shape) {
  return z.strictObject({ ...common, do: z.literal(name), ...shape });
}

export const faultSchema = z.discriminatedUnion('do', [
  kind('drop_before', {}),
  kind('execute_then_drop', {}),
  kind('execute_then_hang', {}),
  kind('execute_then_500', {}),
  kind('error_before', {
    status: z.int().min(400).max(599),
    code: z.string().optional(),
    type: z.string().optional(),
    message: z.string().optional(),
    /** A saved error is replayed under its key for ever, though nothing was done. */
    saved: z.boolean().default(false),
  }),
  kind('rate_limit', {
    retryAfter: z.int().min(0).default(1),
    /** A steady limit: only what goes beyond this many calls in any second is refused. */
    perSecond: z.int().min(1).optional(),
    /** Each so manieth refusal says that the payment is locked, and names no time to come back. */
    lockTimeoutEvery: z.int().min(1).optional(),
  }),
  kind('html_502', { execute: z.boolean().default(false) }),
  kind('truncated_body', { execute: z.boolean().default(true) }),
  kind('drip_body', { execute: z.boolean().default(true), ms: ms.min(1).default(1000) }),
  kind('empty_200', { execute: z.boolean().default(true) }),
  kind('delay', { ms, at: z.enum(['before', 'after']).default('before') }),
  kind('pending_then', { then: settled.default('succeeded'), ms: ms.default(3000), failureReason }),
  kind('succeeded_then_failed', { ms: ms.default(3000), failureReason }),
  kind('wrong_amount', { amount: z.int().min(1) }),
  kind('hide_from_list', { ms: ms.default(5000) }),
  kind('hold', {}),
  kind('duplicate', { newId: z.boolean().default(false) }),
  kind('reorder', { ms: ms.default(3000) }),
  kind('before_response', {}),
  kind('wrong_signature', {}),
  kind('stale_timestamp', { ms: z.int().min(-longestMs).max(longestMs).default(600_000) }),
]);

export type Fault = z.output<typeof faultSchema>;
export type FaultKind = Fault['do'];
export type FaultOf<Kind extends FaultKind> = Extract<Fault, { do: Kind }>;

/** How the answer to a call comes back, or does not. One of these hits a call. */
export const answerKinds = [
  'drop_before',
  'execute_then_drop',
  'execute_then_hang',
  'execute_then_500',
  'error_before',
  'rate_limit',
  'html_502',
  'truncated_body',
  'drip_body',
  'empty_200',
] as const satisfies readonly FaultKind[];

/** What becomes of a refund that is created; counted only by calls that create one. */
export const refundKinds = ['pending_then', 'succeeded_then_failed', 'wrong_amount'] as const;
export const sendingKinds = ['hold', 'reorder', 'delay'] as const;
export const webhookKinds = [
  ...sendingKinds,
  'duplicate',
  'before_response',
  'wrong_signature',
  'stale_timestamp',
] as const;

export function allowedTargets(kind: FaultKind): readonly FaultTarget[] {
  if (kind === 'delay') return faultTargets;
  if (kind === 'hide_from_list') return ['refund.create', 'refund.list'];
  if (refundKinds.some((name) => name === kind)) return ['refund.create'];
  if (webhookKinds.some((name) => name === kind)) return ['webhook'];
  return [...apiCalls, 'any'];
}

const renamed = ['status', 'to'];

/**
 * `pending_then` may name its end `then`, `status` or `to`: callers of this fake have written all three. A limit a
 * second holds until it is taken away, unless told otherwise.
 */
export function normaliseFault(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('do' in input)) return input;
  if (input.do === 'rate_limit' && 'perSecond' in input) return { times: 'always', ...input };
  if (input.do !== 'pending_then') return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [renamed.includes(name) ? 'then' : name, value]),
  );
}

export function readFault(input: unknown): { fault: Fault } | { problem: string } {
  const parsed = faultSchema.safeParse(normaliseFault(input));
  if (!parsed.success) return { problem: describeIssues(parsed.error) };
  const fault = parsed.data;
  const allowed = allowedTargets(fault.do);
  if (!allowed.includes(fault.on)) return { problem: `on: ${fault.do} can be on ${allowed.join(', ')}` };
  const steady = fault.do === 'rate_limit' && fault.perSecond !== undefined;
  if (steady && fault.every !== 1) return { problem: 'every: not together with perSecond' };
  return { fault };
}

export function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const field = issue.path.join('.');
      if (issue.code === 'invalid_union' && field === 'do') return `do: one of ${faultKinds.join(', ')}`;
      return field === '' ? issue.message : `${field}: ${issue.message}`;
    })
    .join('; ');
}

export const faultKinds: readonly FaultKind[] = faultSchema.options.map((option) => option.shape.do.value);

import * as z from 'zod/mini';
import { amountSchema } from '../amount.ts';
import { policyFields } from '../policy-order.ts';
import { policySchema, type Policy } from '../policy.ts';
import { roles } from '../role.ts';
import { operationStates } from '../state.ts';
import { plainText, someText } from './plain-text.ts';

const time = z.iso.datetime();
const personSchema = z.object({ id: z.string(), name: z.string() });

const minuteMs = 60 * 1000;
const dayMs = 24 * 60 * minuteMs;

/** Bounds that keep a typing mistake from ending everything at once, or from leaving what a date can hold. */
const timeBetween = (shortestMs: number, longestMs: number, remedy: string) =>
  z.int('must be a whole number of milliseconds').check(z.gte(shortestMs, remedy), z.lte(longestMs, remedy));
const expirySchema = timeBetween(minuteMs, 3_650 * dayMs, 'must be between one minute and 3650 days');

/** A policy as an admin gives it: every rule, none that we do not know. Its version is counted here, not given. */
export const policyInputSchema = z.strictObject({
  ...policySchema.shape,
  version: z.optional(z.int()),
  refundWindowMs: timeBetween(minuteMs, 36_500 * dayMs, 'must be between one minute and 36500 days'),
  proposalExpiresAfterMs: expirySchema,
  approvalExpiresAfterMs: expirySchema,
});
export type PolicyInput = Omit<Policy, 'version'> & { readonly version?: number | undefined };

export const policyChangeRequestSchema = z.strictObject({
  /** The version that was changed: when another is in force meanwhile, nothing happens. */
  basedOn: z.int().check(z.positive()),
  policy: policyInputSchema,
  /** Why. People read it in the history. */
  note: someText(500),
});
export type PolicyChangeRequest = {
  readonly basedOn: number;
  readonly policy: PolicyInput;
  readonly note: string;
};

export const policyPreviewRequestSchema = z.strictObject({ policy: policyInputSchema });
export const policyRefusalRequestSchema = z.strictObject({ reason: z.optional(plainText(500)) });

export const policyDifferenceSchema = z.object({
  field: z.enum(policyFields),
  what: z.string(),
  before: z.string(),
  after: z.string(),
  direction: z.enum(['tighter', 'looser', 'neither']),
});

/** Nobody changes a policy in place. */
type WithPolicy<Message extends { policy: unknown }> = Omit<Message, 'policy'> & { readonly policy: Policy };

const versionSchema = z.object({
  version: z.int(),
  policy: policySchema,
  note: z.nullable(z.string()),
  /** `null`: the one an organisation began with. */
  by: z.nullable(personSchema),
  confirmedBy: z.nullable(personSchema),
  at: time,
  /** To the version before it. */
  differences: z.array(policyDifferenceSchema),
});
export type PolicyVersion = WithPolicy<z.infer<typeof versionSchema>>;

const changeSchema = z.object({
  id: z.string(),
  basedOn: z.int(),
  policy: policySchema,
  note: z.string(),
  by: personSchema,
  at: time,
  state: z.enum(['waiting', 'in-force', 'refused', 'withdrawn', 'stale']),
  decidedBy: z.nullable(personSchema),
  decidedAt: z.nullable(time),
  reason: z.nullable(z.string()),
  /** To the version it was based on. */
  differences: z.array(policyDifferenceSchema),
});
export type PolicyChange = WithPolicy<z.infer<typeof changeSchema>>;

/** Everything an admin changes the policy by. */
export const policyDeskSchema = z.object({
  policy: policySchema,
  inWords: z.array(z.string()),
  /** A loosening that waits for a second admin. Nothing of it is in force. */
  waiting: z.nullable(changeSchema),
  /** Newest first. */
  versions: z.array(versionSchema),
  olderVersions: z.int(),
  /** Changes that came to nothing, newest first. */
  ended: z.array(changeSchema),
  /** Whom a limit can be for. */
  members: z.array(z.object({ id: z.string(), name: z.string(), role: z.enum(roles) })),
  /** How many admins beside the one who asks could approve a loosening. */
  otherAdmins: z.int(),
});
export type PolicyDesk = WithPolicy<
  Omit<z.infer<typeof policyDeskSchema>, 'waiting' | 'versions' | 'ended'> & {
    readonly waiting: PolicyChange | null;
    readonly versions: readonly PolicyVersion[];
    readonly ended: readonly PolicyChange[];
  }
>;

export const policyOutcomes = ['in-force', 'waiting', 'unchanged', 'refused', 'withdrawn'] as const;
export type PolicyOutcome = (typeof policyOutcomes)[number];
export const policyAnswerSchema = z.object({ outcome: z.enum(policyOutcomes), desk: policyDeskSchema });

/** What a policy may do otherwise to one operation. */
export const treatmentChanges = [
  'refused-at-proposal',
  'allowed-at-proposal',
  'approval-refused',
  'approval-allowed',
  'more-approvals',
  'fewer-approvals',
  'needs-signature',
  'no-signature',
  'automatic',
  'no-longer-automatic',
  'expires',
  'no-longer-expires',
] as const;
export type TreatmentChange = (typeof treatmentChanges)[number];

/** What a policy would have done to the operations of the last month, beside what the one in force would have done. */
export const policyPreviewSchema = z.object({
  loosens: z.boolean(),
  inWords: z.array(z.string()),
  differences: z.array(policyDifferenceSchema),
  since: time,
  until: time,
  lookedAt: z.int(),
  /** Whether those were all there are: a longer month is looked at from its newest end. */
  isComplete: z.boolean(),
  treatedOtherwise: z.int(),
  counts: z.array(z.object({ change: z.enum(treatmentChanges), count: z.int() })),
  /** The newest of them. */
  operations: z.array(
    z.object({
      id: z.string(),
      orderId: z.nullable(z.string()),
      amount: amountSchema,
      proposedAt: time,
      state: z.enum(operationStates),
      changes: z.array(z.enum(treatmentChanges)),
    }),
  ),
});
export type PolicyPreview = z.infer<typeof policyPreviewSchema>;

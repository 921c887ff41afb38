import * as z from 'zod/mini';
import { currencySchema, type Amount } from './amount.ts';
import { isTimeZone } from './organisation-day.ts';
import { refundReasons, type RefundReason } from './refund-reason.ts';
import { roles, type Role } from './role.ts';

/** From this many approvals on, nothing is approved any sooner; more would only be a typing mistake. */
const mostApprovals = 10;

/** Above `above` so many different people must approve. */
export type MoreApprovals = { readonly above: Amount; readonly approvalsNeeded: number };

export const limitActs = ['propose', 'approve'] as const;
export type LimitAct = (typeof limitActs)[number];
export const limitSpans = ['operation', 'payment', 'day'] as const;
export type LimitSpan = (typeof limitSpans)[number];

/** The most that each person of a role, or one person, may propose or approve at once, of one payment, or on one day. */
export type PolicyLimit = {
  readonly for: { readonly role: Role } | { readonly personId: string };
  readonly act: LimitAct;
  readonly per: LimitSpan;
  readonly most: Amount;
};

/** When an approval must be signed. A currency that is not named counts as above. */
export type SignatureRule = 'never' | 'always' | { readonly above: readonly Amount[] };

/** Whose proposals up to which amounts are approved by the policy itself. A currency that is not named is not. */
export type AutomaticApproval = { readonly roles: readonly Role[]; readonly upTo: readonly Amount[] };

/** An organisation's rules, as data. Times in milliseconds. */
export type Policy = {
  readonly version: number;
  readonly approvalsNeeded: number;
  readonly moreApprovals: readonly MoreApprovals[];
  readonly proposerMayApprove: boolean;
  readonly signatureRequired: SignatureRule;
  readonly refundWindowMs: number;
  readonly proposalExpiresAfterMs: number;
  readonly approvalExpiresAfterMs: number;
  /** `null`: all. */
  readonly allowedReasons: readonly RefundReason[] | null;
  readonly limits: readonly PolicyLimit[];
  /** `null`: off. */
  readonly automaticApproval: AutomaticApproval | null;
  /** IANA name. A day of a limit is a day there, of 23 or 25 hours where the clocks are changed. */
  readonly timeZone: string;
};

const dayMs = 24 * 60 * 60 * 1000;

/** A fresh organisation's policy, until an admin changes it. */
export const defaultPolicy: Policy = {
  version: 1,
  approvalsNeeded: 1,
  moreApprovals: [],
  proposerMayApprove: false,
  signatureRequired: 'never',
  refundWindowMs: 180 * dayMs,
  proposalExpiresAfterMs: 7 * dayMs,
  approvalExpiresAfterMs: 7 * dayMs,
  allowedReasons: null,
  limits: [],
  automaticApproval: null,
  timeZone: 'UTC',
};

/** Zero is an amount that nothing is below: "above EUR 0.00" is everything, "at most EUR 0.00" is nothing. */
const thresholdSchema = z.object({
  minor: z.int('must be a whole number of minor units').check(z.nonnegative('must not be below zero')),
  currency: currencySchema,
});
const eachCurrencyOnce = z.refine<readonly Amount[]>(
  (amounts) => new Set(amounts.map(({ currency }) => currency)).size === amounts.length,
  'names a currency twice',
);
const thresholdsSchema = z.array(thresholdSchema).check(eachCurrencyOnce);
const approvalsSchema = z
  .int()
  .check(z.gte(1, 'at least one approval'), z.lte(mostApprovals, `at most ${mostApprovals} approvals`));
const timeSchema = z.int('must be a whole number of milliseconds').check(z.positive('must be above zero'));
const idSchema = z.string().check(z.minLength(1), z.maxLength(200));

/** A whole policy as it is stored and edited; what it does not know it leaves out. */
export const policySchema = z.object({
  version: z.int().check(z.positive()),
  approvalsNeeded: approvalsSchema,
  moreApprovals: z
    .array(z.object({ above: thresholdSchema, approvalsNeeded: approvalsSchema }))
    .check(z.maxLength(50)),
  proposerMayApprove: z.boolean(),
  signatureRequired: z.union([z.enum(['never', 'always']), z.object({ above: thresholdsSchema })]),
  refundWindowMs: timeSchema,
  proposalExpiresAfterMs: timeSchema,
  approvalExpiresAfterMs: timeSchema,
  allowedReasons: z.nullable(z.array(z.enum(refundReasons))),
  limits: z
    .array(
      z.object({
        for: z.union([z.strictObject({ role: z.enum(roles) }), z.strictObject({ personId: idSchema })]),
        act: z.enum(limitActs),
        per: z.enum(limitSpans),
        most: thresholdSchema,
      }),
    )
    .check(z.maxLength(500)),
  automaticApproval: z.nullable(z.object({ roles: z.array(z.enum(roles)), upTo: thresholdsSchema })),
  timeZone: z.string().check(z.refine(isTimeZone, 'must be a time zone like "Europe/Berlin"')),
});

/**
 * What is stored, read as a policy of today: what an older shape does not have is the default. What cannot be read at
 * all throws: nothing is decided by rules that nobody can read.
 */
export const policyFromStored = (stored: unknown): Policy =>
  policySchema.parse({ ...defaultPolicy, ...(stored as Partial<Policy>) });

import type { Amount } from './amount.ts';
import { formatAmount } from './amount-format.ts';
import { english } from './messages/en.ts';
import type { LimitAct, LimitSpan, Policy, PolicyLimit } from './policy.ts';
import type { Role } from './role.ts';

export const limitReasons = [
  'over-operation-limit',
  'over-payment-limit',
  'over-day-limit',
  'currency-without-limit',
] as const;
export type LimitReason = (typeof limitReasons)[number];
export type LimitProblem = { readonly reason: LimitReason; readonly sentence: string };

/** Somebody who proposes or approves. `person` counts, whatever keys or assistants of theirs it came through. */
export type LimitSubject = {
  readonly act: LimitAct;
  readonly person: string;
  /** `null` where it was not recorded: limits of roles say nothing of it then. */
  readonly role: Role | null;
};

export type LimitUse = LimitSubject & {
  readonly amount: Amount;
  /** What the same person's same acts have taken already in this currency, this one not included. Minor units. */
  readonly onPaymentMinor: number;
  readonly onDayMinor: number;
};

const isFor = ({ for: whom, act }: PolicyLimit, subject: LimitSubject): boolean =>
  act === subject.act && ('personId' in whom ? whom.personId === subject.person : whom.role === subject.role);

/** Over which spans somebody is limited: what they used elsewhere needs to be looked up for these alone. */
export const limitedSpans = (
  { limits }: Pick<Policy, 'limits'>,
  subject: LimitSubject,
): readonly LimitSpan[] => [...new Set(limits.filter((one) => isFor(one, subject)).map(({ per }) => per))];

const overLimit: Readonly<Record<LimitSpan, LimitReason>> = {
  operation: 'over-operation-limit',
  payment: 'over-payment-limit',
  day: 'over-day-limit',
};

const usedOver: Readonly<Record<LimitSpan, (use: LimitUse) => number>> = {
  operation: () => 0,
  payment: ({ onPaymentMinor }) => onPaymentMinor,
  day: ({ onDayMinor }) => onDayMinor,
};

/**
 * Every limit that says no. All that are for the person or for their role hold together, so one can only tighten the
 * other; where a limit stands and names no amount in this currency, nothing in it is allowed.
 */
export const judgeLimits = (policy: Pick<Policy, 'limits'>, use: LimitUse): readonly LimitProblem[] => {
  const sentences = english.policy.limits;
  const problems = new Map<string, LimitProblem>();
  const standing = policy.limits.filter((one) => isFor(one, use));
  for (const { for: whom, per } of standing) {
    const together = standing.filter((one) => one.per === per && sameSubject(one.for, whom));
    const own = together.filter(({ most }) => most.currency === use.amount.currency);
    if (own.length === 0) {
      const sentence = sentences.currency(use.act, per, use.amount.currency);
      problems.set(`${per} currency`, { reason: 'currency-without-limit', sentence });
      continue;
    }
    const minor = Math.min(...own.map(({ most }) => most.minor));
    const usedMinor = usedOver[per](use);
    if (use.amount.minor + usedMinor <= minor) continue;
    const { currency } = use.amount;
    const used = usedMinor === 0 ? null : formatAmount({ minor: usedMinor, currency });
    const sentence = sentences.over(use.act, per, formatAmount({ minor, currency }), used);
    problems.set(`${per} ${minor}`, { reason: overLimit[per], sentence });
  }
  return [...problems.values()];
};

const sameSubject = (one: PolicyLimit['for'], other: PolicyLimit['for']): boolean =>
  'personId' in one
    ? 'personId' in other && one.personId === other.personId
    : 'role' in other && one.role === other.role;

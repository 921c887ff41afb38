import {
  parseTypedAmount,
  refundReasons,
  roles,
  type Amount,
  type DecimalMark,
  type LimitAct,
  type LimitSpan,
  type Policy,
  type RefundReason,
  type Role,
} from '@holdfast/operation';
import { policy as text } from '../../../messages/en-policy.ts';
import { figuresText } from '../../../parts/money.ts';

/** A policy as it stands in fields: numbers and amounts as typed, so that nothing is lost while it is not yet right. */
export type AmountLine = { currency: string; amount: string; people: string };
export type LimitLine = { whom: string; act: LimitAct; per: LimitSpan; currency: string; amount: string };
export const durationUnits = { days: 86_400_000, hours: 3_600_000, minutes: 60_000 } as const;
export type DurationUnit = keyof typeof durationUnits;
export type Duration = { count: string; unit: DurationUnit };

export type PolicyForm = {
  version: number;
  approvalsNeeded: string;
  moreApprovals: AmountLine[];
  proposerMayApprove: boolean;
  signature: 'never' | 'always' | 'above';
  signatureAbove: AmountLine[];
  refundWindow: Duration;
  proposalExpires: Duration;
  approvalExpires: Duration;
  everyReason: boolean;
  reasons: RefundReason[];
  limits: LimitLine[];
  automatic: boolean;
  automaticRoles: Role[];
  automaticUpTo: AmountLine[];
  timeZone: string;
};

const lineOf = (amount: Amount, people = ''): AmountLine => ({
  currency: amount.currency,
  amount: figuresText(amount),
  people,
});

const durationOf = (ms: number): Duration => {
  const unit =
    (['days', 'hours', 'minutes'] as const).find((one) => ms % durationUnits[one] === 0) ?? 'minutes';
  return { count: String(ms / durationUnits[unit]), unit };
};

export const formOf = (policy: Policy): PolicyForm => {
  const { signatureRequired: signature, automaticApproval: automatic } = policy;
  return {
    version: policy.version,
    approvalsNeeded: String(policy.approvalsNeeded),
    moreApprovals: policy.moreApprovals.map(({ above, approvalsNeeded }) =>
      lineOf(above, String(approvalsNeeded)),
    ),
    proposerMayApprove: policy.proposerMayApprove,
    signature: typeof signature === 'string' ? signature : 'above',
    signatureAbove: typeof signature === 'string' ? [] : signature.above.map((amount) => lineOf(amount)),
    refundWindow: durationOf(policy.refundWindowMs),
    proposalExpires: durationOf(policy.proposalExpiresAfterMs),
    approvalExpires: durationOf(policy.approvalExpiresAfterMs),
    everyReason: policy.allowedReasons === null,
    reasons: [...(policy.allowedReasons ?? refundReasons)],
    limits: policy.limits.map(({ for: whom, act, per, most }) => ({
      whom: 'role' in whom ? `role ${whom.role}` : `person ${whom.personId}`,
      act,
      per,
      currency: most.currency,
      amount: figuresText(most),
    })),
    automatic: automatic !== null,
    automaticRoles: [...(automatic?.roles ?? [])],
    automaticUpTo: (automatic?.upTo ?? []).map((amount) => lineOf(amount)),
    timeZone: policy.timeZone,
  };
};

/** What the form says, or what is wrong with it, by the name of the field. */
export type ReadForm =
  | { readonly ok: true; readonly policy: Policy }
  | { readonly ok: false; readonly errors: ReadonlyMap<string, string> };

class Reading {
  readonly errors = new Map<string, string>();
  readonly #mark: DecimalMark;
  constructor(mark: DecimalMark) {
    this.#mark = mark;
  }
  amount(field: string, { currency, amount }: { currency: string; amount: string }): Amount {
    const typed = parseTypedAmount(amount, currency.trim().toUpperCase(), this.#mark);
    if (typed.ok) return typed.amount;
    this.errors.set(field, typed.because);
    return { minor: 0, currency };
  }
  whole(field: string, typed: string, least: number, most: number): number {
    const number = /^\d{1,7}$/.test(typed.trim()) ? Number(typed) : NaN;
    if (number >= least && number <= most) return number;
    this.errors.set(field, text.wholeNumber(least, most));
    return least;
  }
  duration(field: string, { count, unit }: Duration, mostDays: number): number {
    const most = Math.floor((mostDays * durationUnits.days) / durationUnits[unit]);
    return this.whole(field, count, 1, Math.min(most, 9_999_999)) * durationUnits[unit];
  }
}

const whomOf = (whom: string): Policy['limits'][number]['for'] => {
  const [kind, ...rest] = whom.split(' ');
  const id = rest.join(' ');
  return kind === 'role' ? { role: roles.find((role) => role === id) ?? 'agent' } : { personId: id };
};

export const readForm = (form: PolicyForm, mark: DecimalMark): ReadForm => {
  const reading = new Reading(mark);
  const amounts = (field: string, lines: readonly AmountLine[]): Amount[] =>
    lines.map((line, index) => reading.amount(`${field}.${index}`, line));
  const policy: Policy = {
    version: form.version,
    approvalsNeeded: reading.whole('approvalsNeeded', form.approvalsNeeded, 1, 10),
    moreApprovals: form.moreApprovals.map((line, index) => ({
      above: reading.amount(`moreApprovals.${index}`, line),
      approvalsNeeded: reading.whole(`moreApprovals.${index}.people`, line.people, 1, 10),
    })),
    proposerMayApprove: form.proposerMayApprove,
    signatureRequired:
      form.signature === 'above' ? { above: amounts('signatureAbove', form.signatureAbove) } : form.signature,
    refundWindowMs: reading.duration('refundWindow', form.refundWindow, 36_500),
    proposalExpiresAfterMs: reading.duration('proposalExpires', form.proposalExpires, 3_650),
    approvalExpiresAfterMs: reading.duration('approvalExpires', form.approvalExpires, 3_650),
    allowedReasons: form.everyReason ? null : refundReasons.filter((reason) => form.reasons.includes(reason)),
    limits: form.limits.map((line, index) => ({
      for: whomOf(line.whom),
      act: line.act,
      per: line.per,
      most: reading.amount(`limits.${index}`, line),
    })),
    automaticApproval: form.automatic
      ? {
          roles: roles.filter((role) => form.automaticRoles.includes(role)),
          upTo: amounts('automaticUpTo', form.automaticUpTo),
        }
      : null,
    timeZone: form.timeZone.trim(),
  };
  return reading.errors.size === 0 ? { ok: true, policy } : { ok: false, errors: reading.errors };
};

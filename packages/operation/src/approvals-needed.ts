import type { Amount } from './amount.ts';
import type { Policy } from './policy.ts';

/** A currency that the list does not name counts as above: what nobody thought of takes the stricter rule. */
const isAbove = (amount: Amount, thresholds: readonly Amount[]): boolean => {
  const own = thresholds.filter(({ currency }) => currency === amount.currency);
  return own.length === 0 || own.some(({ minor }) => amount.minor > minor);
};

/** How many different people must approve an amount, and above which amount that many. */
export type ApprovalRule = { readonly needed: number; readonly above: Amount | null };

export const approvalRuleFor = (
  { approvalsNeeded, moreApprovals }: Pick<Policy, 'approvalsNeeded' | 'moreApprovals'>,
  amount: Amount,
): ApprovalRule => {
  const own = moreApprovals.filter(({ above }) => above.currency === amount.currency);
  let rule: ApprovalRule = { needed: Math.max(1, approvalsNeeded), above: null };
  for (const one of own.length === 0 ? moreApprovals : own) {
    const { above } = one;
    if (one.approvalsNeeded <= rule.needed) continue;
    if (own.length === 0) rule = { needed: one.approvalsNeeded, above: null };
    else if (amount.minor > above.minor) rule = { needed: one.approvalsNeeded, above };
  }
  return rule;
};

export const approvalsNeededFor = (
  policy: Pick<Policy, 'approvalsNeeded' | 'moreApprovals'>,
  amount: Amount,
): number => approvalRuleFor(policy, amount).needed;

/** Whether an approval of this amount counts only with a signature. */
export const signatureRequired = (
  { signatureRequired: rule }: Pick<Policy, 'signatureRequired'>,
  amount: Amount,
): boolean => rule === 'always' || (rule !== 'never' && isAbove(amount, rule.above));

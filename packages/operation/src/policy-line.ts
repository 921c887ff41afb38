import type { Amount } from './amount.ts';
import { formatAmount } from './amount-format.ts';
import { approvalRuleFor, signatureRequired } from './approvals-needed.ts';
import { policyActorId } from './automatic-approval.ts';
import { english } from './messages/en.ts';
import type { Policy } from './policy.ts';
import type { Operation } from './wire/operation-message.ts';

/** What the policy asks of one refund and how much of it is there, for whoever decides about it. */
export const policyLine = (
  policy: Policy,
  amount: Amount,
  approvedBy: readonly string[],
): NonNullable<Operation['policy']> => {
  const { needed, above } = approvalRuleFor(policy, amount);
  const people = new Set(approvedBy);
  const signed = signatureRequired(policy, amount);
  const given = people.size;
  return {
    version: policy.version,
    approvalsNeeded: needed,
    approvalsGiven: given,
    signatureRequired: signed,
    sentence: people.has(policyActorId)
      ? english.policy.automatic
      : english.policy.needs(needed, given, above === null ? null : formatAmount(above), signed),
  };
};

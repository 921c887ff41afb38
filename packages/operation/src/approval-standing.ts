import type { Amount } from './amount.ts';
import { approvalsNeededFor, signatureRequired } from './approvals-needed.ts';
import { approvesAutomatically, policyActorId, type AutomaticSubject } from './automatic-approval.ts';
import { judgeLimits, type LimitReason, type LimitUse } from './limits.ts';
import { english } from './messages/en.ts';
import type { Policy } from './policy.ts';

export const standingReasons = ['signature-missing', 'not-automatic', 'approver-lost-authority'] as const;
export type StandingReason = LimitReason | (typeof standingReasons)[number];
export type StandingProblem = { readonly reason: StandingReason; readonly sentence: string };

/** An approval as it was given: by somebody with what they had used before it, or by the policy for a proposer. */
export type GivenApproval =
  | {
      readonly kind: 'person';
      readonly use: LimitUse;
      readonly signed: boolean;
      /** Whether they may approve at all, now. */
      readonly mayApprove: boolean;
    }
  | { readonly kind: 'automatic'; readonly proposer: AutomaticSubject | null };

/** Why an approval would not count by the policy as it is now, whatever the one said under which it was given. */
export const lackingIn = (
  policy: Policy,
  amount: Amount,
  given: GivenApproval,
): readonly StandingProblem[] => {
  const sentences = english.policy.standing;
  if (given.kind === 'automatic') {
    return given.proposer !== null && approvesAutomatically(policy, given.proposer, amount)
      ? []
      : [{ reason: 'not-automatic', sentence: sentences.notAutomatic }];
  }
  const unsigned = signatureRequired(policy, amount) && !given.signed;
  const lost = { reason: 'approver-lost-authority' as const, sentence: sentences.approverLostAuthority };
  return [
    ...(given.mayApprove ? [] : [lost]),
    ...judgeLimits(policy, given.use),
    ...(unsigned ? [{ reason: 'signature-missing' as const, sentence: sentences.signatureMissing }] : []),
  ];
};

/** Whether approvals by these are enough: one by the policy itself is, else as many people as the amount needs. */
export const approvalsSuffice = (policy: Policy, amount: Amount, by: Iterable<string>): boolean => {
  const people = new Set(by);
  return people.has(policyActorId) || people.size >= approvalsNeededFor(policy, amount);
};

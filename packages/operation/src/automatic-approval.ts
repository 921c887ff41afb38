import type { Amount } from './amount.ts';
import { approvalsNeededFor, signatureRequired } from './approvals-needed.ts';
import type { Policy } from './policy.ts';
import type { Actor } from './role.ts';

/** Who an automatic approval is by: no person, and never counted as one. */
export const policyActorId = 'policy';

export type AutomaticSubject = Pick<Actor, 'role' | 'assistant' | 'via'>;

/**
 * Whether the policy itself approves a proposal of this amount by this proposer. Never what an assistant or an ownerless
 * key proposes; and where another rule asks for more than one approval above an amount, or for a signature, that rule
 * wins.
 */
export const approvesAutomatically = (
  policy: Pick<Policy, 'automaticApproval' | 'approvalsNeeded' | 'moreApprovals' | 'signatureRequired'>,
  proposer: AutomaticSubject,
  amount: Amount,
): boolean => {
  const rule = policy.automaticApproval;
  if (rule === null || proposer.assistant) return false;
  if (proposer.via !== 'session' && proposer.via !== 'owned-key') return false;
  if (!rule.roles.includes(proposer.role)) return false;
  if (signatureRequired(policy, amount)) return false;
  if (approvalsNeededFor(policy, amount) > policy.approvalsNeeded) return false;
  const own = rule.upTo.filter(({ currency }) => currency === amount.currency);
  return own.length > 0 && own.every(({ minor }) => amount.minor <= minor);
};

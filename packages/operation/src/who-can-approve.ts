import type { Amount } from './amount.ts';
import { approvalsNeededFor, signatureRequired } from './approvals-needed.ts';
import { judgeLimits } from './limits.ts';
import type { Policy } from './policy.ts';
import type { Role } from './role.ts';

/** Somebody whose role lets them approve at all, as a person or through a key that may. */
export type Approver = {
  readonly person: string;
  readonly role: Role;
  /** Whether a passkey of theirs lives, to sign with. No key has one. */
  readonly signs: boolean;
};

export type WaitingProposal = {
  readonly amount: Amount;
  readonly proposedPerson: string;
  /** Whose approvals of it count already. */
  readonly approvedBy: readonly string[];
};

export const nobodyReasons = [
  'no-approver',
  'only-the-proposer',
  'nobody-can-sign',
  'limits-too-low',
  'too-few-approvers',
] as const;
export type NobodyReason = (typeof nobodyReasons)[number];

/**
 * Why a proposal can't be approved by the people there are, however long it waits; `null` where it can. What somebody has
 * used of a day's limit does not count: tomorrow they may.
 */
export const whyNobodyCanApprove = (
  policy: Policy,
  { amount, proposedPerson, approvedBy }: WaitingProposal,
  approvers: readonly Approver[],
): NobodyReason | null => {
  if (approvers.length === 0 && approvedBy.length === 0) return 'no-approver';
  const others = approvers.filter(({ person }) => policy.proposerMayApprove || person !== proposedPerson);
  if (others.length === 0 && approvedBy.length === 0) return 'only-the-proposer';
  const signing = signatureRequired(policy, amount) ? others.filter(({ signs }) => signs) : others;
  if (signing.length === 0 && approvedBy.length === 0) return 'nobody-can-sign';
  const able = signing.filter(
    ({ person, role }) =>
      judgeLimits(policy, { act: 'approve', person, role, amount, onPaymentMinor: 0, onDayMinor: 0 })
        .length === 0,
  );
  const people = new Set([...able.map(({ person }) => person), ...approvedBy]);
  if (people.size >= approvalsNeededFor(policy, amount)) return null;
  const withoutLimits = new Set([...signing.map(({ person }) => person), ...approvedBy]);
  return withoutLimits.size >= approvalsNeededFor(policy, amount) ? 'limits-too-low' : 'too-few-approvers';
};

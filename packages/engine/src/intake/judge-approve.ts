import {
  judgeEligibility,
  refundableMinor,
  type Amount,
  type Command,
  type EligibilityFacts,
  type OperationState,
} from '@holdfast/operation';
import { exceedsSentence } from './judge-propose.ts';
import { problemOf } from './problem.ts';
import { refuse, type Judgement } from './verdict.ts';

export type ApproveCommand = Extract<Command, { type: 'approve' }>;

export type ApprovalFacts = {
  readonly state: OperationState;
  readonly fingerprint: string | null;
  readonly proposedPerson: string;
  readonly approvingPerson: string;
  readonly proposerMayApprove: boolean;
  readonly approvalsNeeded: number;
  /** Who counts among the approvals in force, the one judged not included. */
  readonly approvedBy: readonly string[];
  readonly order: { readonly version: number };
  readonly eligibility: EligibilityFacts;
};

export type ApprovalEffect = { readonly completes: boolean };

/**
 * Whether an approval may be recorded. Whether enough is left is judged last of all, by the update that reserves it.
 * In a state where none is needed any more, it is recorded without being judged: nothing hangs on it.
 */
export const judgeApproval = (command: ApproveCommand, facts: ApprovalFacts): Judgement<ApprovalEffect> => {
  const ids = { operationId: command.operationId, commandId: command.commandId };
  const { payment } = facts.eligibility;
  const refundable: Amount = { minor: refundableMinor(payment), currency: payment.currency };
  const now = { fingerprint: facts.fingerprint, refundable, orderVersion: facts.order.version };
  if (facts.fingerprint !== null && command.fingerprint !== facts.fingerprint) {
    const detail = 'What you approved is not what is proposed here. Look at it again.';
    return refuse(problemOf('stale-approval', detail, { ...ids, now }));
  }
  if (facts.approvingPerson === facts.proposedPerson && !facts.proposerMayApprove) {
    return refuse(problemOf('forbidden', 'You proposed it, so somebody else has to approve it.', ids), false);
  }
  if (facts.state !== 'proposed') return { kind: 'go-on', effect: { completes: false } };
  if (command.seen !== undefined && !sawWhatIs(command.seen, now)) {
    const detail = 'The order has changed since you looked at it. Look at it again.';
    return refuse(problemOf('stale-approval', detail, { ...ids, now }));
  }
  const reasons = judgeEligibility(facts.eligibility);
  if (reasons.length > 0) {
    const detail = reasons.map(({ sentence }) => sentence).join(' ');
    return refuse(problemOf('not-eligible', detail, { ...ids, reasons: [...reasons] }));
  }
  if (facts.eligibility.amount.minor > refundable.minor) {
    return refuse(problemOf('exceeds-refundable', exceedsSentence(refundable), { ...ids, refundable }));
  }
  const people = new Set([...facts.approvedBy, facts.approvingPerson]);
  return { kind: 'go-on', effect: { completes: people.size >= Math.max(1, facts.approvalsNeeded) } };
};

const sawWhatIs = (
  seen: NonNullable<ApproveCommand['seen']>,
  now: { readonly refundable: Amount; readonly orderVersion: number },
): boolean =>
  seen.orderVersion === now.orderVersion &&
  seen.refundable.minor === now.refundable.minor &&
  seen.refundable.currency === now.refundable.currency;

import {
  judgeEligibility,
  type Command,
  type EligibilityFacts,
  type OperationState,
} from '@holdfast/operation';
import { exceedsSentence, type PaymentNeighbour } from './judge-propose.ts';
import { problemOf } from './problem.ts';
import { refuse, type Judgement } from './verdict.ts';
import { whatChanged, whatIsNow, whatTakesMoney } from './what-is-now.ts';

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
  readonly order: { readonly version: number; readonly updatedAt: Date };
  /** All other operations of the payment. */
  readonly neighbours: readonly Pick<PaymentNeighbour, 'id' | 'state' | 'amount'>[];
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
  const met = { ...facts, payment };
  const now = whatIsNow(met);
  const { refundable } = now;
  const taken = whatTakesMoney(met);
  const operations = taken.length === 0 ? {} : { operations: taken };
  if (facts.fingerprint !== null && command.fingerprint !== facts.fingerprint) {
    const detail = 'What you approved is not what is proposed here. Look at it again.';
    return refuse(problemOf('stale-approval', detail, { ...ids, now }));
  }
  if (facts.approvingPerson === facts.proposedPerson && !facts.proposerMayApprove) {
    return refuse(problemOf('forbidden', 'You proposed it, so somebody else has to approve it.', ids), false);
  }
  if (facts.state !== 'proposed') return { kind: 'go-on', effect: { completes: false } };
  const changed = whatChanged(command.seen, met);
  if (changed !== null) return refuse(problemOf('stale-approval', changed, { ...ids, now, ...operations }));
  const reasons = judgeEligibility(facts.eligibility);
  if (reasons.length > 0) {
    const detail = reasons.map(({ sentence }) => sentence).join(' ');
    return refuse(problemOf('not-eligible', detail, { ...ids, reasons: [...reasons], now, ...operations }));
  }
  if (facts.eligibility.amount.minor > refundable.minor) {
    const detail = exceedsSentence(refundable, facts.neighbours);
    return refuse(problemOf('exceeds-refundable', detail, { ...ids, refundable, now, ...operations }));
  }
  const people = new Set([...facts.approvedBy, facts.approvingPerson]);
  return { kind: 'go-on', effect: { completes: people.size >= Math.max(1, facts.approvalsNeeded) } };
};

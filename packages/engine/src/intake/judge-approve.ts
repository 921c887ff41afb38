import {
  approvalsSuffice,
  english,
  judgeEligibility,
  signatureRequired,
  type Command,
  type EligibilityFacts,
  type LimitProblem,
  type OperationState,
  type Problem,
} from '@holdfast/operation';
import { exceedsSentence, type PaymentNeighbour } from './judge-propose.ts';
import { problemOf, type ProblemExtras } from './problem.ts';
import { refuse, type Judgement } from './verdict.ts';
import { whatChanged, whatIsNow, whatTakesMoney } from './what-is-now.ts';

export type ApproveCommand = Extract<Command, { type: 'approve' }>;

export type ApprovalFacts = {
  readonly state: OperationState;
  readonly fingerprint: string | null;
  readonly approvingPerson: string;
  /** Whether whoever approves proposed it: as themselves, or through an ownerless key that they made. */
  readonly isProposer: boolean;
  readonly nowMs: number;
  /** When the proposal's time is over. */
  readonly expiresAtMs: number | null;
  /** Limits that do not let whoever approves do so, with what they used. */
  readonly overLimits: readonly LimitProblem[];
  /** Whether a person's passkey signed it: what a program sends never is. */
  readonly signed: boolean;
  /** Whose approvals count by the policy as it is now, the one judged not included. */
  readonly approvedBy: readonly string[];
  readonly order: { readonly version: number; readonly updatedAt: Date };
  /** All other operations of the payment. */
  readonly neighbours: readonly Pick<PaymentNeighbour, 'id' | 'state' | 'amount'>[];
  readonly eligibility: EligibilityFacts;
};

export type ApprovalEffect = { readonly completes: boolean };

/** States in which an approval still decides something: one more than needed may be the one that is left. */
const stillDecides: readonly OperationState[] = ['proposed', 'approved'];

/** Where the policy asks for a signature, an approval without one is refused, whoever or whatever gave it. */
const signatureMissing = ({ signed, eligibility: { policy, amount } }: ApprovalFacts) =>
  signatureRequired(policy, amount) && !signed
    ? [{ reason: 'signature-missing' as const, sentence: english.policy.standing.signatureMissing }]
    : [];

/**
 * Whether an approval may be recorded. Whether enough is left is judged last of all, by the update that reserves it.
 * In a state where none is needed any more, it is recorded without being judged: nothing hangs on it.
 */
export const judgeApproval = (command: ApproveCommand, facts: ApprovalFacts): Judgement<ApprovalEffect> => {
  const ids = { operationId: command.operationId, commandId: command.commandId };
  const { payment, policy, amount } = facts.eligibility;
  const met = { ...facts, payment };
  const now = whatIsNow(met);
  const { refundable } = now;
  const taken = whatTakesMoney(met);
  const operations = taken.length === 0 ? {} : { operations: taken };
  if (facts.fingerprint !== null && command.fingerprint !== facts.fingerprint) {
    const detail = 'What you approved is not what is proposed here. Look at it again.';
    return refuse(problemOf('stale-approval', detail, { ...ids, now }));
  }
  if (facts.isProposer && !policy.proposerMayApprove) {
    return refuse(problemOf('forbidden', 'You proposed it, so somebody else has to approve it.', ids), false);
  }
  if (stillDecides.includes(facts.state) && facts.overLimits.length > 0) {
    return refuse(notEligible(facts.overLimits, ids));
  }
  if (facts.state !== 'proposed') return { kind: 'go-on', effect: { completes: false } };
  if (facts.expiresAtMs !== null && facts.nowMs >= facts.expiresAtMs) {
    // The worker writes it down a moment later; whoever comes in between hears the same.
    const decided = { state: 'expired' as const, by: null, at: new Date(facts.expiresAtMs).toISOString() };
    const detail = 'Nobody decided in time; it can be proposed anew.';
    return refuse(problemOf('too-late', detail, { ...ids, decided }));
  }
  const changed = whatChanged(command.seen, met);
  if (changed !== null) return refuse(problemOf('stale-approval', changed, { ...ids, now, ...operations }));
  const reasons = [...judgeEligibility(facts.eligibility), ...signatureMissing(facts)];
  if (reasons.length > 0) {
    return refuse(notEligible(reasons, { ...ids, now, ...operations }));
  }
  if (amount.minor > refundable.minor) {
    const detail = exceedsSentence(refundable, facts.neighbours);
    return refuse(problemOf('exceeds-refundable', detail, { ...ids, refundable, now, ...operations }));
  }
  const people = [...facts.approvedBy, facts.approvingPerson];
  return { kind: 'go-on', effect: { completes: approvalsSuffice(policy, amount, people) } };
};

const notEligible = (
  reasons: readonly { readonly reason: string; readonly sentence: string }[],
  extras: ProblemExtras,
): Problem =>
  problemOf('not-eligible', reasons.map(({ sentence }) => sentence).join(' '), {
    ...extras,
    reasons: [...reasons],
  });

import type { Amount } from './amount.ts';
import { approvalsSuffice, type StandingProblem, type StandingReason } from './approval-standing.ts';
import { approvalsNeededFor } from './approvals-needed.ts';
import { judgeEligibility, type EligibilityFacts, type EligibilityReason } from './eligibility.ts';
import { english } from './messages/en.ts';
import type { ForeignRefund, ProviderRecord } from './observation.ts';
import { formatAmount } from './amount-format.ts';
import type { OperationState } from './state.ts';
import type { WaitingFor } from './wire/operation-message.ts';

export type Approval = {
  readonly by: string;
  readonly atMs: number;
  readonly fingerprint: string;
  /** Why it does not count by the policy as it is now; none: it does. */
  readonly lacking?: readonly StandingProblem[];
};

/** The provider's side of the payment: from the mirror where it is fresh enough, else from a question asked for this check. */
export type ProviderSide =
  | { readonly kind: 'no-answer' }
  | {
      readonly kind: 'seen';
      readonly disputed: boolean;
      /** Standing refunds of the payment that were made elsewhere. */
      readonly refundsElsewhere: readonly ForeignRefund[];
      /** Refunds that carry our organisation and an operation ID, and that no operation accounts for yet. */
      readonly unaccounted: readonly ProviderRecord[];
    };

export type LastCheckFacts = {
  /** A first send, or the same bytes under the same key again. */
  readonly resubmission: boolean;
  readonly onHold: boolean;
  readonly hasProviderAccount: boolean;
  /** Milliseconds since the epoch until which the completing approval can be taken back; `null` when it cannot. */
  readonly undoUntilMs: number | null;
  /** When the provider may be asked again (rate limit, key refused); `null` when at once. */
  readonly notBeforeMs: number | null;
  readonly anotherInFlightOnPayment: boolean;
  readonly fingerprint: string;
  readonly proposedBy: string;
  readonly approvals: readonly Approval[];
  /** Facts as they are now; `payment.reserved` still contains this operation's own reservation. */
  readonly eligibility: EligibilityFacts;
  readonly ownReservationMinor: number;
  readonly provider: ProviderSide;
  /** Provider references of refunds made elsewhere that were known at the completing approval. */
  readonly elsewhereKnownAtApproval: readonly string[];
  readonly replaced: {
    readonly id: string;
    readonly state: OperationState;
    readonly contradicted: boolean;
  } | null;
};

export type LastCheckReason =
  | EligibilityReason
  | StandingReason
  | 'approvals-not-in-force'
  | 'too-little-left'
  | 'refunded-elsewhere'
  | 'replaced-took-effect';
export type LastCheckProblem = { readonly reason: LastCheckReason; readonly sentence: string };

export type LastCheckVerdict =
  | { readonly verdict: 'ok' }
  /** Nothing is sent now, nothing is lost: it stays as it is. */
  | { readonly verdict: 'wait'; readonly waitingFor: WaitingFor; readonly sentence: string }
  /** A refund of ours stands unexplained at the provider: these records are evidence and come first. */
  | { readonly verdict: 'settle-first'; readonly records: readonly ProviderRecord[] }
  /** A first send's approval ran out. */
  | { readonly verdict: 'expire' }
  /** A first send goes back for approval; a resubmission sends nothing and stands before a person. */
  | { readonly verdict: 'send-back'; readonly reasons: readonly LastCheckProblem[] };

/** The last check before bytes leave. */
export const judgeLastCheck = (facts: LastCheckFacts): LastCheckVerdict => {
  const { nowMs } = facts.eligibility;
  const wait = (waitingFor: WaitingFor): LastCheckVerdict => ({
    verdict: 'wait',
    waitingFor,
    sentence: english.waitingFor[waitingFor],
  });
  const inForce = approvalsInForce(facts);
  // Before every reason to wait: an approval runs out also on hold, without an account and beside what is unexplained.
  if (!facts.resubmission && ranOut(facts, inForce)) return { verdict: 'expire' };
  if (facts.onHold) return wait('hold');
  if (!facts.hasProviderAccount) return wait('provider-account');
  if (!facts.resubmission && facts.undoUntilMs !== null && nowMs < facts.undoUntilMs) return wait('undo');
  if (facts.provider.kind === 'seen' && facts.provider.unaccounted.length > 0) {
    return { verdict: 'settle-first', records: facts.provider.unaccounted };
  }
  const reasons = sendBackReasons(facts, inForce);
  if (reasons.length > 0) return { verdict: 'send-back', reasons };
  if (facts.anotherInFlightOnPayment) return wait('payment');
  if (facts.notBeforeMs !== null && nowMs < facts.notBeforeMs) return wait('provider');
  return facts.provider.kind === 'no-answer' ? wait('provider') : { verdict: 'ok' };
};

/** Approvals of exactly this fingerprint, one a person, the newest of each; not the proposer's own unless policy lets it. */
const approvalsInForce = (facts: LastCheckFacts): readonly Approval[] => {
  const newest = new Map<string, Approval>();
  for (const approval of facts.approvals) {
    if (approval.fingerprint !== facts.fingerprint) continue;
    if ((approval.lacking ?? []).length > 0) continue;
    if (approval.by === facts.proposedBy && !facts.eligibility.policy.proposerMayApprove) continue;
    const known = newest.get(approval.by);
    if (known === undefined || known.atMs < approval.atMs) newest.set(approval.by, approval);
  }
  return [...newest.values()].sort((one, other) => one.atMs - other.atMs);
};

/** When the approval was complete: the instant of the last one needed. */
const completedAtMs = (
  { eligibility: { policy, amount } }: LastCheckFacts,
  inForce: readonly Approval[],
): number | undefined => {
  const completing = inForce.findIndex((_, index) =>
    approvalsSuffice(
      policy,
      amount,
      inForce.slice(0, index + 1).map(({ by }) => by),
    ),
  );
  return inForce[completing]?.atMs;
};

const ranOut = (facts: LastCheckFacts, inForce: readonly Approval[]): boolean => {
  const completed = completedAtMs(facts, inForce);
  const { nowMs, policy } = facts.eligibility;
  return completed !== undefined && nowMs - completed > policy.approvalExpiresAfterMs;
};

const sendBackReasons = (
  facts: LastCheckFacts,
  inForce: readonly Approval[],
): readonly LastCheckProblem[] => {
  const sentences = english.lastCheck;
  const completed = completedAtMs(facts, inForce);
  const seen = facts.provider.kind === 'seen' ? facts.provider : undefined;
  const { payment, amount } = facts.eligibility;
  const reasons: LastCheckProblem[] = [];
  if (completed === undefined) {
    reasons.push({
      reason: 'approvals-not-in-force',
      sentence: sentences.approvalsNotInForce(
        inForce.length,
        approvalsNeededFor(facts.eligibility.policy, amount),
      ),
    });
    reasons.push(...lackingOf(facts));
  }
  reasons.push(
    ...judgeEligibility({
      ...facts.eligibility,
      // The order's age is judged as it was approved, by the policy as it is now: waiting here is not the customer's doing.
      nowMs: completed ?? facts.eligibility.nowMs,
      payment: { ...payment, disputed: payment.disputed || seen?.disputed === true },
      replaces: undefined,
    }),
  );
  const unknownElsewhere = (seen?.refundsElsewhere ?? []).filter(
    ({ reference }) => !facts.elsewhereKnownAtApproval.includes(reference),
  );
  if (unknownElsewhere.length > 0) {
    reasons.push({
      reason: 'refunded-elsewhere',
      sentence: sentences.refundedElsewhere(unknownElsewhere.map(describeRefund)),
    });
  }
  const left = leftWithout(facts);
  if (left < amount.minor) {
    const shown: Amount = { minor: Math.max(0, left), currency: payment.currency };
    reasons.push({ reason: 'too-little-left', sentence: sentences.tooLittleLeft(formatAmount(shown)) });
  }
  if (facts.replaced !== null && tookEffect(facts.replaced)) {
    reasons.push({
      reason: 'replaced-took-effect',
      sentence: sentences.replacedTookEffect(facts.replaced.id),
    });
  }
  return reasons;
};

/** What is wrong with the approvals that do not count, each thing once. */
const lackingOf = ({ approvals, fingerprint }: LastCheckFacts): readonly StandingProblem[] => {
  const lacking = approvals
    .filter((approval) => approval.fingerprint === fingerprint)
    .flatMap((approval) => approval.lacking ?? []);
  return [...new Map(lacking.map((problem) => [problem.sentence, problem])).values()];
};

const describeRefund = ({ reference, amount }: ForeignRefund): string =>
  `${formatAmount(amount)} (${reference})`;

const leftWithout = ({ eligibility: { payment }, ownReservationMinor }: LastCheckFacts): number =>
  payment.captured - payment.refunded - payment.refundedElsewhere - (payment.reserved - ownReservationMinor);

const tookEffect = ({ state, contradicted }: NonNullable<LastCheckFacts['replaced']>): boolean =>
  contradicted || ['confirmed', 'pending', 'submitting', 'outcome_unknown'].includes(state);

import type { Amount } from './amount.ts';
import { judgeEligibility, type EligibilityFacts, type EligibilityProblem } from './eligibility.ts';
import { refundableMinor } from './payment-figures.ts';
import {
  findPossibleDuplicates,
  type DuplicateSubject,
  type LedgerRefund,
  type OtherOperation,
  type PossibleDuplicates,
} from './possible-duplicate.ts';
import type { Actor } from './role.ts';

export type ProposalJudgement<Other extends OtherOperation = OtherOperation> =
  | { readonly kind: 'acceptable' }
  | { readonly kind: 'not-eligible'; readonly reasons: readonly EligibilityProblem[] }
  | ({ readonly kind: 'possible-duplicate' } & PossibleDuplicates<Other>)
  | { readonly kind: 'exceeds-refundable'; readonly refundable: Amount };

/** The refusal ladder of a proposal, in its documented order. Past it the proposal must be accepted. */
export const judgeProposal = <Other extends OtherOperation>(
  facts: EligibilityFacts,
  duplicate: DuplicateSubject,
  others: readonly Other[],
  refunds: readonly LedgerRefund[],
): ProposalJudgement<Other> => {
  const reasons = judgeEligibility(facts);
  if (reasons.length > 0) return { kind: 'not-eligible', reasons };
  const duplicates = findPossibleDuplicates(duplicate, others, refunds);
  if (duplicates.operations.length > 0 || duplicates.elsewhere.length > 0) {
    return { kind: 'possible-duplicate', ...duplicates };
  }
  const refundable = refundableMinor(facts.payment);
  if (facts.amount.minor > refundable) {
    return {
      kind: 'exceeds-refundable',
      refundable: { minor: refundable, currency: facts.payment.currency },
    };
  }
  return { kind: 'acceptable' };
};

/** Only a person, or a key that a person owns, may say that a refund differs from another. */
export const mayDiffer = (actor: Actor): boolean => !actor.assistant && actor.via !== 'ownerless-key';

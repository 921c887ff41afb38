import type { Amount } from './amount.ts';
import { blockingAttention, type AttentionReason } from './attention.ts';
import type { LimitProblem, LimitReason } from './limits.ts';
import { english } from './messages/en.ts';
import type { PaymentFigures } from './payment-figures.ts';
import type { Policy } from './policy.ts';
import type { RefundReason } from './refund-reason.ts';
import type { OperationState } from './state.ts';

export const eligibilityReasons = [
  'payment-not-captured',
  'currency-differs',
  'amount-not-positive',
  'return-not-received',
  'note-missing',
  'reason-not-allowed',
  'too-old',
  'disputed',
  'payment-blocked',
  'cannot-replace',
] as const;
export type EligibilityReason = (typeof eligibilityReasons)[number];
export type EligibilityProblem = {
  readonly reason: EligibilityReason | LimitReason;
  readonly sentence: string;
};

/** Another operation of the same payment, as far as it can stand in the way. */
export type PaymentOperation = { readonly id: string; readonly attention: readonly AttentionReason[] };

export type EligibilityFacts = {
  /** Milliseconds since the epoch, by the database's clock. */
  readonly nowMs: number;
  readonly policy: Policy;
  readonly order: { readonly id: string; readonly placedAtMs: number };
  readonly payment: PaymentFigures;
  readonly returns: readonly { readonly id: string; readonly status: 'expected' | 'received' | 'rejected' }[];
  readonly reason: RefundReason;
  readonly note: string | null;
  readonly returnId: string | null;
  readonly amount: Amount;
  /** The operation judged; it never blocks itself. */
  readonly operationId: string;
  readonly paymentOperations: readonly PaymentOperation[];
  /** Limits that do not let whoever proposes it do so; none: they may. */
  readonly overLimits?: readonly LimitProblem[];
  /** What the proposal names as replaced: `undefined` when it names nothing, `null` when there is no such operation. */
  readonly replaces?: { readonly state: OperationState; readonly orderId: string | null } | null | undefined;
};

/** Every rule that says no, all at once and in this order. Whether enough is left is judged apart, and last. */
export const judgeEligibility = (facts: EligibilityFacts): readonly EligibilityProblem[] => {
  const sentences = english.eligibility;
  const problems: EligibilityProblem[] = [];
  const say = (reason: EligibilityReason, sentence: string): void => {
    problems.push({ reason, sentence });
  };
  if (facts.payment.captured <= 0) say('payment-not-captured', sentences.paymentNotCaptured);
  if (facts.amount.currency !== facts.payment.currency) {
    say('currency-differs', sentences.currencyDiffers(facts.payment.currency, facts.amount.currency));
  }
  if (!Number.isSafeInteger(facts.amount.minor) || facts.amount.minor <= 0) {
    say('amount-not-positive', sentences.amountNotPositive);
  }
  if (facts.reason === 'returned') {
    if (!returnReceived(facts)) {
      say('return-not-received', sentences.returnNotReceived(facts.returnId));
    }
  } else if ((facts.note ?? '').trim() === '') {
    say('note-missing', sentences.noteMissing);
  }
  const { allowedReasons } = facts.policy;
  if (allowedReasons !== null && !allowedReasons.includes(facts.reason)) {
    say('reason-not-allowed', english.policy.reasonNotAllowed);
  }
  if (facts.nowMs - facts.order.placedAtMs > facts.policy.refundWindowMs) {
    say('too-old', sentences.tooOld(Math.floor(facts.policy.refundWindowMs / dayMs)));
  }
  if (facts.payment.disputed) say('disputed', sentences.disputed);
  const blocking = blockingOperations(facts.operationId, facts.paymentOperations);
  if (blocking.length > 0) say('payment-blocked', sentences.paymentBlocked(blocking.map(({ id }) => id)));
  if (facts.replaces !== undefined && !mayBeReplaced(facts.replaces, facts.order.id)) {
    say('cannot-replace', sentences.cannotReplace);
  }
  return [...problems, ...(facts.overLimits ?? [])];
};

const dayMs = 24 * 60 * 60 * 1000;

/** A proposal that names a return is about that return; one that names none is about any of the order's. */
const returnReceived = ({ returns, returnId }: EligibilityFacts): boolean =>
  returns.some(({ id, status }) => status === 'received' && (returnId === null || id === returnId));

/** Operations of the payment, other than this one, whose attention stops every other of that payment. */
export const blockingOperations = (
  ownId: string,
  operations: readonly PaymentOperation[],
): readonly PaymentOperation[] =>
  operations.filter(
    ({ id, attention }) => id !== ownId && attention.some((reason) => blockingAttention.includes(reason)),
  );

/** Ended without the customer having the money. */
const replaceable: readonly OperationState[] = ['failed', 'reversed', 'denied', 'cancelled', 'expired'];

const mayBeReplaced = (
  replaced: NonNullable<EligibilityFacts['replaces']> | null,
  orderId: string,
): boolean => replaced !== null && replaced.orderId === orderId && replaceable.includes(replaced.state);

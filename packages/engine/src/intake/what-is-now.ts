import {
  formatAmount,
  refundableMinor,
  type Amount,
  type OperationState,
  type PaymentFigures,
  type Problem,
} from '@holdfast/operation';
import type { PaymentNeighbour } from './judge-propose.ts';

/** An order and its payment as an approval meets them. */
export type NowFacts = {
  readonly fingerprint: string | null;
  readonly order: { readonly version: number; readonly updatedAt: Date };
  readonly payment: PaymentFigures;
  readonly neighbours: readonly Pick<PaymentNeighbour, 'id' | 'state' | 'amount'>[];
};

type Seen = { readonly refundable: Amount; readonly orderVersion: number };

/** What is, for whoever approved something else than that. */
export const whatIsNow = ({ fingerprint, order, payment }: NowFacts): NonNullable<Problem['now']> & Seen => {
  const figure = (minor: number): Amount => ({ minor, currency: payment.currency });
  return {
    fingerprint,
    refundable: figure(refundableMinor(payment)),
    orderVersion: order.version,
    at: order.updatedAt.toISOString(),
    refundedElsewhere: figure(payment.refundedElsewhere),
    disputed: payment.disputed,
  };
};

const takesMoney: readonly OperationState[] = [
  'approved',
  'submitting',
  'pending',
  'outcome_unknown',
  'confirmed',
];

/**
 * Refunds that take, or may take, money of the payment. Their sentences name people, so they are put in when the
 * verdict is told and are not stored with it.
 */
export const whatTakesMoney = ({
  neighbours,
}: Pick<NowFacts, 'neighbours'>): NonNullable<Problem['operations']> =>
  neighbours
    .filter(({ state }) => takesMoney.includes(state))
    .map(({ id, state, amount }) => ({ id, state, amount, sentence: '' }));

const seesTheSame = (seen: Seen, now: Seen): boolean =>
  seen.orderVersion === now.orderVersion && !differs(seen.refundable, now.refundable);

const differs = (one: Amount, other: Amount): boolean =>
  one.minor !== other.minor || one.currency !== other.currency;

/** What is other than on the approver's screen, in words; `null` where nothing is. */
export const whatChanged = (seen: Seen | undefined, facts: NowFacts): string | null => {
  const now = whatIsNow(facts);
  if (seen === undefined || seesTheSame(seen, now)) return null;
  const unknown = facts.neighbours.filter(({ state }) => state === 'outcome_unknown');
  const sentences = [
    differs(seen.refundable, now.refundable)
      ? `${formatAmount(seen.refundable)} was refundable on your screen, and ${formatAmount(now.refundable)} is now.`
      : null,
    facts.payment.disputed ? 'The payment is disputed.' : null,
    facts.payment.refundedElsewhere > 0
      ? `${formatAmount({ minor: facts.payment.refundedElsewhere, currency: facts.payment.currency })} of it was refunded elsewhere.`
      : null,
    unknown.length > 0 ? 'The outcome of another refund of this payment is not known.' : null,
  ].filter((sentence) => sentence !== null);
  return ['The order has changed since you looked at it.', ...sentences, 'Look at it again.'].join(' ');
};

import type { Competing, Likeness, OperationState } from '@holdfast/operation';
import { amountOf, type StoredOperation } from './operation-view.ts';

/** What of an operation says whether another one competes with it. */
export type CompetingFacts = Pick<
  StoredOperation,
  | 'id'
  | 'state'
  | 'provider'
  | 'paymentReference'
  | 'amountMinor'
  | 'currency'
  | 'returnId'
  | 'lines'
  | 'ticketId'
  | 'proposedBy'
  | 'createdAt'
>;

/** States in which somebody may still decide about it: only then does it matter what else is on the payment. */
export const awaitingStates: readonly OperationState[] = ['proposed', 'approved'];

/** States of another refund that takes, or may take, money of the payment. */
export const competingStates: readonly OperationState[] = [
  'proposed',
  'approved',
  'submitting',
  'pending',
  'outcome_unknown',
  'confirmed',
];

/** Enough for a person to see that there are too many to decide about one of them alone. */
const mostTold = 20;

const likenessOf = (one: CompetingFacts, other: CompetingFacts): Likeness[] => {
  const alike: Likeness[] = [];
  if (one.amountMinor !== null && one.amountMinor === other.amountMinor && one.currency === other.currency) {
    alike.push('amount');
  }
  if (one.returnId !== null && one.returnId === other.returnId) alike.push('return');
  if (one.lines.some(({ sku }) => other.lines.some((line) => line.sku === sku))) alike.push('line');
  if (one.ticketId !== null && one.ticketId === other.ticketId) alike.push('ticket');
  return alike;
};

/**
 * What else is on the payment of something that waits: every refund that is open, and what was carried out already
 * where it looks the same. Oldest first.
 */
export const competingWith = (
  subject: CompetingFacts,
  ofPayment: readonly CompetingFacts[],
  nameOf: (actorId: string) => string,
): readonly Competing[] => {
  if (!awaitingStates.includes(subject.state)) return [];
  return ofPayment
    .filter(
      ({ id, provider, paymentReference, state }) =>
        id !== subject.id &&
        provider === subject.provider &&
        paymentReference === subject.paymentReference &&
        competingStates.includes(state),
    )
    .map((other) => ({ other, alike: likenessOf(subject, other) }))
    .filter(({ other, alike }) => other.state !== 'confirmed' || alike.length > 0)
    .toSorted((one, next) => one.other.createdAt.getTime() - next.other.createdAt.getTime())
    .slice(0, mostTold)
    .map(({ other, alike }) => ({
      id: other.id,
      amount: amountOf(other),
      by: { id: other.proposedBy, name: nameOf(other.proposedBy) },
      state: other.state,
      at: other.createdAt.toISOString(),
      alike,
    }));
};

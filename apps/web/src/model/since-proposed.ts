import type { Amount, Operation, Order } from '@holdfast/operation';

/** One thing that is other than when the refund was proposed. */
export type SinceProposed =
  | { readonly what: 'refundable'; readonly then: Amount; readonly now: Amount }
  | { readonly what: 'refunded-elsewhere'; readonly more: Amount }
  | { readonly what: 'disputed' }
  | { readonly what: 'dispute-over' }
  /** The order itself: a return, a line, or another refund whose outcome is not known. */
  | { readonly what: 'order' };

/**
 * What has changed on the order since the refund was proposed. `null` where it is not known what the order showed then,
 * or what it shows now. What the refund itself has reserved is no change.
 */
export const sinceProposed = (
  { atProposal, amount, state }: Pick<Operation, 'atProposal' | 'amount' | 'state'>,
  order: Order | null,
): readonly SinceProposed[] | null => {
  if (atProposal === undefined || order === null) return null;
  const reserved = state === 'approved' ? (amount?.minor ?? 0) : 0;
  const now = { ...order.refundable, minor: order.refundable.minor + reserved };
  const more = order.refundedElsewhere.minor - atProposal.refundedElsewhere.minor;
  const found: SinceProposed[] = [];
  if (now.minor !== atProposal.refundable.minor) {
    found.push({ what: 'refundable', then: atProposal.refundable, now });
  }
  if (more > 0) found.push({ what: 'refunded-elsewhere', more: { minor: more, currency: now.currency } });
  if (order.disputed && !atProposal.disputed) found.push({ what: 'disputed' });
  if (!order.disputed && atProposal.disputed) found.push({ what: 'dispute-over' });
  if (found.length === 0 && state === 'proposed' && order.version !== atProposal.orderVersion) {
    found.push({ what: 'order' });
  }
  return found;
};

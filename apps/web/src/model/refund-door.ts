import {
  defaultPolicy,
  judgeEligibility,
  type EligibilityProblem,
  type Operation,
  type Order,
  type PaymentFigures,
  type PaymentOperation,
} from '@holdfast/operation';

export const paymentFigures = (order: Order): PaymentFigures => ({
  currency: order.captured.currency,
  captured: order.captured.minor,
  refunded: order.refunded.minor,
  refundedElsewhere: order.refundedElsewhere.minor,
  reserved: order.reserved.minor,
  disputed: order.disputed,
});

export const paymentOperations = (operations: readonly Operation[]): readonly PaymentOperation[] =>
  operations.map(({ id, attention }) => ({ id, attention: attention.map(({ reason }) => reason) }));

/**
 * What stands in the way of any refund of this order, whatever its reason and amount: asked of the same rules that
 * the server judges by, with what this device knows. The server's own judgement follows when it is proposed.
 */
export const reasonsAgainst = (
  order: Order,
  operations: readonly Operation[],
  nowMs: number,
): readonly EligibilityProblem[] =>
  judgeEligibility({
    nowMs,
    policy: defaultPolicy,
    order: { id: order.id, placedAtMs: Date.parse(order.placedAt) },
    payment: paymentFigures(order),
    returns: order.returns,
    // The most lenient intent there is: what is still refused is refused for every intent.
    reason: 'goodwill',
    note: 'any',
    returnId: null,
    amount: { minor: 1, currency: order.captured.currency },
    operationId: '',
    paymentOperations: paymentOperations(operations),
  });

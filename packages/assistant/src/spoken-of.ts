import type { Answer } from './answer.ts';
import type { SpokenOf } from './findings.ts';

/** What an answer was about, so that the next question may say "it"; `undefined` where that is not one order. */
export const spokenOf = (answer: Answer): SpokenOf | undefined => {
  if (answer.kind === 'draft') return { orderId: answer.draft.orderId };
  if (answer.kind === 'report') {
    const { id: operationId, orderId } = answer.operation;
    return orderId === null ? undefined : { orderId, operationId };
  }
  const [order, another] = answer.read.filter(({ what }) => what === 'order');
  return order === undefined || another !== undefined ? undefined : { orderId: order.id };
};

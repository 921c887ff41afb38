import type { Answer } from './answer.ts';
import { ordersInScope, type Scope } from './find-order.ts';
import { nothing, question, type Findings } from './findings.ts';
import { referenceTo } from './reference.ts';

/** What became of something: the durable outcome, in the operation's own sentence. */
export const reportOf = (scope: Scope, found: Findings): Answer => {
  const { named, catalogue } = scope;
  const orders = ordersInScope(scope);
  const tickets = named.tickets.map(({ id }) => id);
  const operations =
    named.operations.length > 0
      ? named.operations
      : catalogue.operations.filter(
          ({ orderId, ticketId }) =>
            orders.some(({ id }) => id === orderId) || (ticketId !== null && tickets.includes(ticketId)),
        );
  found.read.push(...orders.map(referenceTo.order));
  const [operation, another] = operations;
  if (operation === undefined) {
    if (orders.length === 0 && tickets.length === 0 && found.missing.length === 0) {
      found.missing.push({ what: 'request', said: '' });
      return nothing(found, 'no-request');
    }
    found.missing.push({ what: 'operation', said: orders.map(({ id }) => id).join(', ') });
    return nothing(found, 'not-found');
  }
  if (another !== undefined) return question(found, 'which-operation', operations.map(referenceTo.operation));
  return { kind: 'report', operation, ...found };
};

import type { Answer } from './answer.ts';
import type { KnownOperation, KnownOrder } from './catalogue.ts';
import { ordersInScope, type Scope } from './find-order.ts';
import { nothing, question, type Findings } from './findings.ts';
import { referenceTo } from './reference.ts';

/** What is asked of, where the request itself names nothing: what was spoken of before goes before what is open. */
const askedOf = (
  scope: Scope,
): { readonly orders: readonly KnownOrder[]; readonly operations: readonly KnownOperation[] } => {
  const { named, customers, catalogue, beside } = scope;
  const namesNothing = customers.length === 0 && Object.values(named).every((things) => things.length === 0);
  const { before } = beside;
  if (namesNothing && before !== undefined) {
    const ofOrder = catalogue.operations.filter(({ orderId }) => orderId === before.orderId);
    const one = ofOrder.filter(({ id }) => id === before.operationId);
    return {
      orders: catalogue.orders.filter(({ id }) => id === before.orderId),
      operations: one.length > 0 ? one : ofOrder,
    };
  }
  const orders = ordersInScope(scope);
  const tickets = named.tickets.map(({ id }) => id);
  if (named.operations.length > 0) return { orders, operations: named.operations };
  const operations = catalogue.operations.filter(
    ({ orderId, ticketId }) =>
      orders.some(({ id }) => id === orderId) || (ticketId !== null && tickets.includes(ticketId)),
  );
  return { orders, operations };
};

/** What became of something: the durable outcome, in the operation's own sentence. */
export const reportOf = (scope: Scope, found: Findings): Answer => {
  const { orders, operations } = askedOf(scope);
  const tickets = scope.named.tickets;
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

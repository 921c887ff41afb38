import type { Catalogue } from '@holdfast/assistant';
import type { Engine, Page, Principal } from '@holdfast/engine';
import { parseOperationId, type Operation, type Order, type Ticket } from '@holdfast/operation';

type Reads = Pick<Engine, 'getOrder' | 'searchOrders' | 'getTicket' | 'searchTickets' | 'lookUp'>;

export type Gathered = {
  readonly catalogue: Catalogue;
  /** More was found than is looked at: what is not an ID in the request may fit something that was not seen. */
  readonly isPartial: boolean;
};

export type Asked = {
  readonly text: string;
  readonly orderId?: string | undefined;
  readonly ticketId?: string | undefined;
};

/** A request has a handful of names and numbers; whoever writes more is not searched for all of them. */
const mostWords = 16;
const pageLength = 50;
const mostOrdersWithOperations = 24;

const wordsOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[^\p{L}\p{N}_-]+/u)
      .map((word) => word.replace(/^[-_]+|[-_]+$/g, ''))
      .filter((word) => word.length > 3 || /\d/.test(word)),
  ),
];

/** Words that may name somebody or something come first: with a digit, then with a capital. */
const byPromise = (words: readonly string[]): readonly string[] => {
  const rank = (word: string): number => (/\d/.test(word) ? 0 : /^\p{Lu}/u.test(word) ? 1 : 2);
  return words.toSorted((one, other) => rank(one) - rank(other)).slice(0, mostWords);
};

/** Everything of the organisation that a request's words may be about, found by search. */
export const gatherCatalogue = async (
  engine: Reads,
  who: Principal,
  { text, orderId, ticketId }: Asked,
  isStopped: () => boolean,
): Promise<Gathered> => {
  const orders = new Map<string, Order>();
  const tickets = new Map<string, Ticket>();
  const operations = new Map<string, Operation>();
  let isPartial = false;
  const keep = <Item extends { readonly id: string }>(kept: Map<string, Item>, page: Page<Item>): void => {
    for (const item of page.items) kept.set(item.id, item);
    if (page.nextCursor !== null) isPartial = true;
  };
  const words = byPromise(wordsOf(text));
  const exact = (ids: readonly (string | undefined)[]) => ids.filter((id) => id !== undefined);
  for (const id of exact([orderId, ...words.filter((word) => /\d/.test(word))])) {
    const order = await engine.getOrder(who, id);
    if (order !== null) orders.set(order.id, order);
  }
  for (const id of exact([ticketId, ...words.filter((word) => /\d/.test(word))])) {
    const ticket = await engine.getTicket(who, id);
    if (ticket !== null) tickets.set(ticket.id, ticket);
  }
  for (const word of words) {
    if (isStopped()) break;
    keep(orders, await engine.searchOrders(who, word, undefined, pageLength));
    if (/\d/.test(word)) keep(tickets, await engine.searchTickets(who, word, undefined, pageLength));
  }
  for (const ticket of [...tickets.values()]) {
    if (isStopped() || (ticket.id !== ticketId && !text.includes(ticket.id))) continue;
    const order = ticket.orderId === undefined ? null : await engine.getOrder(who, ticket.orderId);
    if (order !== null) orders.set(order.id, order);
    if (ticket.orderId === undefined)
      keep(orders, await engine.searchOrders(who, ticket.customerId, undefined, pageLength));
  }
  const ids = words.filter((word) => parseOperationId(word) !== undefined);
  const known = ids.length === 0 ? {} : (await engine.lookUp(who, ids)).operations;
  for (const operation of Object.values(known)) {
    if (operation === null) continue;
    operations.set(operation.id, operation);
    const order = operation.orderId === null ? null : await engine.getOrder(who, operation.orderId);
    if (order !== null) orders.set(order.id, order);
  }
  for (const { id } of [...orders.values()].slice(0, mostOrdersWithOperations)) {
    if (isStopped()) break;
    const order = await engine.getOrder(who, id);
    for (const operation of order?.operations ?? []) operations.set(operation.id, operation);
  }
  isPartial ||= orders.size > mostOrdersWithOperations;
  return {
    catalogue: {
      orders: [...orders.values()],
      tickets: [...tickets.values()],
      operations: [...operations.values()],
    },
    isPartial,
  };
};

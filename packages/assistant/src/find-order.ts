import type { Answer } from './answer.ts';
import type { Catalogue, KnownOrder } from './catalogue.ts';
import { nothing, question, type Circumstances, type Findings } from './findings.ts';
import { readLines } from './read-lines.ts';
import type { Customer, NamedThings } from './read-references.ts';
import { referenceTo } from './reference.ts';

export type Scope = {
  readonly named: NamedThings;
  readonly customers: readonly Customer[];
  readonly catalogue: Catalogue;
  readonly beside: Circumstances;
};

/** The orders that a request may be about, before its goods are looked at; in one line each, why. */
export const ordersInScope = ({ named, customers, catalogue, beside }: Scope): readonly KnownOrder[] => {
  const withIds = (ids: readonly (string | null | undefined)[]) =>
    catalogue.orders.filter(({ id }) => ids.includes(id));
  const ofCustomers = (ids: readonly string[]) =>
    catalogue.orders.filter(({ customer }) => ids.includes(customer.id));
  if (named.orders.length > 0) return named.orders;
  if (named.unknownOrders.length > 0 || named.unknownTickets.length > 0) return [];
  if (named.operations.length > 0) return withIds(named.operations.map(({ orderId }) => orderId));
  const ofTicket = (tickets: NamedThings['tickets']) =>
    tickets.flatMap((ticket) =>
      ticket.orderId === undefined ? ofCustomers([ticket.customerId]) : withIds([ticket.orderId]),
    );
  if (named.tickets.length > 0) return ofTicket(named.tickets);
  if (customers.length > 0) return ofCustomers(customers.map(({ id }) => id));
  if (beside.orderId !== undefined) return withIds([beside.orderId]);
  return ofTicket(catalogue.tickets.filter(({ id }) => id === beside.ticketId));
};

const namesSomething = ({ named, customers, beside }: Scope): boolean =>
  customers.length > 0 ||
  beside.orderId !== undefined ||
  beside.ticketId !== undefined ||
  Object.values(named).some((things) => things.length > 0);

export type FoundOrder =
  | { readonly kind: 'order'; readonly order: KnownOrder }
  | { readonly kind: 'answer'; readonly answer: Answer };

/** Orders that are looked through for a suggestion, and for nothing else: a long list must not take long. */
const mostLookedThrough = 200;

/** The one order a refund is asked of. Goods choose between a customer's orders; nothing else is guessed from. */
export const findOrder = (scope: Scope, text: string, found: Findings): FoundOrder => {
  const answer = (one: Answer): FoundOrder => ({ kind: 'answer', answer: one });
  const candidates = ordersInScope(scope);
  if (candidates.length === 0) {
    if (namesSomething(scope)) {
      const ticket = scope.named.tickets[0];
      if (ticket?.orderId !== undefined) found.missing.push({ what: 'order', said: ticket.orderId });
      return answer(nothing(found, 'not-found'));
    }
    const goods = scope.catalogue.orders
      .slice(0, mostLookedThrough)
      .filter(({ lines }) => readLines(text, lines).mentions.length > 0);
    return answer(question(found, 'which-order', goods.slice(0, 10).map(referenceTo.order)));
  }
  const isNamed = scope.named.orders.length > 0;
  const fitting =
    isNamed || candidates.length === 1
      ? candidates
      : candidates.filter(({ lines }) => readLines(text, lines).mentions.length > 0);
  const [order, another] = fitting;
  if (order === undefined || another !== undefined) {
    return answer(question(found, 'which-order', candidates.slice(0, 10).map(referenceTo.order)));
  }
  const others = scope.customers.filter(({ id }) => id === order.customer.id);
  if (isNamed && scope.customers.length > 0 && others.length === 0) {
    return answer(question(found, 'order-and-customer-differ', [referenceTo.order(order)]));
  }
  if (isNamed && scope.named.unknownOrders.length > 0)
    return answer(question(found, 'which-order', [referenceTo.order(order)]));
  return { kind: 'order', order };
};

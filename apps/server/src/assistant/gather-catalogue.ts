import type { Catalogue, SpokenOf } from '@holdfast/assistant';
import type { Engine, Page, Principal } from '@holdfast/engine';
import { parseOperationId, type Operation, type Order, type Ticket } from '@holdfast/operation';
import { saysName } from './says-name.ts';

type Reads = Pick<Engine, 'getOrder' | 'searchOrders' | 'getTicket' | 'searchTickets' | 'lookUp'>;

export type Gathered = {
  readonly catalogue: Catalogue;
  /** Words of which more was found than is looked at: what they name may be something that was not seen. */
  readonly cutShort: readonly string[];
};

export type Asked = {
  readonly text: string;
  readonly orderId?: string | undefined;
  readonly ticketId?: string | undefined;
  readonly before?: SpokenOf | undefined;
};

/** A request has a handful of names and numbers; whoever writes more is not searched for all of them. */
const mostWords = 16;
const pageLength = 50;
const mostOrdersWithOperations = 24;
const mostCustomers = 8;

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

/** Orders of a customer of whose name the request has a word. */
const namedIn = (text: string, orders: readonly Order[]): readonly Order[] => {
  const said = new Set(wordsOf(text).map((word) => word.toLowerCase()));
  return orders.filter(({ customer }) => wordsOf(customer.name).some((word) => said.has(word.toLowerCase())));
};

/** What was found so far. */
type Found = {
  readonly orders: Map<string, Order>;
  readonly tickets: Map<string, Ticket>;
  readonly operations: Map<string, Operation>;
  readonly cutShort: string[];
};

type Search = {
  readonly engine: Reads;
  readonly who: Principal;
  readonly asked: Asked;
  readonly words: readonly string[];
  readonly found: Found;
  readonly isStopped: () => boolean;
};

const keep = <Item extends { readonly id: string }>(
  { cutShort }: Found,
  kept: Map<string, Item>,
  page: Page<Item>,
  word: string,
): void => {
  for (const item of page.items) kept.set(item.id, item);
  if (page.nextCursor !== null) cutShort.push(word);
};

const keepOrder = async ({ engine, who, found }: Search, id: string | null | undefined): Promise<void> => {
  const order = id === null || id === undefined ? null : await engine.getOrder(who, id);
  if (order !== null) found.orders.set(order.id, order);
};

/** By what stands in the request itself: IDs exactly, and every word in whatever is searched. */
const searchWords = async (search: Search): Promise<void> => {
  const { engine, who, asked, words, found, isStopped } = search;
  const numbered = words.filter((word) => /\d/.test(word));
  for (const id of [asked.orderId, asked.before?.orderId, ...numbered]) await keepOrder(search, id);
  for (const id of [asked.ticketId, ...numbered]) {
    const ticket = id === undefined ? null : await engine.getTicket(who, id);
    if (ticket !== null) found.tickets.set(ticket.id, ticket);
  }
  for (const word of words) {
    if (isStopped()) return;
    keep(found, found.orders, await engine.searchOrders(who, word, undefined, pageLength), word);
    if (!numbered.includes(word)) continue;
    keep(found, found.tickets, await engine.searchTickets(who, word, undefined, pageLength), word);
  }
  const ids = words.filter((word) => parseOperationId(word) !== undefined);
  const known = ids.length === 0 ? {} : (await engine.lookUp(who, ids)).operations;
  for (const operation of Object.values(known)) {
    if (operation === null) continue;
    found.operations.set(operation.id, operation);
    await keepOrder(search, operation.orderId);
  }
};

/** The orders of the tickets and the customers that are named. Answers whose they are. */
const followNames = async (search: Search): Promise<ReadonlySet<string>> => {
  const { engine, who, asked, found, isStopped } = search;
  const named = namedIn(asked.text, [...found.orders.values()]);
  const customers = new Set(named.map(({ customer }) => customer.id));
  for (const ticket of found.tickets.values()) {
    if (ticket.id !== asked.ticketId && !saysName(asked.text, ticket.id)) continue;
    await keepOrder(search, ticket.orderId);
    if (ticket.orderId === undefined) customers.add(ticket.customerId);
  }
  // Of who is named, every order: which one is meant can be told only among all of them.
  for (const id of [...customers].slice(0, mostCustomers)) {
    if (isStopped()) break;
    keep(found, found.orders, await engine.searchOrders(who, id, undefined, pageLength), id);
  }
  return customers;
};

/** The refunds of the orders that are likeliest meant. */
const readOperations = async (
  { engine, who, asked, found, isStopped }: Search,
  customers: ReadonlySet<string>,
): Promise<void> => {
  const rankOf = ({ id, customer }: Order): number => {
    if (id === asked.orderId || id === asked.before?.orderId || saysName(asked.text, id)) return 0;
    return customers.has(customer.id) ? 1 : 2;
  };
  const likely = [...found.orders.values()].toSorted((one, other) => rankOf(one) - rankOf(other));
  for (const { id } of likely.slice(0, mostOrdersWithOperations)) {
    if (isStopped()) return;
    const order = await engine.getOrder(who, id);
    for (const operation of order?.operations ?? []) found.operations.set(operation.id, operation);
  }
};

/** Everything of the organisation that a request's words may be about, found by search. */
export const gatherCatalogue = async (
  engine: Reads,
  who: Principal,
  asked: Asked,
  isStopped: () => boolean,
): Promise<Gathered> => {
  const found: Found = { orders: new Map(), tickets: new Map(), operations: new Map(), cutShort: [] };
  const search: Search = { engine, who, asked, words: byPromise(wordsOf(asked.text)), found, isStopped };
  await searchWords(search);
  await readOperations(search, await followNames(search));
  const { orders, tickets, operations, cutShort } = found;
  return {
    catalogue: {
      orders: [...orders.values()],
      tickets: [...tickets.values()],
      operations: [...operations.values()],
    },
    cutShort,
  };
};

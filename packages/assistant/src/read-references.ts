import type { Catalogue, KnownOperation, KnownOrder, KnownTicket } from './catalogue.ts';
import { foldLetters, foldRequest } from './folded.ts';
import { numberWord, orderWord, ticketWord } from './phrases.ts';
import { escaped, words, type RequestText } from './request-text.ts';

/** What a request names by number, ID or name. */
export type NamedThings = {
  readonly orders: readonly KnownOrder[];
  readonly unknownOrders: readonly string[];
  readonly tickets: readonly KnownTicket[];
  readonly unknownTickets: readonly string[];
  readonly operations: readonly KnownOperation[];
  readonly returnIds: readonly string[];
};

const folded = (id: string): string => foldRequest(id).trim();

const withId = <Item extends { readonly id: string }>(items: readonly Item[], id: string): readonly Item[] =>
  items.filter((item) => folded(item.id) === id);

const identifier = '[^ ·§€$£]*\\d[^ ·§]*';
const joined = `(?:(?:and|und|en|et|y|or|oder|ou|o|of|&) (${identifier})(?! (?:€|\\$|£|euros?|eur|dollars?|usd)))`;

/** "Order 1042", "Bestellung Nr. 1042", "#1042", "orders 1042 and 1049". */
const takeNumbered = (request: RequestText, word: string, mark: '§o' | '§t'): readonly string[] =>
  request
    .take(
      words(`(?:${word}(?: ${numberWord})*|${mark === '§o' ? '#' : word}) (${identifier})(?: ${joined})?`),
      mark,
    )
    .flatMap(([, one, other]) => [one, other])
    .filter((id) => id !== undefined);

/** IDs of things we know, wherever they stand. */
const takeKnown = <Item>(
  request: RequestText,
  items: readonly Item[],
  idOf: (item: Item) => string,
  mark: '§o' | '§t' | '§r' | '§c',
): readonly Item[] =>
  items.filter((item) => {
    const id = folded(idOf(item));
    return (
      id !== '' && request.text().includes(` ${id} `) && request.take(words(escaped(id)), mark).length > 0
    );
  });

const isNumber = (id: string): boolean => /^\d+$/.test(id);

export const readNumbered = (
  request: RequestText,
): { orders: readonly string[]; tickets: readonly string[] } => ({
  orders: takeNumbered(request, orderWord, '§o'),
  tickets: takeNumbered(request, ticketWord, '§t'),
});

/** After amounts were read, so that "EUR 1042" is none of the orders. */
export const readReferences = (
  request: RequestText,
  { orders, tickets, operations }: Catalogue,
  numbered: ReturnType<typeof readNumbered>,
): NamedThings => {
  const byNumber = numbered.orders.flatMap((id) => withId(orders, id));
  const returned = orders.flatMap((order) => order.returns.map(({ id }) => ({ id, order })));
  const ofReturns = takeKnown(request, returned, ({ id }) => id, '§r');
  const ofPayments = takeKnown(request, orders, ({ payment }) => payment.reference, '§o');
  const ofTickets = takeKnown(request, tickets, ({ id }) => id, '§t');
  const ofOperations = takeKnown(request, operations, ({ id }) => id, '§o');
  const bare = takeKnown(
    request,
    orders.filter(({ id }) => byNumber.length === 0 || !isNumber(id)),
    ({ id }) => id,
    '§o',
  );
  return {
    orders: [...new Set([...byNumber, ...ofPayments, ...ofReturns.map(({ order }) => order), ...bare])],
    unknownOrders: numbered.orders.filter((id) => withId(orders, id).length === 0),
    tickets: [...new Set([...numbered.tickets.flatMap((id) => withId(tickets, id)), ...ofTickets])],
    unknownTickets: numbered.tickets.filter((id) => withId(tickets, id).length === 0),
    operations: ofOperations,
    returnIds: ofReturns.map(({ id }) => id),
  };
};

export type Customer = KnownOrder['customer'];

const nameWords = (name: string): readonly string[] =>
  foldLetters(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);

/** Customers whose whole name is said; else those of whom one name is. */
export const readCustomers = (request: RequestText, orders: readonly KnownOrder[]): readonly Customer[] => {
  const customers = [...new Map(orders.map(({ customer }) => [customer.id, customer])).values()];
  const byId = takeKnown(request, customers, ({ id }) => id, '§c');
  if (byId.length > 0) return byId;
  const text = request.text();
  const says = (name: string) => text.includes(` ${name} `);
  const whole = customers.filter(({ name }) => says(nameWords(name).join(' ')));
  const said =
    whole.length > 0
      ? whole
      : customers.filter(({ name }) => nameWords(name).some((one) => one.length > 2 && says(one)));
  const names = said.flatMap(({ name }) => nameWords(name)).filter(says);
  if (names.length > 0) request.take(words([...new Set(names)].map(escaped).join('|')), '§c');
  return said;
};

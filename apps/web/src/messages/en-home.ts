/** What a person sees first. Apart from the other screens' words, which come with those screens. */
export const home = {
  title: 'Home',
  search: 'Ticket, order, customer or amount',
  needsYou: 'Needs you',
  waiting: 'Waiting',
  recent: 'Recent',
  empty: 'Find the order that a customer asks about. What you propose appears here, with its true state.',
  nothingWaiting: 'Nothing of yours is waiting.',
  results: (count: number) => (count === 0 ? 'Nothing found' : count === 1 ? '1 found' : `${count} found`),
  ordersFound: 'Orders',
  ticketsFound: 'Tickets',
  operationsFound: 'Refunds',
  nothingFound: (text: string) => `Nothing on this device matches “${text}”.`,
  nothingFoundAnywhere: (text: string) => `Nothing matches “${text}”, here or at Holdfast.`,
  notAskedHoldfast: 'Holdfast cannot be asked right now. With a connection there may be more.',
  draftOf: (order: string) => `Draft for order ${order}`,
};

const providers: Record<string, string> = { stripe: 'Stripe' };

/** One operation as a row, wherever rows stand. */
export const row = {
  forgottenTitle: 'Cancelled before it was proposed',
  provider: (name: string) => providers[name] ?? name,
  droppedHere: 'Dropped on this device before it was sent. Holdfast never heard of it.',
  refusedHere: 'Holdfast did not accept it. It is still on this device.',
};

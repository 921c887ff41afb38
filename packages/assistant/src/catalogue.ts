import type { Operation, Order, Ticket } from '@holdfast/operation';

type Figure = Order['refundable'];

/** What of an order the interpreter reads: the server's own record of it, or what a device has synced. */
export type KnownOrder = Pick<Order, 'id' | 'customer' | 'lines' | 'placedAt'> & {
  readonly payment: { readonly reference: string };
  readonly returns: readonly Pick<Order['returns'][number], 'id' | 'status'>[];
  readonly captured: Figure;
  readonly refundable: Figure;
};

/** A ticket is a reference to an order and a customer. What somebody wrote in it is passed on as a quotation, unread. */
export type KnownTicket = Pick<Ticket, 'id' | 'subject' | 'customerId'> & {
  readonly orderId?: string | undefined;
  readonly messages?: Ticket['messages'];
};

export type KnownOperation = Pick<
  Operation,
  'id' | 'orderId' | 'ticketId' | 'state' | 'amount' | 'lines' | 'sentence'
>;

/** Everything that may be found. What is not in it does not exist for the interpreter. */
export type Catalogue = {
  readonly orders: readonly KnownOrder[];
  readonly tickets: readonly KnownTicket[];
  readonly operations: readonly KnownOperation[];
};

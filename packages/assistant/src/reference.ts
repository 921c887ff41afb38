import { formatAmount } from '@holdfast/operation';
import type { Reference } from './answer.ts';
import type { KnownOperation, KnownOrder, KnownTicket } from './catalogue.ts';

/** What was read, as something a person can open. */
export const referenceTo = {
  order: ({ id, customer }: KnownOrder): Reference => ({ what: 'order', id, title: customer.name }),
  ticket: ({ id, subject }: KnownTicket): Reference => ({ what: 'ticket', id, title: subject }),
  customer: ({ id, name }: KnownOrder['customer']): Reference => ({ what: 'customer', id, title: name }),
  line: ({ sku, title }: KnownOrder['lines'][number]): Reference => ({ what: 'line', id: sku, title }),
  returned: ({ id, status }: KnownOrder['returns'][number]): Reference => ({
    what: 'return',
    id,
    title: status,
  }),
  operation: ({ id, amount, sentence }: KnownOperation): Reference => ({
    what: 'operation',
    id,
    title: `${amount === null ? '' : `${formatAmount(amount)}: `}${sentence}`,
  }),
};

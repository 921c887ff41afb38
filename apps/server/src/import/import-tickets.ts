import type { Engine, Principal } from '@holdfast/engine';
import { ticketInputSchema, type Ticket, type TicketInput } from '@holdfast/operation';
import { BadCell, every, optional, reasonOf, required, timeIn } from './cell.ts';
import type { Row } from './csv-file.ts';
import { importFile, type Gathering, type ImportReport } from './grouped-import.ts';

/**
 * Columns of a tickets file: one row a message, rows of one ticket together. `order_id` and the three `message_`
 * columns may be empty; a ticket without messages is one row.
 */
export const ticketColumns = [
  ...['ticket_id', 'subject', 'customer_id', 'order_id', 'status'],
  ...['message_at', 'message_from', 'message_text'],
] as const;

type TicketHead = Omit<TicketInput, 'messages'>;
type Message = NonNullable<TicketInput['messages']>[number];

const statusIn = (row: Row): TicketHead['status'] => {
  const status = required(row, 'status');
  if (status === 'open' || status === 'closed') return status;
  throw new BadCell(`status "${status}" is not one of open, closed`);
};

const headIn = (row: Row): TicketHead => {
  const orderId = optional(row, 'order_id');
  return {
    ...every({
      subject: () => required(row, 'subject'),
      customerId: () => required(row, 'customer_id'),
      status: () => statusIn(row),
    }),
    ...(orderId === undefined ? {} : { orderId }),
  };
};

const messageIn = (row: Row): Message | undefined => {
  if (['message_at', 'message_from', 'message_text'].every((column) => optional(row, column) === undefined)) {
    return undefined;
  }
  return every({
    at: () => timeIn(required(row, 'message_at'), 'message_at'),
    from: () => required(row, 'message_from'),
    text: () => required(row, 'message_text'),
  });
};

export const gatherTicket = (): Gathering<TicketInput> => {
  let head: TicketHead | undefined;
  const messages: Message[] = [];

  const headLikeFirst = (row: Row): TicketHead => {
    const found = headIn(row);
    if (head === undefined || JSON.stringify(head) === JSON.stringify(found)) return found;
    throw new BadCell('subject, customer, order or status differ from the first row of this ticket');
  };

  const takeRow = (row: Row): void => {
    const { found, message } = every({ found: () => headLikeFirst(row), message: () => messageIn(row) });
    const parsed = ticketInputSchema.safeParse({
      ...found,
      messages: message === undefined ? [] : [message],
    });
    if (!parsed.success) {
      throw new BadCell(
        ...parsed.error.issues.map(({ path, message: fault }) => `${path.join('.') || 'ticket'}: ${fault}`),
      );
    }
    head = found;
    if (message !== undefined) messages.push(message);
  };

  return {
    take: (row) =>
      reasonOf(() => {
        takeRow(row);
      }),
    finish: () => (head === undefined ? undefined : { ...head, messages }),
  };
};

/** Takes a help desk's export. The same file again changes nothing. */
export const importTickets = (engine: Engine, who: Principal, file: string): Promise<ImportReport> =>
  importFile<TicketInput, Ticket>(file, {
    columns: ticketColumns,
    idColumn: 'ticket_id',
    gather: gatherTicket,
    put: (id, input) => engine.putTicket(who, id, input),
  });

import { minorUnitDigits } from '@holdfast/operation';
import type { Amount, Operation, Order, Proposal, Ticket } from '@holdfast/operation';

/** Lower case, without accents, so that "Muller" finds "Müller". */
export const foldText = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** An amount as people type it, with either decimal mark, for finding only. */
const amountText = ({ minor, currency }: Amount): string => {
  const digits = minorUnitDigits(currency) ?? 0;
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  if (digits === 0) return `${text} ${currency}`;
  const whole = text.slice(0, -digits);
  const part = text.slice(-digits);
  return `${whole}.${part} ${whole},${part} ${currency}`;
};

export const searchTextOfOrder = (order: Order): string =>
  foldText(
    [
      order.id,
      order.customer.id,
      order.customer.name,
      order.payment.reference,
      amountText(order.captured),
      ...order.lines.flatMap(({ sku, title }) => [sku, title]),
      ...order.returns.map(({ id }) => id),
    ].join(' '),
  );

export const searchTextOfTicket = (ticket: Ticket): string =>
  foldText(
    [
      ticket.id,
      ticket.subject,
      ticket.customerId,
      ticket.orderId ?? '',
      ...(ticket.messages ?? []).flatMap(({ from, text }) => [from, text]),
    ].join(' '),
  );

export const searchTextOfOperation = (operation: Operation): string =>
  foldText(
    [
      operation.id,
      operation.orderId ?? '',
      operation.ticketId ?? '',
      operation.customerId ?? '',
      operation.paymentReference ?? '',
      operation.provider.reference ?? '',
      operation.proposedBy.name,
      operation.note ?? '',
      operation.amount ? amountText(operation.amount) : '',
    ].join(' '),
  );

export const searchTextOfProposal = (proposal: Proposal): string =>
  foldText(
    [proposal.orderId, proposal.ticketId ?? '', proposal.note ?? '', amountText(proposal.amount)].join(' '),
  );

/** Every word of the question occurs somewhere. `text` is folded already. */
export const matches = (text: string, question: string): boolean =>
  foldText(question)
    .split(/\s+/)
    .every((word) => text.includes(word));

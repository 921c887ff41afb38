import {
  refundableMinor,
  type AtProposal,
  type Order,
  type PaymentFigures,
  type Ticket,
} from '@holdfast/operation';

export type StoredOrder = {
  readonly orderId: string;
  readonly version: number;
  readonly customerId: string;
  readonly customerName: string;
  readonly provider: string;
  readonly paymentReference: string;
  readonly lines: Order['lines'];
  readonly placedAt: Date;
  readonly updatedAt: Date;
};

export type StoredReturn = {
  readonly returnId: string;
  readonly status: Order['returns'][number]['status'];
  readonly receivedAt: Date | null;
};

export type StoredTicket = {
  readonly ticketId: string;
  readonly version: number;
  readonly subject: string;
  readonly customerId: string;
  readonly orderId: string | null;
  readonly status: Ticket['status'];
  readonly messages: NonNullable<Ticket['messages']>;
  readonly updatedAt: Date;
};

/** An order as people see it: the shop's record beside what its payment has left. */
export const viewOfOrder = (
  stored: StoredOrder,
  payment: PaymentFigures,
  returns: readonly StoredReturn[],
  operationIds: readonly string[],
): Order => {
  const figure = (minor: number): { minor: number; currency: string } => ({
    minor,
    currency: payment.currency,
  });
  return {
    id: stored.orderId,
    version: stored.version,
    customer: { id: stored.customerId, name: stored.customerName },
    payment: {
      provider: stored.provider,
      reference: stored.paymentReference,
      captured: figure(payment.captured),
    },
    lines: stored.lines,
    returns: returns.map(({ returnId, status, receivedAt }) => ({
      id: returnId,
      status,
      ...(receivedAt === null ? {} : { receivedAt: receivedAt.toISOString() }),
    })),
    placedAt: stored.placedAt.toISOString(),
    captured: figure(payment.captured),
    refunded: figure(payment.refunded),
    refundedElsewhere: figure(payment.refundedElsewhere),
    reserved: figure(payment.reserved),
    refundable: figure(refundableMinor(payment)),
    disputed: payment.disputed,
    operationIds: [...operationIds],
    updatedAt: stored.updatedAt.toISOString(),
  };
};

/** What is kept of it with a proposal. */
export const shownByOrder = (
  { version }: { readonly version: number },
  payment: PaymentFigures,
): AtProposal => ({
  orderVersion: version,
  refundable: { minor: refundableMinor(payment), currency: payment.currency },
  refundedElsewhere: { minor: payment.refundedElsewhere, currency: payment.currency },
  disputed: payment.disputed,
});

/** A ticket with what Holdfast adds to it: how its operations ended. */
export const viewOfTicket = (stored: StoredTicket, outcomes: Ticket['outcomes']): Ticket => ({
  id: stored.ticketId,
  version: stored.version,
  subject: stored.subject,
  customerId: stored.customerId,
  ...(stored.orderId === null ? {} : { orderId: stored.orderId }),
  status: stored.status,
  messages: stored.messages,
  updatedAt: stored.updatedAt.toISOString(),
  outcomes,
});

import {
  canonicalJson,
  type JsonValue,
  type OrderInput,
  type Problem,
  type TicketInput,
} from '@holdfast/operation';
import { judgeCapturedMoney, type ProviderUnits } from '../intake/judge-provider-money.ts';
import { problemOf } from '../intake/problem.ts';

/** What is stored of an order that the shop's record can change. */
export type KnownOrder = {
  readonly customer: OrderInput['customer'];
  readonly payment: Omit<OrderInput['payment'], 'provider'> & { readonly provider: string };
  readonly lines: OrderInput['lines'];
  readonly returns: OrderInput['returns'];
  readonly placedAt: string;
};

export type OrderFacts = {
  readonly orderId: string;
  readonly known: KnownOrder | undefined;
  /** An operation of this order exists: it was proposed, and perhaps approved, on the payment it has now. */
  readonly usedByOperations: boolean;
  /** Another organisation holds the payment at the same provider account. */
  readonly heldByAnother: boolean;
  /** Currency of the payment as it is known here, and whether any operation uses it. */
  readonly paymentCurrency: string | undefined;
  readonly paymentUsed: boolean;
};

export type OrderVerdict =
  | { readonly kind: 'refuse'; readonly problem: Problem }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'write'; readonly created: boolean };

/** Whether the shop's record of an order is taken in as it comes. */
export const judgeOrder = (
  input: OrderInput,
  facts: OrderFacts,
  units: ProviderUnits | undefined,
): OrderVerdict => {
  const unsayable = judgeCapturedMoney(units, input.payment.captured);
  if (unsayable !== undefined) return { kind: 'refuse', problem: unsayable };
  const refuse = (detail: string): OrderVerdict => ({
    kind: 'refuse',
    problem: problemOf('too-late', detail),
  });
  if (facts.heldByAnother) {
    return refuse(`Payment ${input.payment.reference} belongs to another organisation's order.`);
  }
  const { known } = facts;
  const repointed =
    known !== undefined &&
    (known.payment.reference !== input.payment.reference ||
      known.payment.provider !== input.payment.provider);
  if (repointed && facts.usedByOperations) {
    return refuse(
      `Order ${facts.orderId} stays on payment ${known.payment.reference}: an operation uses it.`,
    );
  }
  if (
    facts.paymentUsed &&
    facts.paymentCurrency !== undefined &&
    facts.paymentCurrency !== input.payment.captured.currency
  ) {
    return refuse(
      `Payment ${input.payment.reference} is in ${facts.paymentCurrency}, and an operation uses it.`,
    );
  }
  if (known === undefined) return { kind: 'write', created: true };
  return sameOrder(known, input) ? { kind: 'unchanged' } : { kind: 'write', created: false };
};

const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;

const sameOrder = (known: KnownOrder, input: OrderInput): boolean =>
  canonicalJson(plain(comparable(known))) === canonicalJson(plain(comparable(input)));

const comparable = ({ customer, payment, lines, returns, placedAt }: KnownOrder) => ({
  customer,
  payment,
  lines,
  // A return that was received at an instant is the same return whatever the way its time is written.
  returns: [...returns]
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, status, receivedAt }) => ({
      id,
      status,
      at: receivedAt === undefined ? null : Date.parse(receivedAt),
    })),
  placedAtMs: Date.parse(placedAt),
});

export type KnownTicket = TicketInput;

export const sameTicket = (known: KnownTicket, input: TicketInput): boolean =>
  canonicalJson(plain(comparableTicket(known))) === canonicalJson(plain(comparableTicket(input)));

const comparableTicket = ({ subject, customerId, orderId, status, messages }: TicketInput) => ({
  subject,
  customerId,
  orderId: orderId ?? null,
  status,
  messages: (messages ?? []).map(({ at, from, text }) => ({ atMs: Date.parse(at), from, text })),
});

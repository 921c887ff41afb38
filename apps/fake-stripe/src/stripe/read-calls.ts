import type Stripe from 'stripe';
import type { ApiCall } from '../faults/fault.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { disputesOf, paymentByCharge, refundsOf } from '../ledger/questions.ts';
import type { DisputeRecord, EventRecord, PaymentRecord, RefundRecord } from '../ledger/records.ts';
import { toDispute } from './dispute-object.ts';
import { toEvent } from './event-object.ts';
import { expand } from './expand.ts';
import { listPage, type Listed, type ListingRules } from './listing.ts';
import { type Parameters, readList } from './parameters.ts';
import { toCharge, toPaymentIntent } from './payment-object.ts';
import { refundedAmount, toRefund } from './refund-object.ts';
import { missingResource, type Refusal } from './refusal.ts';

export interface ReadQuestion {
  ledger: Ledger;
  id: string;
  parameters: Parameters;
  nowMs: number;
  /** By the fault `hide_from_list` on the listing itself: refunds younger than this do not show. */
  hideYoungerThanMs: number;
}

export type ReadAnswer = { value: unknown } | { refusal: Refusal };
export type ReadCall = Exclude<ApiCall, 'refund.create'>;

/** Stripe keeps events for 30 days. */
const eventsKeptSeconds = 30 * 24 * 60 * 60;

export const readCalls: Record<ReadCall, (question: ReadQuestion) => ReadAnswer> = {
  'refund.list': listRefunds,
  'refund.retrieve': ({ ledger, id, parameters }) => {
    const refund = ledger.refunds.get(id);
    if (refund === undefined) return { refusal: missingResource('refund', id, 'id') };
    return { value: expand(ledger, toRefund(refund), readList(parameters, 'expand')) };
  },
  'payment_intent.retrieve': ({ ledger, id, parameters }) => {
    const payment = ledger.payments.get(id);
    if (payment === undefined) return { refusal: missingResource('payment_intent', id, 'intent') };
    return { value: expand(ledger, toPaymentIntent(payment), readList(parameters, 'expand')) };
  },
  'charge.retrieve': ({ ledger, id }) => {
    const payment = paymentByCharge(ledger, id);
    if (payment === undefined) return { refusal: missingResource('charge', id, 'id') };
    return { value: toCharge(payment, refundsOf(ledger, payment.id), disputesOf(ledger, payment.id)) };
  },
  'dispute.list': listDisputes,
  'dispute.retrieve': ({ ledger, id }) => {
    const dispute = ledger.disputes.get(id);
    if (dispute === undefined) return { refusal: missingResource('dispute', id, 'id') };
    return { value: toDispute(dispute) };
  },
  'event.list': listEvents,
  'event.retrieve': ({ ledger, id }) => {
    const event = ledger.events.get(id);
    if (event === undefined) return { refusal: missingResource('event', id, 'id') };
    return { value: toEvent(event, ledger.deliveries.get(id)) };
  },
  'account.retrieve': () => ({ value: account }),
  'balance.retrieve': ({ ledger }) => ({ value: balance(ledger) }),
};

const account: Stripe.Account = {
  id: 'acct_1HoldfastFakeStripe',
  object: 'account',
  charges_enabled: true,
  country: 'DE',
  default_currency: 'eur',
  details_submitted: true,
  email: null,
  payouts_enabled: true,
  type: 'standard',
};

function listRefunds(question: ReadQuestion): ReadAnswer {
  const { ledger, parameters, nowMs, hideYoungerThanMs } = question;
  const rules: ListingRules = { kind: 'refund', url: '/v1/refunds', filters: ['payment_intent', 'charge'] };
  const aimed = samePayment(ledger, parameters);
  if ('refusal' in aimed) return aimed;
  const hidden = (refund: RefundRecord) =>
    (refund.hiddenFromListUntilMs !== null && nowMs < refund.hiddenFromListUntilMs) ||
    nowMs - refund.created * 1000 < hideYoungerThanMs;
  const refunds = aimed.payment === null ? [...ledger.refunds.values()] : refundsOf(ledger, aimed.payment);
  return page(
    refunds,
    parameters,
    rules,
    (refund) => !hidden(refund),
    (refund) => toRefund(refund),
  );
}

function listDisputes({ ledger, parameters }: ReadQuestion): ReadAnswer {
  const rules: ListingRules = { kind: 'dispute', url: '/v1/disputes', filters: ['payment_intent', 'charge'] };
  const aimed = samePayment(ledger, parameters);
  if ('refusal' in aimed) return aimed;
  const keep = (dispute: DisputeRecord) => aimed.payment === null || dispute.paymentIntent === aimed.payment;
  return page([...ledger.disputes.values()], parameters, rules, keep, toDispute);
}

function listEvents({ ledger, parameters, nowMs }: ReadQuestion): ReadAnswer {
  const filters = ['type', 'types', 'delivery_success'];
  const rules: ListingRules = { kind: 'event', url: '/v1/events', filters };
  const type = parameters.get('type');
  const types = type === undefined ? readList(parameters, 'types') : [type];
  const delivered = parameters.get('delivery_success');
  const oldest = Math.floor(nowMs / 1000) - eventsKeptSeconds;
  const keep = (event: EventRecord) => {
    const state = ledger.deliveries.get(event.id)?.state;
    const reached = state === 'delivered' || state === 'unaddressed';
    return (
      event.created >= oldest &&
      (types.length === 0 || types.some((wanted) => typeMatches(event.type, wanted))) &&
      (delivered === undefined || delivered === String(reached))
    );
  };
  return page([...ledger.events.values()], parameters, rules, keep, (event) =>
    toEvent(event, ledger.deliveries.get(event.id)),
  );
}

/** `refund.*` asks for all the types of a resource, as at Stripe. */
function typeMatches(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}

function page<Item extends Listed>(
  oldestFirst: Item[],
  parameters: Parameters,
  rules: ListingRules,
  keep: (item: Item) => boolean,
  show: (item: Item) => unknown,
): ReadAnswer {
  const listed = listPage(oldestFirst.reverse(), parameters, rules, keep);
  return 'refusal' in listed ? listed : { value: { ...listed, data: listed.data.map(show) } };
}

/** The payment that a listing is about. Asking for one that is not known is an error at Stripe, not "none". */
function samePayment(
  ledger: Ledger,
  parameters: Parameters,
): { payment: string | null } | { refusal: Refusal } {
  const paymentIntent = parameters.get('payment_intent');
  if (paymentIntent !== undefined) {
    if (ledger.payments.has(paymentIntent)) return { payment: paymentIntent };
    return { refusal: missingResource('payment_intent', paymentIntent, 'payment_intent') };
  }
  const charge = parameters.get('charge');
  if (charge === undefined) return { payment: null };
  const payment = paymentByCharge(ledger, charge);
  return payment === undefined
    ? { refusal: missingResource('charge', charge, 'charge') }
    : { payment: payment.id };
}

function balance(ledger: Ledger): Stripe.Balance {
  const totals = new Map<string, number>();
  const add = ({ currency }: PaymentRecord | RefundRecord, amount: number) =>
    totals.set(currency, (totals.get(currency) ?? 0) + amount);
  for (const payment of ledger.payments.values()) add(payment, payment.amount);
  for (const refund of ledger.refunds.values()) add(refund, -refundedAmount([refund]));
  const available = [...totals].map(([currency, amount]) => ({
    amount,
    currency,
    source_types: { card: amount },
  }));
  const pending = [...totals.keys()].map((currency) => ({ amount: 0, currency, source_types: { card: 0 } }));
  return { object: 'balance', available, livemode: false, pending };
}

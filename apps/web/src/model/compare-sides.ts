import {
  candidates,
  type Amount,
  type Operation,
  type Order,
  type ProviderLedger,
  type ProviderRefund,
} from '@holdfast/operation';

export const sideRows = [
  'payment',
  'captured',
  'refund',
  'amount',
  'reference',
  'operation',
  'total',
] as const;
export type SideRow = (typeof sideRows)[number];

/** One fact on both sides. `null` is "not known there", which agrees with nothing and contradicts nothing. */
export type ComparedRow = {
  readonly row: SideRow;
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly verdict: 'same' | 'differs' | 'not-known';
};

export type SidesFacts = {
  readonly operation: Operation;
  /** What we hold of the order's payment; `null` where this device does not know the order. */
  readonly order: Pick<Order, 'captured' | 'refunded' | 'refundedElsewhere' | 'reserved'> | null;
  readonly ledger: ProviderLedger | null;
  readonly moneyText: (amount: Amount) => string;
  readonly stateWord: string;
  /** "shows none": said only where the provider answered. */
  readonly none: string;
  /** "bound to this operation by Cleo Desk": what was decided here of a record that names nobody. */
  readonly bound: (isThis: boolean, by: readonly string[]) => string;
};

const row = (
  name: SideRow,
  ours: string | null,
  theirs: string | null,
  agrees: boolean = ours === theirs,
): ComparedRow => ({
  row: name,
  ours,
  theirs,
  verdict: ours === null || theirs === null ? 'not-known' : agrees ? 'same' : 'differs',
});

/** The provider's record that is compared: ours by name, else the only one it could be. */
export const recordOf = (
  operation: Pick<Operation, 'amount' | 'provider'>,
  ledger: ProviderLedger | null,
): ProviderRefund | null => {
  const refunds = ledger?.answer?.refunds ?? [];
  const possible = candidates({ ledger: refunds, amount: operation.amount });
  const byReference = refunds.find(({ reference }) => reference === operation.provider.reference);
  return (
    byReference ??
    possible.find(({ whose }) => whose === 'this-operation') ??
    (possible.length === 1 ? (possible[0] ?? null) : null)
  );
};

const happened: Partial<Record<Operation['state'], ProviderRefund['status']>> = {
  pending: 'pending',
  confirmed: 'succeeded',
  reversed: 'failed',
};

/** Whether what we recorded is what the provider's record says. Nothing is compared while we do not know. */
const refundRow = (
  { operation, stateWord, none }: SidesFacts,
  record: ProviderRefund | null,
  answered: boolean,
): ComparedRow => {
  const theirs = record?.statusText ?? (answered ? none : null);
  const expected = happened[operation.state];
  if (expected !== undefined) return row('refund', stateWord, theirs, record?.status === expected);
  // A refund that we say never happened, and that the provider shows as one that did.
  const never = ['failed', 'denied', 'cancelled', 'expired'].includes(operation.state);
  if (never) return row('refund', stateWord, theirs, record === null || record.status === 'failed');
  return { ...row('refund', stateWord, theirs), verdict: 'not-known' };
};

const total = (refunds: readonly ProviderRefund[], currency: string): Amount => ({
  currency,
  minor: refunds
    .filter((one) => one.status !== 'failed' && one.amount.currency === currency)
    .reduce((sum, one) => sum + one.amount.minor, 0),
});

const totalRow = ({ operation, order, ledger, moneyText }: SidesFacts): ComparedRow => {
  const currency = operation.amount?.currency;
  const refunds = ledger?.answer?.refunds;
  const theirs = refunds === undefined || currency === undefined ? null : moneyText(total(refunds, currency));
  if (order === null || currency === undefined) return row('total', null, theirs);
  const minor = order.refunded.minor + order.refundedElsewhere.minor;
  const compared = row('total', moneyText({ minor, currency }), theirs);
  // While money is reserved for what may have happened, a difference is what is being asked about.
  return order.reserved.minor > 0 && compared.verdict === 'differs'
    ? { ...compared, verdict: 'not-known' }
    : compared;
};

/** What the provider's record names; where it names nobody, beside that whom it is bound to here and by whom. */
const namesRow = (
  { operation, none, bound }: Pick<SidesFacts, 'operation' | 'none' | 'bound'>,
  record: ProviderRefund | null,
): ComparedRow => {
  if (record === null || record.operationId !== null) {
    return row('operation', operation.id, record?.operationId ?? null);
  }
  const { boundTo } = record;
  if (boundTo === undefined) return row('operation', operation.id, none);
  const names = boundTo.by.map(({ name }) => name);
  const theirs = `${none}; ${bound(boundTo.operationId === operation.id, names)}`;
  return row('operation', operation.id, theirs, false);
};

/** What we hold beside what the provider holds, fact by fact, with what differs said. */
export const compareSides = (facts: SidesFacts): readonly ComparedRow[] => {
  const { operation, order, ledger, moneyText, none } = facts;
  const answer = ledger?.answer ?? null;
  const record = recordOf(operation, ledger);
  const shown = (value: string | null): string | null => value ?? (answer === null ? null : none);
  return [
    row('payment', operation.paymentReference, answer === null ? null : (ledger?.paymentReference ?? null)),
    row(
      'captured',
      order === null ? null : moneyText(order.captured),
      answer?.captured == null ? null : moneyText(answer.captured),
    ),
    refundRow(facts, record, answer !== null),
    row(
      'amount',
      operation.amount === null ? null : moneyText(operation.amount),
      record === null ? null : moneyText(record.amount),
    ),
    record === null
      ? row('reference', operation.provider.reference, shown(null), operation.provider.reference === null)
      : row('reference', operation.provider.reference, record.reference),
    namesRow(facts, record),
    totalRow(facts),
  ];
};

import { formatAmount, type Operation, type ProviderLedger, type ProviderRefund } from '@holdfast/operation';
import { expect, test } from 'vitest';
import { words } from '../messages/messages.ts';
import { compareSides, recordOf, type SidesFacts } from './compare-sides.ts';

const money = (minor: number, currency = 'EUR') => ({ minor, currency });
const operation = (changes: Partial<Operation> = {}): Operation =>
  ({
    id: 'op-1',
    state: 'confirmed',
    amount: money(1_000),
    paymentReference: 'pi_1',
    provider: { name: 'stripe', reference: 're_1', status: 'succeeded' },
    ...changes,
  }) as Operation;
const refund = (changes: Partial<ProviderRefund> = {}): ProviderRefund => ({
  reference: 're_1',
  status: 'succeeded',
  statusText: 'succeeded',
  amount: money(1_000),
  createdAt: '2026-01-01T10:00:00.000Z',
  failureReason: null,
  whose: 'this-operation',
  operationId: 'op-1',
  dashboard: null,
  ...changes,
});
const ledger = (...refunds: readonly ProviderRefund[]): ProviderLedger => ({
  askedAt: '2026-01-01T10:00:00.000Z',
  provider: 'Stripe',
  paymentReference: 'pi_1',
  dashboard: null,
  answer: { captured: money(5_000), refunds: [...refunds], disputes: [] },
  because: null,
});
const order = {
  captured: money(5_000),
  refunded: money(1_000),
  refundedElsewhere: money(0),
  reserved: money(0),
};
const differing = (changes: Partial<SidesFacts>): readonly string[] =>
  compareSides({
    ...{ operation: operation(), order, ledger: ledger(refund()) },
    ...{ moneyText: formatAmount, stateWord: 'Refunded', none: 'shows none' },
    bound: words.cases.sides.bound,
    ...changes,
  })
    .filter(({ verdict }) => verdict === 'differs')
    .map((compared) => compared.row);

// Red when: two sides that say the same are said to differ.
test('two sides that agree differ in nothing', () => {
  expect(differing({})).toEqual([]);
});

// Red when: silence is compared with what we hold.
test('where the provider did not answer nothing differs: nothing follows from silence', () => {
  expect(differing({ ledger: null })).toEqual([]);
  expect(differing({ ledger: { ...ledger(), answer: null, because: 'no answer' } })).toEqual([]);
});

test('a refund that did not last, one of another amount and one that is missing are marked', () => {
  expect(differing({ ledger: ledger(refund({ status: 'failed', statusText: 'failed' })) })).toEqual([
    'refund',
    'total',
  ]);
  expect(differing({ ledger: ledger(refund({ amount: money(900) })) })).toEqual(['amount', 'total']);
  expect(differing({ ledger: ledger() })).toEqual(['refund', 'reference', 'total']);
});

// Red when: "failed" is not held against a refund that the provider shows.
test('what we say never happened and the provider shows is marked', () => {
  const failed = operation({ state: 'failed', provider: { name: 'stripe', reference: null, status: null } });
  const none = { ...order, refunded: money(0) };
  expect(differing({ operation: failed, order: none })).toEqual(['refund', 'total']);
  expect(differing({ operation: failed, order: none, ledger: ledger() })).toEqual([]);
});

test('while the outcome is unknown the record is shown and compared with nothing but its amount', () => {
  const unknown = operation({
    state: 'outcome_unknown',
    provider: { name: 'stripe', reference: null, status: null },
  });
  const reserved = { ...order, refunded: money(0), reserved: money(1_000) };
  expect(differing({ operation: unknown, order: reserved })).toEqual([]);
});

// Red when: one of two that could both be it is shown as if it were.
test('the one refund of the amount that names nobody is compared; of two, none', () => {
  const nameless = (reference: string) => refund({ reference, whose: 'nobody-here', operationId: null });
  const unknown = operation({ provider: { name: 'stripe', reference: null, status: null } });
  expect(recordOf(unknown, ledger(nameless('re_2')))?.reference).toBe('re_2');
  expect(recordOf(unknown, ledger(nameless('re_2'), nameless('re_3')))).toBeNull();
});

// Red when: what an operator bound here is shown as what the provider's record names.
test('a record that names nobody is shown as that, and beside it who bound it to what', () => {
  const facts = {
    ...{ operation: operation(), order, moneyText: formatAmount, stateWord: 'Refunded' },
    ...{ none: 'shows none', bound: words.cases.sides.bound },
  };
  const theirs = (changes: Partial<ProviderRefund>): unknown =>
    compareSides({ ...facts, ledger: ledger(refund(changes)) }).find(
      (compared) => compared.row === 'operation',
    );
  const by = [{ id: 'cleo', name: 'Cleo Desk' }];
  expect(theirs({ operationId: null, boundTo: { operationId: 'op-1', by } })).toMatchObject({
    ...{ ours: 'op-1', theirs: 'shows none; bound to this operation by Cleo Desk', verdict: 'differs' },
  });
  expect(theirs({ operationId: null, boundTo: { operationId: 'op-2', by: [] } })).toMatchObject({
    theirs: 'shows none; held here by another operation of ours',
  });
  expect(theirs({})).toMatchObject({ theirs: 'op-1', verdict: 'same' });
});

import { expect, test } from 'vitest';
import type { Operation, Order } from '@holdfast/operation';
import { sinceProposed } from './since-proposed.ts';

const euro = (minor: number) => ({ minor, currency: 'EUR' });
const atProposal: NonNullable<Operation['atProposal']> = {
  orderVersion: 3,
  refundable: euro(10_000),
  refundedElsewhere: euro(0),
  disputed: false,
};
const proposed = { atProposal, amount: euro(2_000), state: 'proposed' as const };
const order = (changes: Partial<Order> = {}): Order =>
  ({
    version: 3,
    refundable: euro(10_000),
    refundedElsewhere: euro(0),
    disputed: false,
    ...changes,
  }) as Order;

// Red when: an order that is as it was is said to have changed.
test('nothing is said while the order shows what it showed at the proposal', () => {
  expect(sinceProposed(proposed, order())).toEqual([]);
});

// Red when: the figures are compared the wrong way round, or a refund elsewhere hides behind the smaller remainder.
test('a smaller remainder, a refund made elsewhere and a dispute are each said', () => {
  const now = order({
    version: 6,
    refundable: euro(7_000),
    refundedElsewhere: euro(3_000),
    disputed: true,
  });
  expect(sinceProposed(proposed, now)).toEqual([
    { what: 'refundable', then: euro(10_000), now: euro(7_000) },
    { what: 'refunded-elsewhere', more: euro(3_000) },
    { what: 'disputed' },
  ]);
});

// Red when: what the approval itself reserves is called a change.
test('what the refund itself has reserved is no change', () => {
  const approved = { ...proposed, state: 'approved' as const };
  expect(sinceProposed(approved, order({ version: 4, refundable: euro(8_000) }))).toEqual([]);
});

// Red when: a change of the order beyond its figures is passed over.
test('an order that changed with the same figures is said to have changed', () => {
  expect(sinceProposed(proposed, order({ version: 4 }))).toEqual([{ what: 'order' }]);
});

// Red when: "not known" is shown as "nothing changed".
test('where it is not known what the order showed then or shows now, that is not called nothing', () => {
  const { atProposal: _, ...without } = proposed;
  expect(sinceProposed(without, order())).toBeNull();
  expect(sinceProposed(proposed, null)).toBeNull();
});

import type { SeenOperation } from '@holdfast/outbox';
import type { Operation } from '@holdfast/operation';
import { expect, test } from 'vitest';
import { sameAmountAs } from './same-amount.ts';

const euros = (minor: number) => ({ minor, currency: 'EUR' });
const synced = (over: Partial<Operation>): Operation =>
  ({
    state: 'proposed',
    amount: euros(4_000),
    paymentReference: 'pi_1',
    proposedBy: { id: 'p1', name: 'Ada', assistant: false },
    createdAt: '2026-11-29T12:00:00.000Z',
    ...over,
  }) as Operation;
const seen = (operationId: string, over: Partial<SeenOperation>): SeenOperation => ({
  operationId,
  synced: null,
  proposal: null,
  items: [],
  shownState: 'queued',
  droppedHere: false,
  ...over,
});
const proposal = { kind: 'refund', orderId: 'o', amount: euros(4_000), reason: 'returned' } as const;
const own = { operationId: 'op-25', amount: euros(4_000), paymentReference: 'pi_1' };

// Red when: another amount, payment or this refund itself counts, one that came to nothing counts, or one that only
// this device knows of does not.
test('F022: a second refund of the same amount on a payment is told of the first, by whom and since when', () => {
  const others = sameAmountAs(own, [
    seen('op-25', { synced: synced({}) }),
    seen('op-24', { synced: synced({}) }),
    seen('op-23', { synced: synced({ amount: euros(3_999) }) }),
    seen('op-22', { synced: synced({ paymentReference: 'pi_2' }) }),
    seen('op-21', { synced: synced({ state: 'denied' }) }),
    seen('op-20', { synced: synced({ state: 'confirmed' }) }),
    seen('op-19', { proposal }),
    seen('op-18', { proposal, droppedHere: true }),
  ]);
  expect(others.map(({ operationId }) => operationId)).toEqual(['op-24', 'op-20', 'op-19']);
  expect(others[0]?.proposed).toEqual({ by: 'Ada', at: '2026-11-29T12:00:00.000Z' });
  expect(others[2]?.proposed).toBeNull();
});

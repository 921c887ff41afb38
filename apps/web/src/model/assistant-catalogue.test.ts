import { interpret } from '@holdfast/assistant';
import type { Operation, Order } from '@holdfast/operation';
import { describe, expect, test } from 'vitest';
import { proposalOf, typedAmount } from '../screens/refund/refund-content.ts';
import { decimalMark } from '../parts/money.ts';
import { catalogueOf, contentOfDraft } from './assistant-catalogue.ts';

const money = (minor: number) => ({ minor, currency: 'EUR' });
const order: Order = {
  id: '1042',
  version: 3,
  customer: { id: 'c1', name: 'Marta Villanueva' },
  payment: { provider: 'stripe', reference: 'pi_1', captured: money(141_990) },
  lines: [{ sku: 'HP', title: 'Headphones', quantity: 1, amount: money(129_000) }],
  returns: [{ id: 'R-1', status: 'received' }],
  placedAt: '2026-11-01T00:00:00.000Z',
  captured: money(141_990),
  refunded: money(0),
  refundedElsewhere: money(0),
  reserved: money(0),
  refundable: money(141_990),
  disputed: false,
  operationIds: [],
  updatedAt: '2026-11-01T00:00:00.000Z',
};
const beside = { orders: [order], tickets: [], refunds: [] };

describe('a draft of the assistant', () => {
  // Red when: the amount is written for another decimal mark, or without its grouping being readable again.
  test('in the form is the refund that was asked for, to the cent', () => {
    const answer = interpret('Refund the headphones, the return arrived', catalogueOf(beside, []), {
      orderId: '1042',
    });
    if (answer.kind !== 'draft') throw new Error(answer.kind);
    const content = contentOfDraft(answer.draft);
    const typed = typedAmount(content, order, decimalMark());
    expect(typed).toEqual({ ok: true, amount: money(129_000) });
    const reason = content.reason ?? 'other';
    expect(
      proposalOf(content, order, { amount: money(129_000), reason, differentFrom: [], whyInNote: String }),
    ).toEqual({
      kind: 'refund',
      orderId: '1042',
      amount: money(129_000),
      reason: 'returned',
      lines: [{ sku: 'HP', quantity: 1 }],
      returnId: 'R-1',
    });
  });

  test('leaves empty what was not read', () => {
    const answer = interpret('Refund the headphones', catalogueOf(beside, []), { orderId: '1042' });
    if (answer.kind !== 'draft') throw new Error(answer.kind);
    expect(contentOfDraft(answer.draft)).toMatchObject({
      reason: null,
      returnId: null,
      note: '',
      different: false,
    });
  });

  test('what this device holds and Holdfast has not told of is no outcome', () => {
    const synced = {
      id: '0195e000-0000-7000-8000-000000000001',
      orderId: '1042',
      sentence: 'Waiting for approval.',
    };
    const seen = {
      operationId: synced.id,
      proposal: null,
      items: [],
      shownState: 'proposed' as const,
      droppedHere: false,
    };
    const told = (of: Operation | null) =>
      interpret('What became of it?', catalogueOf({ ...beside, refunds: [{ ...seen, synced: of }] }, []), {
        orderId: '1042',
      });
    expect(told(synced as Operation).kind).toBe('report');
    expect(told(null)).toMatchObject({ kind: 'nothing', because: 'not-found' });
  });
});

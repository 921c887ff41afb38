import type { DraftContent } from '@holdfast/outbox';
import type { Order } from '@holdfast/operation';
import { decimalMark } from '../../parts/money.ts';
import { describe, expect, test } from 'vitest';
import {
  amountOfLines,
  freshContent,
  proposalOf,
  readContent,
  storedContent,
  typedAmount,
  type RefundContent,
} from './refund-content.ts';

const amount = (minor: number) => ({ minor, currency: 'EUR' });
const order: Order = {
  id: 'ORD-1',
  version: 3,
  customer: { id: 'c1', name: 'Yusuf Okafor' },
  payment: { provider: 'stripe', reference: 'pi_1', captured: amount(10_000) },
  lines: [
    { sku: 'HP', title: 'Headphones', quantity: 1, amount: amount(8_000) },
    { sku: 'CBL', title: 'Cable', quantity: 3, amount: amount(2_000) },
  ],
  returns: [{ id: 'R-1', status: 'received' }],
  placedAt: '2026-11-01T00:00:00.000Z',
  captured: amount(10_000),
  refunded: amount(0),
  refundedElsewhere: amount(0),
  reserved: amount(0),
  refundable: amount(10_000),
  disputed: false,
  operationIds: [],
  updatedAt: '2026-11-01T00:00:00.000Z',
};

const filled: RefundContent = {
  ...freshContent(order, 'T-1', null),
  lines: [{ sku: 'CBL', quantity: 2 }],
  amountText: '13,33',
  note: ' Two cables came back. ',
  conversation: {
    turns: [
      {
        ...{ at: '2026-11-30T12:00:00.000Z', asked: 'refund the cables', answered: 'A draft.' },
        ...{ interpreter: 'on-the-device' as const, read: [], quoted: [] },
      },
    ],
  },
};
const whyInNote = (why: string): string => `Different refund: ${why}`;

describe('what is kept of a half-filled form', () => {
  test('a draft that was stored comes back as it was typed', () => {
    expect(readContent(storedContent(filled))).toEqual(filled);
  });

  // Red when: only a text is taken for an amount, and "Change it" opens a form without one.
  test('a proposal that is being changed comes back with its amount', () => {
    const options = { amount: amount(1_333), reason: 'returned' as const, differentFrom: [], whyInNote };
    const proposal = proposalOf(filled, order, options);
    const content = readContent(JSON.parse(JSON.stringify(proposal)) as DraftContent);
    expect(content).toMatchObject({ lines: filled.lines, reason: 'returned' });
    expect(typedAmount(content, order, decimalMark())).toEqual({ ok: true, amount: amount(1_333) });
  });

  test('a field this version does not know, or one of another kind, never breaks the form', () => {
    const content = readContent({ amountText: 5, lines: [{ sku: 'HP' }, 'x'], reason: 'mood', later: true });
    expect(content).toEqual({
      lines: [],
      amountText: '',
      reason: null,
      returnId: null,
      ticketId: null,
      note: '',
      different: false,
      why: '',
      replaces: null,
      conversation: null,
    });
  });

  test('a fresh form names the one return that was received, and no reason where none was', () => {
    expect(freshContent(order, null, null)).toMatchObject({ reason: 'returned', returnId: 'R-1' });
    const waiting = { ...order, returns: [{ id: 'R-1', status: 'expected' as const }] };
    expect(freshContent(waiting, null, null)).toMatchObject({ reason: null, returnId: null });
  });
});

describe('the amount', () => {
  // Red when: a part of a line is rounded to the nearest instead of down.
  test('parts of a line never add up to more than the line', () => {
    const part = amountOfLines(order, [{ sku: 'CBL', quantity: 1 }]).minor;
    expect(part).toBe(666);
    expect(part * 3).toBeLessThanOrEqual(2_000);
    expect(amountOfLines(order, [{ sku: 'CBL', quantity: 2 }]).minor).toBe(1_333);
    expect(amountOfLines(order, order.lines)).toEqual(amount(10_000));
  });

  test('what is typed is read with the locale’s own mark, and never guessed', () => {
    expect(typedAmount({ ...filled, amountText: '6,95' }, order, ',')).toEqual({
      ok: true,
      amount: amount(695),
    });
    expect(typedAmount({ ...filled, amountText: '6.95' }, order, '.')).toEqual({
      ok: true,
      amount: amount(695),
    });
    expect(typedAmount({ ...filled, amountText: '1,234' }, order, '.')).toMatchObject({
      ok: false,
      problem: 'ambiguous',
    });
  });
});

describe('the proposal that is sent', () => {
  const options = { amount: amount(1_333), reason: 'returned' as const, differentFrom: ['op-1'], whyInNote };

  test('says what the form says and nothing that was left empty', () => {
    expect(proposalOf(filled, order, options)).toEqual({
      conversation: filled.conversation,
      kind: 'refund',
      orderId: 'ORD-1',
      amount: amount(1_333),
      reason: 'returned',
      lines: [{ sku: 'CBL', quantity: 2 }],
      returnId: 'R-1',
      note: 'Two cables came back.',
      ticketId: 'T-1',
    });
  });

  test('names what it is different from only when a person said so, and says why to the approver', () => {
    expect(proposalOf(filled, order, options)).not.toHaveProperty('differentFrom');
    const different = proposalOf({ ...filled, different: true, why: 'The second pair.' }, order, options);
    expect(different.differentFrom).toEqual(['op-1']);
    expect(different.note).toBe('Two cables came back.\nDifferent refund: The second pair.');
  });

  test('names a return only for a returned item', () => {
    expect(proposalOf(filled, order, { ...options, reason: 'goodwill' })).not.toHaveProperty('returnId');
  });
});

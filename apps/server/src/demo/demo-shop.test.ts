import { orderInputSchema, ticketInputSchema } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import { chanceFrom } from './chance.ts';
import { makeDemoShop } from './demo-shop.ts';

const nowMs = Date.UTC(2026, 10, 29);

describe('the demo shop', () => {
  const shop = makeDemoShop(chanceFrom(7), nowMs);

  it('is the same for the same seed and day', () => {
    expect(makeDemoShop(chanceFrom(7), nowMs)).toEqual(shop);
    const references = (ms: number) =>
      makeDemoShop(chanceFrom(7), ms).orders.map(({ input }) => input.payment.reference);
    expect(references(nowMs + 86_400_000)).toEqual(references(nowMs));
  });

  it('has several hundred valid orders in five currencies, returns of each status, and tickets', () => {
    expect(shop.orders.length).toBeGreaterThan(300);
    for (const { input } of shop.orders) expect(orderInputSchema.safeParse(input).success).toBe(true);
    for (const { input } of shop.tickets) expect(ticketInputSchema.safeParse(input).success).toBe(true);
    const currencies = new Set(shop.orders.map(({ input }) => input.payment.captured.currency));
    expect([...currencies].toSorted()).toEqual(['EUR', 'GBP', 'JPY', 'KWD', 'USD']);
    const statuses = new Set(shop.orders.flatMap(({ input }) => input.returns.map(({ status }) => status)));
    expect([...statuses].toSorted()).toEqual(['expected', 'received', 'rejected']);
    expect(new Set(shop.orders.map(({ input }) => input.payment.reference)).size).toBe(shop.orders.length);
    expect(shop.tickets.length).toBeGreaterThan(100);
  });

  it('captures what its lines cost, in steps that the provider can move', () => {
    for (const { input } of shop.orders) {
      const sum = input.lines.reduce((total, line) => total + line.amount.minor, 0);
      expect(sum).toBe(input.payment.captured.minor);
      if (input.payment.captured.currency === 'KWD') expect(sum % 10).toBe(0);
    }
  });
});

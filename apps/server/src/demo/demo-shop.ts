import type { OrderInput, TicketInput } from '@holdfast/operation';
import type { Chance } from './chance.ts';
import { complaints, currencies, firstNames, lastNames, products, type DemoCurrency } from './demo-words.ts';

export type DemoOrder = { readonly id: string; readonly input: OrderInput; readonly disputed: boolean };
export type DemoTicket = { readonly id: string; readonly input: TicketInput };
export type DemoShop = { readonly orders: readonly DemoOrder[]; readonly tickets: readonly DemoTicket[] };

const dayMs = 86_400_000;
const orderCount = 320;
const firstNumber = 10_001;

const price = (euroCents: number, { perEuroCent, step }: DemoCurrency): number =>
  Math.max(step, Math.round((euroCents * perEuroCent) / step) * step);

const linesOf = (chance: Chance, currency: DemoCurrency): OrderInput['lines'] => {
  const wanted = 1 + chance.below(3);
  const lines = new Map<string, OrderInput['lines'][number]>();
  while (lines.size < wanted) {
    const product = chance.one(products);
    const quantity = chance.happens(80) ? 1 : 2;
    const minor = price(product.euroCents, currency) * quantity;
    const { sku, title } = product;
    lines.set(sku, { sku, title, quantity, amount: { minor, currency: currency.code } });
  }
  return [...lines.values()];
};

const returnsOf = (
  chance: Chance,
  number: number,
  placedAtMs: number,
  nowMs: number,
): OrderInput['returns'] => {
  const id = `R-${String(number)}`;
  if (chance.happens(25)) return [];
  if (chance.happens(20)) return [{ id, status: 'expected' }];
  if (chance.happens(10)) return [{ id, status: 'rejected' }];
  const receivedAt = new Date(
    Math.min(nowMs - 3_600_000, placedAtMs + (5 + chance.below(14)) * dayMs),
  ).toISOString();
  return [{ id, status: 'received', receivedAt }];
};

const paymentReference = (chance: Chance): string => {
  const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
  return `pi_demo${Array.from({ length: 16 }, () => letters[chance.below(letters.length)]).join('')}`;
};

const orderOf = (chance: Chance, index: number, nowMs: number): DemoOrder => {
  const number = firstNumber + index;
  const currency = chance.one(currencies);
  const lines = linesOf(chance, currency);
  // Most within the refund window, a few past it.
  const ageDays = chance.happens(94) ? 2 + chance.below(160) : 185 + chance.below(60);
  const placedAtMs = nowMs - ageDays * dayMs - chance.below(dayMs);
  const captured = lines.reduce((sum, line) => sum + line.amount.minor, 0);
  return {
    id: String(number),
    disputed: chance.happens(3),
    input: {
      customer: {
        id: `C-${String(2_000 + chance.below(240))}`,
        name: `${chance.one(firstNames)} ${chance.one(lastNames)}`,
      },
      payment: {
        provider: 'stripe',
        reference: paymentReference(chance),
        captured: { minor: captured, currency: currency.code },
      },
      lines,
      returns: returnsOf(chance, number, placedAtMs, nowMs),
      placedAt: new Date(placedAtMs).toISOString(),
    },
  };
};

const ticketOf = (chance: Chance, order: DemoOrder, nowMs: number): DemoTicket => {
  const complaint = chance.one(complaints);
  const { customer } = order.input;
  const writtenAtMs = nowMs - (1 + chance.below(72)) * 3_600_000;
  return {
    id: `T-${order.id}`,
    input: {
      subject: complaint.subject,
      customerId: customer.id,
      orderId: order.id,
      status: chance.happens(85) ? 'open' : 'closed',
      messages: [{ at: new Date(writtenAtMs).toISOString(), from: customer.name, text: complaint.text }],
    },
  };
};

/** The order of the story: returned headphones, and nothing in the way of a refund. */
const storyOrder = (nowMs: number): DemoOrder => ({
  id: '10000',
  disputed: false,
  input: {
    customer: { id: 'C-1999', name: 'Marta Villanueva' },
    payment: {
      provider: 'stripe',
      reference: 'pi_demoStoryHeadphones',
      captured: { minor: 14_199, currency: 'EUR' },
    },
    lines: [
      {
        sku: 'HP-200',
        title: 'Over-ear headphones, midnight blue',
        quantity: 1,
        amount: { minor: 12_900, currency: 'EUR' },
      },
      { sku: 'CB-100', title: 'USB-C cable, 2 m', quantity: 1, amount: { minor: 1_299, currency: 'EUR' } },
    ],
    returns: [{ id: 'R-10000', status: 'received', receivedAt: new Date(nowMs - 2 * dayMs).toISOString() }],
    placedAt: new Date(nowMs - 12 * dayMs).toISOString(),
  },
});

/**
 * A shop as it may look on an ordinary day: the same for the same chance and time.
 * @param nowMs milliseconds since the epoch; ages are counted back from it
 */
export const makeDemoShop = (chance: Chance, nowMs: number): DemoShop => {
  const story = storyOrder(nowMs);
  const orders = [story, ...Array.from({ length: orderCount }, (_, index) => orderOf(chance, index, nowMs))];
  const withTicket = orders.filter(
    (order) => order === story || (order.input.returns.length > 0 && chance.happens(55)),
  );
  return { orders, tickets: withTicket.map((order) => ticketOf(chance, order, nowMs)) };
};

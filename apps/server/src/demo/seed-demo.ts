import type { Engine, Principal } from '@holdfast/engine';
import type { Role } from '@holdfast/operation';
import type { ShownSignIn } from '../http/routes/sign-in-routes.ts';
import type { AccessStore } from '../sign-in/access-store.ts';
import type { People } from '../sign-in/people.ts';
import { chanceFrom } from './chance.ts';
import { makeDemoShop, type DemoOrder, type DemoShop } from './demo-shop.ts';

const seed = 20_261_129;
const dayMs = 86_400_000;

/** Public on purpose: the demo runs on loopback alone, in a database of its own. */
export const demoSignIns: readonly (ShownSignIn & { readonly role: Role })[] = [
  { name: 'Ada Field', role: 'agent', email: 'agent@demo.holdfast', password: 'agent in the demo' },
  { name: 'Ben Lead', role: 'approver', email: 'approver@demo.holdfast', password: 'approver in the demo' },
  { name: 'Cleo Desk', role: 'operator', email: 'operator@demo.holdfast', password: 'operator in the demo' },
  { name: 'Dan House', role: 'admin', email: 'admin@demo.holdfast', password: 'admin in the demo' },
];

export type DemoParts = {
  readonly engine: Engine;
  readonly store: AccessStore;
  readonly people: People;
  readonly organisationId: string;
  /** Base of the bundled fake Stripe, where the demo's payments are made known. */
  readonly fakeStripeBase: string;
};

const seeder = (organisationId: string): Principal => ({
  organisationId,
  actor: { id: 'demo', name: 'Demo', role: 'integrator', assistant: false, via: 'system' },
});

const post = async (base: string, path: string, body: unknown): Promise<void> => {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  if (!response.ok) throw new Error(`the fake Stripe answered ${String(response.status)} to ${path}`);
  await response.body?.cancel();
};

const registerPayments = async (base: string, orders: readonly DemoOrder[]): Promise<void> => {
  const payments = orders.map(({ input }) => ({
    id: input.payment.reference,
    // In these five currencies the provider's minor unit is the ISO one.
    amount: input.payment.captured.minor,
    currency: input.payment.captured.currency.toLowerCase(),
    created: Math.floor(Date.parse(input.placedAt) / 1_000),
  }));
  for (let from = 0; from < payments.length; from += 50) {
    await post(base, '/fake/payment_intents', payments.slice(from, from + 50));
  }
};

const disputePayments = async (base: string, orders: readonly DemoOrder[]): Promise<void> => {
  for (const order of orders.filter(({ disputed }) => disputed)) {
    await post(base, '/fake/disputes', {
      payment_intent: order.input.payment.reference,
      reason: 'product_not_received',
    });
  }
};

const addSignIns = async ({ people, store, organisationId }: DemoParts): Promise<void> => {
  for (const { name, role, email, password } of demoSignIns) {
    const { userId, token } = await people.invite(email, name);
    if (token !== undefined) await people.setPassword(userId, password);
    await store.addMember(organisationId, { userId, role, name, email });
  }
};

/** So many rows are put at once: a commit waits for the disk, and the next ones need not. */
const lanes = 8;

const putAll = async <Item>(items: readonly Item[], put: (item: Item) => Promise<unknown>): Promise<void> => {
  const waiting = items.values();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await put(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};

const fillShop = async ({ engine, organisationId }: DemoParts, shop: DemoShop): Promise<void> => {
  const who = seeder(organisationId);
  const [first, ...others] = shop.orders;
  await putAll(shop.tickets, ({ id, input }) => engine.putTicket(who, id, input));
  await putAll(others, ({ id, input }) => engine.putOrder(who, id, input));
  if (first !== undefined) await engine.putOrder(who, first.id, first.input);
};

/**
 * Fills the demo's database once: sign-ins, orders, tickets, and their payments at the fake Stripe. The order put last
 * stands for all: a start that was cut off in the middle fills everything again, and nothing twice.
 */
export const seedDemo = async (parts: DemoParts, nowMs: number): Promise<void> => {
  await addSignIns(parts);
  const shop = makeDemoShop(chanceFrom(seed), Math.floor(nowMs / dayMs) * dayMs);
  // The fake forgets nothing, but its folder may have been emptied: payments are made known at every start.
  const known = await parts.engine.getOrder(seeder(parts.organisationId), shop.orders[0]?.id ?? '');
  await registerPayments(parts.fakeStripeBase, shop.orders);
  if (known !== null) return;
  await disputePayments(parts.fakeStripeBase, shop.orders);
  await fillShop(parts, shop);
};

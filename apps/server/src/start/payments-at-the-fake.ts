import type { Engine, Principal } from '@holdfast/engine';
import type { Order } from '@holdfast/operation';
import { toStripeAmount } from '@holdfast/providers/stripe';

/**
 * A real provider knows a payment because the shop took it there. The bundled fake has no shop, so whoever puts an
 * order while the fake is the provider also makes the order's payment known to it; otherwise an order of one's own
 * could be proposed and approved, and then be told that its payment does not exist.
 */

const batch = 50;

type Payment = { readonly id: string; readonly amount: number; readonly currency: string };

const paymentOf = (order: Order): Payment | undefined => {
  const amount = toStripeAmount(order.payment.captured);
  return amount.ok
    ? { id: order.payment.reference, amount: amount.amount, currency: amount.currency }
    : undefined;
};

const register = async (fakeBase: string, orders: readonly Order[]): Promise<void> => {
  const payments = orders.map(paymentOf).filter((payment) => payment !== undefined);
  for (let from = 0; from < payments.length; from += batch) {
    const response = await fetch(`${fakeBase}/fake/payment_intents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payments.slice(from, from + batch)),
      signal: AbortSignal.timeout(10_000),
    });
    await response.body?.cancel();
  }
};

/**
 * The same engine; an order that is taken also has its payment at the fake. A fake that is away stops no order.
 * @param serves false once the organisation has an account of its own, which the fake is no stand-in for
 */
export const withPaymentsAtTheFake = (
  engine: Engine,
  fakeBase: string,
  serves: () => boolean = () => true,
): Engine => ({
  ...engine,
  putOrder: async (who, id, input) => {
    const answer = await engine.putOrder(who, id, input);
    if (answer.ok && serves()) await register(fakeBase, [answer.item]).catch(() => undefined);
    return answer;
  },
});

/** Orders that came in while the fake was not running (an import without a server). Known payments stay as they are. */
export const registerAllPayments = async (
  engine: Engine,
  who: Principal,
  fakeBase: string,
): Promise<void> => {
  let cursor: string | undefined;
  do {
    const page = await engine.searchOrders(who, '', cursor, 100);
    await register(fakeBase, page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
};

/** In whose name the fake's payments are read. */
export const fakeShop = (organisationId: string): Principal => ({
  organisationId,
  actor: { id: 'fake-shop', name: 'Fake shop', role: 'integrator', assistant: false, via: 'system' },
});

import { randomBytes } from 'node:crypto';
import type { FakeProvider } from './fake-provider.ts';

/** Who asks: programs with keys, each of another role. */
export type Who = 'agent' | 'approver' | 'operator' | 'integrator';
export const roles: readonly Who[] = ['agent', 'approver', 'operator', 'integrator'];

export type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** What shops and people do, over HTTP. */
export type People = {
  readonly ask: (who: Who, method: string, route: string, body?: unknown, origin?: string) => Promise<Answer>;
  /** A paid order whose return has arrived, at the provider and here. Gives back its payment's reference. */
  readonly sell: (orderId: string, minor: number) => Promise<string>;
  readonly propose: (orderId: string, minor: number, more?: Record<string, unknown>) => Promise<string>;
  readonly approve: (id: string) => Promise<void>;
  /** Sells, proposes and approves. */
  readonly approved: (orderId: string, minor: number) => Promise<{ id: string; payment: string }>;
};

/** A new UUIDv7. */
export const mintId = (): string => {
  const hex = Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
};

/** Answers that come from a server that is there and says something for good. */
const isVerdict = ({ status }: Answer): boolean => status < 500;

export const makePeople = (
  provider: FakeProvider,
  key: (who: Who) => string,
  /** Asked in turn, the same thing each time, until one of them gives a verdict; with one, it is asked once. */
  origins: () => readonly string[],
): People => {
  const ask: People['ask'] = async (who, method, route, body, origin = origins()[0]) => {
    const response = await fetch(`${origin}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${key(who)}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const read: unknown = response.headers.get('content-type')?.includes('json')
      ? JSON.parse(text)
      : { text };
    return { status: response.status, body: read as Record<string, unknown> };
  };

  const askUntilAnswered = async (
    who: Who,
    method: string,
    route: string,
    body?: unknown,
  ): Promise<Answer> => {
    for (let tries = 0; ; tries += 1) {
      const places = origins();
      const last = places.length === 1 || tries > 300;
      try {
        const answer = await ask(who, method, route, body, places[tries % places.length]);
        if (last || isVerdict(answer)) return answer;
      } catch (error) {
        if (last) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  const good = async (...asked: Parameters<typeof askUntilAnswered>): Promise<Record<string, unknown>> => {
    const answer = await askUntilAnswered(...asked);
    if (answer.status < 300) return answer.body;
    throw new Error(`${asked[1]} ${asked[2]} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  };

  /** The shop's customer pays while the provider is there: a provider that is away just then is tried again. */
  const registered = async (payment: string, minor: number): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await provider.addPayments([{ id: payment, amount: minor, currency: 'eur' }]);
      } catch (error) {
        if (origins().length === 1 || tries > 300) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  const sell: People['sell'] = async (orderId, minor) => {
    const payment = `pi_${orderId.replaceAll('-', '_')}`;
    const amount = { minor, currency: 'EUR' };
    await registered(payment, minor);
    await good('integrator', 'PUT', `/v1/orders/${orderId}`, {
      customer: { id: `customer-${orderId}`, name: `Customer of ${orderId}` },
      payment: { provider: 'stripe', reference: payment, captured: amount },
      lines: [{ sku: `sku-${orderId}`, title: 'Headphones', quantity: 1, amount }],
      returns: [{ id: `return-${orderId}`, status: 'received', receivedAt: new Date().toISOString() }],
      placedAt: new Date(Date.now() - 86_400_000).toISOString(),
    });
    return payment;
  };
  const propose: People['propose'] = async (orderId, minor, more = {}) => {
    const id = mintId();
    const proposal = {
      kind: 'refund',
      orderId,
      amount: { minor, currency: 'EUR' },
      reason: 'returned',
      ...more,
    };
    await good('agent', 'PUT', `/v1/operations/${id}`, proposal);
    return id;
  };
  const approve: People['approve'] = async (id) => {
    const { fingerprint } = await good('approver', 'GET', `/v1/operations/${id}`);
    await good('approver', 'POST', `/v1/operations/${id}/approve`, { commandId: mintId(), fingerprint });
  };
  return {
    ask,
    sell,
    propose,
    approve,
    approved: async (orderId, minor) => {
      const payment = await sell(orderId, minor);
      const id = await propose(orderId, minor);
      await approve(id);
      return { id, payment };
    },
  };
};

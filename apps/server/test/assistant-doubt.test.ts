import type { Engine, Principal } from '@holdfast/engine';
import { describe, expect, it } from 'vitest';
import { builtInTurn } from '../src/assistant/built-in-turn.ts';
import { saysName } from '../src/assistant/says-name.ts';
import { engineDouble } from './engine-double.ts';

const amount = { minor: 2_000, currency: 'EUR' };
const none = { minor: 0, currency: 'EUR' };
const order = {
  id: '1',
  version: 1,
  customer: { id: 'c-9', name: 'Omar' },
  payment: { provider: 'stripe', reference: 'pi_9', captured: amount },
  lines: [{ sku: 'MUG', title: 'Mug', quantity: 1, amount }],
  returns: [],
  placedAt: '2026-11-01T10:00:00.000Z',
  ...{ captured: amount, refunded: none, refundedElsewhere: none, reserved: none, refundable: amount },
  disputed: false,
  operationIds: [],
  operations: [],
  updatedAt: '2026-11-01T10:00:00.000Z',
};
const who: Principal = {
  organisationId: 'organisation-1',
  actor: { id: 'a', name: 'Ada', role: 'agent', assistant: false, via: 'session' },
};

/** More orders of Omar's than are looked at. */
const searchOrders: Engine['searchOrders'] = () => Promise.resolve({ items: [order], nextCursor: 'more' });

const turnOf = async (text: string) => {
  const { engine } = engineDouble({ searchOrders, getOrder: () => Promise.resolve(order) });
  const events = await builtInTurn({
    ...{ engine, who, text, beside: {}, askModel: undefined },
    isStopped: () => false,
    stop: new AbortController().signal,
  });
  return events.map(({ event }) => event);
};

describe('a draft where not every order was looked at', () => {
  // Red when: an order's ID is looked for anywhere in the request, so that "10 euros" names order "1".
  it('is a question unless the request names the order by its whole ID', async () => {
    expect(await turnOf('refund 10 euros to Omar')).toContain('question');
    expect(await turnOf('refund 10 euros to Omar')).not.toContain('draft');
    expect(await turnOf('refund 10 euros to Omar, order 1')).toContain('draft');
  });

  it.each([
    ['refund order 1.', '1', true],
    ['(#1)', '1', true],
    ['10 or 21, T-1, 1-b and x1', '1', false],
    ['€1, 1.50 and 2,1', '1', false],
    ['about gid://shop/Order/7, please', 'gid://shop/Order/7', true],
    ['anything', '', false],
  ])('in "%s" the name "%s" is said: %s', (text, name, said) => {
    expect(saysName(text, name)).toBe(said);
  });
});

import { describe, expect, it } from 'vitest';
import { refuse } from '../../src/http/problem.ts';
import { appRig, as } from '../app-rig.ts';
import { engineDouble } from '../engine-double.ts';
import { assistantOf } from './mcp-client.ts';

const amount = { minor: 1_000, currency: 'EUR' };
const order = {
  id: '1042',
  version: 1,
  customer: { id: 'c', name: 'Ann' },
  payment: { provider: 'stripe', reference: 'pi_1', captured: amount },
  lines: [],
  returns: [],
  placedAt: '2026-11-01T10:00:00.000Z',
  ...{ captured: amount, refunded: amount, refundedElsewhere: amount, reserved: amount, refundable: amount },
  disputed: false,
  operationIds: [],
  operations: [],
  updatedAt: '2026-11-01T10:00:00.000Z',
};
const key = as({ role: 'agent', via: 'owned-key' });
const refund = (operationId: string | undefined) => ({
  operationId,
  orderId: '1042',
  amount,
  reason: 'returned',
});

describe('the assistants’ door, when what is behind it does not answer well', () => {
  // Red when: `inTime` waits for the intake.
  it('F108: storing that takes for ever is answered with a receipt, and repeats get the same one', async () => {
    const never = new Promise<never>(() => undefined);
    const { engine } = engineDouble({ getOrder: () => Promise.resolve(order), apply: () => never });
    const { app } = appRig({ engine, receiptWithinMs: 20 });
    const { call } = await assistantOf(app, key);
    const { operationId } = await call('begin_refund', { orderId: '1042' });
    const receipts = [];
    for (let asked = 0; asked < 5; asked += 1)
      receipts.push(await call('propose_refund', refund(operationId)));
    expect(new Set(receipts.map((told) => JSON.stringify(told))).size).toBe(1);
    expect(receipts[0]).toMatchObject({
      operationId,
      outcome: 'being-stored',
      mayRepeat: false,
      isError: false,
    });
    expect(receipts[0]?.text).not.toMatch(/fail|error|try again/i);
  });

  // Red when: the ID leans on anything of the order that the shop may correct.
  it('the same wish has the same ID, also when the shop has corrected its order meanwhile', async () => {
    let placedAt = order.placedAt;
    const { engine } = engineDouble({ getOrder: () => Promise.resolve({ ...order, placedAt }) });
    const { call } = await assistantOf(appRig({ engine }).app, key);
    const { operationId } = await call('begin_refund', { orderId: '1042' });
    placedAt = '2026-11-02T08:30:00.000Z';
    expect(await call('begin_refund', { orderId: '1042' })).toMatchObject({ operationId });
  });

  it('an unforeseen failure reaches the log and not the model, which is told not to repeat', async () => {
    const { engine } = engineDouble({
      getOrder: () => Promise.resolve(order),
      apply: () => Promise.reject(new Error('password=secret at 10.0.0.1')),
    });
    const { app, failures } = appRig({ engine });
    const { call } = await assistantOf(app, key);
    const { operationId } = await call('begin_refund', { orderId: '1042' });
    const told = await call('propose_refund', refund(operationId));
    expect(told).toMatchObject({ operationId, outcome: 'not-known', mayRepeat: false, isError: true });
    expect(JSON.stringify(told)).not.toContain('secret');
    expect(failures).toHaveLength(1);
  });

  // Red when: a read that fails is answered as if something were being stored, or were refused.
  it.each([
    ['the database is away', () => Promise.reject(new Error('connection refused'))],
    ['there is no place', () => Promise.reject(refuse('unavailable', 'Ask again later.'))],
  ])(
    'when %s, nobody says what became of a refund: neither stored, nor refused, nor done',
    async (_why, fails) => {
      const { engine } = engineDouble({ lookUp: fails, getOperation: fails, apply: fails, getOrder: fails });
      const { call } = await assistantOf(appRig({ engine }).app, key);
      const operationId = '0195e000-0000-7000-8000-000000000001';
      for (const tool of ['get_operation', 'wait_for_outcome']) {
        const told = await call(tool, { operationId });
        expect(told, tool).toMatchObject({
          operationId,
          outcome: 'not-known',
          mayRepeat: false,
          isError: true,
        });
        expect(told.text, tool).toContain('Ask get_operation with this ID later');
        expect(told.text, tool).not.toMatch(/being stored|refused|tell a person/i);
      }
      const begun = await call('begin_refund', { orderId: '1042' });
      expect(begun.text).toBe('This cannot be answered at the moment. Ask again later.');
    },
  );

  it('a proposal of which there is no verdict is neither stored nor refused', async () => {
    const { engine } = engineDouble({
      getOrder: () => Promise.resolve(order),
      apply: () => Promise.reject(refuse('unavailable', 'Ask again later.')),
    });
    const { call } = await assistantOf(appRig({ engine }).app, key);
    const { operationId } = await call('begin_refund', { orderId: '1042' });
    const told = await call('propose_refund', refund(operationId));
    expect(told).toMatchObject({ operationId, outcome: 'not-known', mayRepeat: false, isError: true });
  });

  it('an unknown outcome says so for programs too, and that it must not be repeated', async () => {
    const unknown = {
      id: '0195e000-0000-7000-8000-000000000001',
      state: 'outcome_unknown',
      amount,
      orderId: '1042',
      sentence: 'The request was submitted, but confirmation is delayed. We are checking it.',
      tellTheCustomer: 'We are checking it.',
      needsPerson: false,
    };
    const { engine } = engineDouble({
      lookUp: () => Promise.resolve({ operations: { [unknown.id]: unknown as never } }),
    });
    const { call } = await assistantOf(appRig({ engine }).app, key);
    const told = await call('get_operation', { operationId: unknown.id });
    expect(told).toMatchObject({
      state: 'outcome_unknown',
      outcome: 'unknown',
      mayRepeat: false,
      isFinal: false,
    });
    expect(told.text).toContain('Do not repeat it in any way');
  });

  // Red when: a wait that is over, or whose caller left, is still counted among the open streams.
  it('a wait that has ended takes nobody’s room, whether it was read to its end or left', async () => {
    const done = {
      id: '0195e000-0000-7000-8000-000000000001',
      state: 'confirmed',
      version: 1,
      amount,
      sentence: 'Done.',
    };
    const { engine } = engineDouble({
      lookUp: () => Promise.resolve({ operations: { [done.id]: done as never } }),
    });
    const { app, streams } = appRig({ engine, mostStreams: 1 });
    const wait = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'wait_for_outcome', arguments: { operationId: done.id } },
    };
    const ask = () =>
      app.request('http://localhost:4780/mcp', {
        method: 'POST',
        headers: { ...key, accept: 'application/json, text/event-stream' },
        body: JSON.stringify(wait),
      });
    const read = await ask();
    expect(read.headers.get('content-type')).toBe('text/event-stream');
    expect(await read.text()).toContain('confirmed');
    expect(streams.isFull()).toBe(false);
    const left = await ask();
    expect(left.headers.get('content-type')).toBe('text/event-stream');
    await left.body?.cancel();
    expect(streams.isFull()).toBe(false);
  });

  it('a burst is held back by a limit of its own and tells somebody, while reading goes on', async () => {
    const { engine } = engineDouble({ getOrder: () => Promise.resolve(order) });
    const { app, bursts } = appRig({ engine, assistantLimit: 3 });
    const { call } = await assistantOf(app, key);
    for (let asked = 0; asked < 10; asked += 1) await call('begin_refund', { orderId: '1042' });
    expect(bursts.length).toBe(7);
    expect((await call('get_order', { orderId: '1042' })).isError).toBe(false);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  decision,
  operationIn,
  orderInput,
  proposal,
  shop,
  type EngineHouse,
} from '../../test/engine-house.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse();
});
afterAll(() => house.close());

const put = (id: string, input = orderInput()) => house.engine.putOrder(house.as(shop), id, input);

describe('an order', () => {
  it('put twice with the same contents changes nothing the second time', async () => {
    const input = orderInput();
    expect(await put('order-same', input)).toMatchObject({
      ok: true,
      created: true,
      changed: true,
      item: { version: 1 },
    });
    expect(await put('order-same', input)).toMatchObject({
      ok: true,
      created: false,
      changed: false,
      item: { version: 1 },
    });
  });

  it('gets a new version with another return, and keeps its figures', async () => {
    const input = orderInput();
    await put('order-returns', input);
    const answer = await put('order-returns', {
      ...input,
      returns: [{ id: 'return-2', status: 'expected' }],
    });
    expect(answer).toMatchObject({
      ok: true,
      item: { version: 2, returns: [{ id: 'return-2', status: 'expected' }], refundable: { minor: 10_000 } },
    });
  });

  it('stays on the payment that an operation of it uses, by our judgement and by the database’s', async () => {
    const input = orderInput();
    await put('order-used', input);
    await house.give(ada, proposal('order-used', 1_000));
    const repointed = { ...input, payment: { ...input.payment, reference: 'pi_another' } };
    expect(await put('order-used', repointed)).toMatchObject({ ok: false, problem: { status: 409 } });
    await put('order-elsewhere', {
      ...orderInput(),
      payment: { ...input.payment, reference: 'pi_elsewhere' },
    });
    await expect(
      house.database
        .admin`update orders set payment_reference = 'pi_elsewhere' where order_id = 'order-used'`,
    ).rejects.toThrow('foreign key');
    const order = await house.engine.getOrder(house.as(ada), 'order-used');
    expect(order?.payment.reference).toBe(input.payment.reference);
  });

  it('may be re-pointed while nothing uses its payment', async () => {
    const input = orderInput();
    await put('order-free', input);
    const other = { ...input, payment: { ...input.payment, reference: 'pi_free' } };
    expect(await put('order-free', other)).toMatchObject({
      ok: true,
      item: { payment: { reference: 'pi_free' } },
    });
  });

  it('shows its payment’s figures, and its operations', async () => {
    const orderId = await house.order();
    const operation = operationIn((await house.give(ada, proposal(orderId, 2_500)))[0]);
    await house.give(ben, approval(operation));
    expect(await house.engine.getOrder(house.as(ada), orderId)).toMatchObject({
      captured: { minor: 10_000 },
      reserved: { minor: 2_500 },
      refundable: { minor: 7_500 },
      operationIds: [operation.id],
      operations: [{ id: operation.id, state: 'approved' }],
    });
  });

  it('compares IDs byte by byte: another case is another order', async () => {
    await put('Order-Case');
    expect(await house.engine.getOrder(house.as(ada), 'order-case')).toBeNull();
  });

  it('is found by any part of its ID, customer, payment or lines, and wildcards are plain signs', async () => {
    await put('needle-100%', orderInput({ customer: { id: 'c-77', name: 'Björk Óla' } }));
    const find = async (text: string) =>
      (await house.engine.searchOrders(house.as(ada), text)).items.map(({ id }) => id);
    expect(await find('björk')).toEqual(['needle-100%']);
    expect(await find('100%')).toEqual(['needle-100%']);
    expect(await find('n__dle')).toEqual([]);
    expect(await find('headphones')).not.toEqual([]);
  });

  it('list goes on from its cursor without missing or repeating one', async () => {
    const all: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await house.engine.searchOrders(house.as(ada), '', cursor, 2);
      all.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    const [counted] = await house.database.admin`select count(*)::int as count from orders`;
    expect(new Set(all).size).toBe(counted?.['count']);
    expect(all).toHaveLength(counted?.['count'] as number);
  });
});

describe('a ticket', () => {
  it('put twice with the same contents changes nothing the second time', async () => {
    const input = { subject: 'Broken', customerId: 'c', orderId: 'o', status: 'open' as const };
    expect(await house.engine.putTicket(house.as(shop), 'ticket-1', input)).toMatchObject({
      created: true,
      item: { version: 1 },
    });
    expect(await house.engine.putTicket(house.as(shop), 'ticket-1', input)).toMatchObject({
      changed: false,
      item: { version: 1 },
    });
    expect((await house.engine.searchTickets(house.as(ada), 'broke')).items.map(({ id }) => id)).toEqual([
      'ticket-1',
    ]);
  });

  it('is told how its operation ended', async () => {
    await house.engine.putTicket(house.as(shop), 'ticket-2', {
      subject: 'S',
      customerId: 'c',
      status: 'open',
    });
    const operation = operationIn(
      (await house.give(ada, proposal(await house.order(), 1_000, { ticketId: 'ticket-2' })))[0],
    );
    await house.give(ben, decision('deny', operation.id));
    expect(await house.engine.getTicket(house.as(ada), 'ticket-2')).toMatchObject({
      version: 2,
      outcomes: [{ operationId: operation.id, sentence: 'Denied by Ben: a good reason.' }],
    });
  });
});

describe('operations', () => {
  it('are listed newest first, by filter, page by page', async () => {
    const orderId = await house.order();
    const ids: string[] = [];
    for (const minor of [100, 200, 300])
      ids.unshift(operationIn((await house.give(ada, proposal(orderId, minor)))[0]).id);
    const first = await house.engine.listOperations(house.as(ada), { orderId, limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const rest = await house.engine.listOperations(house.as(ada), {
      orderId,
      limit: 2,
      cursor: first.nextCursor ?? '',
    });
    expect([rest.items.map(({ id }) => id), rest.nextCursor]).toEqual([ids.slice(2), null]);
    await house.give(ada, decision('cancel', ids[0] ?? ''));
    const cancelled = await house.engine.listOperations(house.as(ada), { orderId, states: ['cancelled'] });
    expect(cancelled.items.map(({ id }) => id)).toEqual(ids.slice(0, 1));
    expect((await house.engine.listOperations(house.as(ada), { text: 'mara', orderId })).items).toHaveLength(
      3,
    );
    expect((await house.engine.listOperations(house.as(ada), { needsPerson: true, orderId })).items).toEqual(
      [],
    );
  });

  it('are looked up by many IDs at once; what is unknown or no ID is null', async () => {
    const operation = operationIn((await house.give(ada, proposal(await house.order(), 100)))[0]);
    const asked = [operation.id.toUpperCase(), 'nonsense', '01890000-0000-7000-8000-000000000000'];
    const { operations } = await house.engine.lookUp(house.as(ada), asked);
    expect(asked.map((id) => operations[id]?.id ?? null)).toEqual([operation.id, null, null]);
  });

  it('show attempts and observations to operators, and their timeline to everybody', async () => {
    const operation = operationIn((await house.give(ada, proposal(await house.order(), 100)))[0]);
    const forAgent = await house.engine.getOperation(house.as(ada), operation.id);
    expect(forAgent).not.toHaveProperty('attempts');
    expect(forAgent?.timeline).toMatchObject([
      { type: 'propose', by: { name: 'Ada' }, sentence: 'Ada proposed it.' },
    ]);
    const forOperator = await house.engine.getOperation(house.as({ ...ada, role: 'operator' }), operation.id);
    expect(forOperator).toMatchObject({ attempts: [], observations: [] });
  });

  it('are asked about at most every two seconds, and asking never wakes what is not submitted', async () => {
    const operation = operationIn((await house.give(ada, proposal(await house.order(), 100)))[0]);
    const wakeOf = async () =>
      (await house.database.admin`select wake_at from operations where id = ${operation.id}`)[0];
    const before = await wakeOf();
    expect(await house.engine.check(house.as(ada), operation.id)).toMatchObject({ kind: 'scheduled' });
    expect(await house.engine.check(house.as(ada), operation.id)).toMatchObject({ kind: 'too-soon' });
    expect(await wakeOf()).toEqual(before);
    expect(await house.engine.check(house.as(ada), 'nonsense')).toEqual({ kind: 'not-found' });
  });
});

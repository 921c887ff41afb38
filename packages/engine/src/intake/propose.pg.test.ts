import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ada,
  approval,
  ben,
  createEngineHouse,
  looseKey,
  olga,
  operationIn,
  problemIn,
  proposal,
  robot,
  slugIn,
  type EngineHouse,
} from '../../test/engine-house.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse({ maximum: 12 });
});
afterAll(() => house.close());

const rowsOf = (operationId: string) =>
  house.database.admin`select * from operations where id = ${operationId}`;
const auditOf = async (operationId: string): Promise<string[]> => {
  const rows = await house.database.admin<{ type: string }[]>`
    select type from audit where operation_id = ${operationId} order by sequence`;
  return rows.map(({ type }) => type);
};

describe('a proposal', () => {
  // Red when: the mark is read from the actor, whom a person and their assistant share.
  it('keeps its mark of an assistant, whoever of the person and the assistant acts after it', async () => {
    const [first, second] = [proposal(await house.order(), 1_000), proposal(await house.order(), 1_000)];
    const markOf = async (id: string) =>
      (await house.engine.getOperation(house.as(ada), id))?.proposedBy.assistant;
    const { id: assistants } = operationIn((await house.give(robot, first))[0]);
    expect(await markOf(assistants)).toBe(true);
    const { id: persons } = operationIn((await house.give(ada, second))[0]);
    expect([await markOf(assistants), await markOf(persons)]).toEqual([true, false]);
    await house.give(robot, proposal(await house.order(), 1_000));
    expect([await markOf(assistants), await markOf(persons)]).toEqual([true, false]);
  });

  // Red when: `accept` writes without `onConflictDoNothing` and the ID is not read again under the payment's lock.
  it('F026: sent five times at once is accepted once and replayed four times, in one row', async () => {
    const command = proposal(await house.order(), 4_999);
    const results = await Promise.all(Array.from({ length: 5 }, () => house.give(ada, command)));
    expect(results.map(([result]) => result?.status).sort()).toEqual([
      'applied',
      'replayed',
      'replayed',
      'replayed',
      'replayed',
    ]);
    expect(await rowsOf(command.operationId)).toHaveLength(1);
    expect(await auditOf(command.operationId)).toEqual(['propose']);
  });

  // Red when: `judgeKnownId` answers `same` without comparing, or compares by the text of the JSON.
  it('F018: under a known ID with another amount, order or currency is refused, recorded, and changes nothing', async () => {
    const orderId = await house.order();
    const otherOrder = await house.order();
    const command = proposal(orderId, 1_000, {
      lines: [
        { sku: 'A', quantity: 1 },
        { sku: 'B', quantity: 2 },
      ],
    });
    const accepted = operationIn((await house.give(ada, command))[0]);
    const before = await rowsOf(command.operationId);
    const changed = [
      { ...command, amount: { minor: 1_200, currency: 'EUR' } },
      { ...command, orderId: otherOrder },
      { ...command, amount: { minor: 1_000, currency: 'USD' } },
    ];
    const differing: string[][] = [];
    for (const other of changed) {
      const [result] = await house.give(ada, other);
      expect(slugIn(result)).toBe('operation-mismatch');
      expect(problemIn(result).final).toBe(true);
      differing.push(Object.keys(problemIn(result).received ?? {}));
    }
    expect(differing).toEqual([['amount'], ['orderId'], ['amount']]);
    expect(await rowsOf(command.operationId)).toEqual(before);
    expect(await auditOf(command.operationId)).toEqual([
      'propose',
      'mismatch-refused',
      'mismatch-refused',
      'mismatch-refused',
    ]);
    // Only the order of what is said differs: the same operation.
    const reordered = { ...command, lines: [...(command.lines ?? [])].reverse() };
    const [again] = await house.give(ada, reordered);
    expect(again).toMatchObject({ status: 'replayed', operation: { id: accepted.id, version: 1 } });
  });

  it('F018: is refused under a known ID also once it is approved', async () => {
    const command = proposal(await house.order(), 1_000);
    const operation = operationIn((await house.give(ada, command))[0]);
    await house.give(ben, approval(operation));
    const [result] = await house.give(ada, { ...command, amount: { minor: 9_000, currency: 'EUR' } });
    expect(slugIn(result)).toBe('operation-mismatch');
    const [row] = await rowsOf(command.operationId);
    expect(row).toMatchObject({ state: 'approved', amount_minor: '1000' });
  });

  // Red when: `judgeProposal` adds in major units what is refunded and what is asked: 11.85 + 18.35 is then above 30.20.
  it('F072: of exactly the rest of a partly refunded payment is accepted, and nothing remains', async () => {
    const orderId = await house.order({ capturedMinor: 3_020 });
    const [payment] = await house.database.admin<{ payment_reference: string }[]>`
      update payments set refunded = 1185 from orders
      where orders.order_id = ${orderId} and payments.payment_reference = orders.payment_reference
      returning payments.payment_reference`;
    expect(payment).toBeDefined();
    const operation = operationIn((await house.give(ada, proposal(orderId, 1_835)))[0]);
    const approved = operationIn((await house.give(ben, approval(operation)))[0]);
    expect(approved.state).toBe('approved');
    expect((await house.engine.getOrder(house.as(ada), orderId))?.refundable).toEqual({
      minor: 0,
      currency: 'EUR',
    });
  });

  it('that is refused binds nothing: it is judged afresh under the same ID', async () => {
    const orderId = await house.order({ returns: [{ id: 'return-1', status: 'expected' }] });
    const command = proposal(orderId, 1_000);
    expect(slugIn((await house.give(ada, command))[0])).toBe('not-eligible');
    expect(await rowsOf(command.operationId)).toHaveLength(0);
    const order = await house.engine.getOrder(house.as(ada), orderId);
    if (order === null) throw new Error('the order is there');
    await house.engine.putOrder(house.as(ada), orderId, {
      customer: order.customer,
      payment: { provider: 'stripe', reference: order.payment.reference, captured: order.captured },
      lines: order.lines,
      returns: [{ id: 'return-1', status: 'received' }],
      placedAt: order.placedAt,
    });
    expect((await house.give(ada, command))[0]?.status).toBe('applied');
  });

  it('for an order that is not known yet is not found, and never finally so', async () => {
    const [result] = await house.give(ada, proposal('no-such-order', 1_000));
    expect(slugIn(result)).toBe('not-found');
    expect(problemIn(result).final).toBe(false);
  });

  it('of more than is refundable says how much is left', async () => {
    const [result] = await house.give(ada, proposal(await house.order({ capturedMinor: 4_000 }), 4_001));
    expect(slugIn(result)).toBe('exceeds-refundable');
    expect(problemIn(result).refundable).toEqual({ minor: 4_000, currency: 'EUR' });
  });

  it('that looks like another is refused until a person says that it differs', async () => {
    const orderId = await house.order();
    const first = operationIn((await house.give(ada, proposal(orderId, 1_000)))[0]);
    const second = proposal(orderId, 1_000);
    const [refused] = await house.give(ada, second);
    expect(slugIn(refused)).toBe('possible-duplicate');
    expect(problemIn(refused).operations?.map(({ id }) => id)).toEqual([first.id]);
    const differing = { ...second, differentFrom: [first.id] };
    expect(slugIn((await house.give(robot, differing))[0])).toBe('forbidden');
    expect(slugIn((await house.give(looseKey, differing))[0])).toBe('forbidden');
    expect((await house.give(ada, differing))[0]?.status).toBe('applied');
  });

  it('of the same amount as a refund made elsewhere names that refund', async () => {
    const orderId = await house.order();
    await house.database.admin`
      insert into mirror_refunds (org_id, provider, reference, payment_reference, amount_minor, currency, status,
        status_text, provider_created_at, first_seen_at, updated_at)
      select org_id, provider, 're_by_hand', payment_reference, 700, 'EUR', 'succeeded', 'succeeded', now(), now(), now()
      from orders where order_id = ${orderId}`;
    const [result] = await house.give(ada, proposal(orderId, 700));
    expect(slugIn(result)).toBe('possible-duplicate');
    expect(problemIn(result).elsewhere?.map(({ reference }) => reference)).toEqual(['re_by_hand']);
  });

  it('with the reason `fraudulent` is only an operator’s', async () => {
    const orderId = await house.order();
    const command = proposal(orderId, 1_000, { reason: 'fraudulent', note: 'a stolen card' });
    expect(slugIn((await house.give(ada, command))[0])).toBe('forbidden');
    expect((await house.give(olga, command))[0]?.status).toBe('applied');
  });

  it('given under another person’s name is that person’s to send, not this session’s', async () => {
    const command = proposal(await house.order(), 1_000, { subject: 'user-somebody-else' });
    const [result] = await house.give(ada, command);
    expect(slugIn(result)).toBe('wrong-subject');
    expect(problemIn(result).final).toBe(false);
    expect(await rowsOf(command.operationId)).toHaveLength(0);
  });

  it('by an approver is forbidden', async () => {
    expect(slugIn((await house.give(ben, proposal(await house.order(), 1_000)))[0])).toBe('forbidden');
  });

  it('beside a malformed and a rejected one in a batch is applied all the same', async () => {
    const good = proposal(await house.order(), 1_000);
    const results = await house.engine.apply(house.as(ada), [
      {
        ok: false,
        commandId: 'x',
        problem: { type: 'p/invalid', title: '', status: 422, detail: '', final: true },
      },
      { ok: true, command: proposal('no-such-order', 5) },
      { ok: true, command: good },
    ]);
    expect(results.map(({ commandId, status }) => [commandId, status])).toEqual([
      ['x', 'rejected'],
      [expect.any(String), 'rejected'],
      [good.commandId, 'applied'],
    ]);
  });
});

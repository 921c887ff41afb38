import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import {
  ada,
  approval,
  ben,
  boss,
  cleo,
  createEngineHouse,
  decision,
  mint,
  operationIn,
  problemIn,
  proposal,
  robot,
  slugIn,
  withdrawal,
  type EngineHouse,
} from '../../test/engine-house.ts';
import type { Operation } from '@holdfast/operation';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse({ maximum: 24, adapter: createScriptedProvider().adapter });
});
afterAll(() => house.close());

const proposed = async (minor = 1_000, orderId?: string): Promise<Operation> =>
  operationIn((await house.give(ada, proposal(orderId ?? (await house.order()), minor)))[0]);

const figures = async (orderId: string | null) => {
  const [row] = await house.database.admin<{ reserved: string; refunded: string }[]>`
    select reserved, refunded from payments join orders using (org_id, provider, payment_reference)
    where order_id = ${orderId}`;
  return row;
};
const rowOf = async (id: string) => {
  const [row] = await house.database.admin`select * from operations where id = ${id}`;
  return row;
};

describe('an approval', () => {
  it('of what is proposed reserves the money and can be taken back for a while', async () => {
    const operation = await proposed();
    const approved = operationIn((await house.give(ben, approval(operation)))[0]);
    expect(approved).toMatchObject({ state: 'approved', version: 2, waitingFor: 'undo' });
    expect(approved.approvals.map(({ by }) => by.name)).toEqual(['Ben']);
    expect(await figures(operation.orderId)).toEqual({ reserved: '1000', refunded: '0' });
    const [result] = await house.give(ben, withdrawal(operation.id));
    expect(operationIn(result)).toMatchObject({ state: 'proposed', version: 3, approvals: [] });
    expect(await figures(operation.orderId)).toEqual({ reserved: '0', refunded: '0' });
    expect(await rowOf(operation.id)).toMatchObject({ approved_at: null, undo_until: null });
  });

  it('sent twice, also at once, is applied once and replayed with the operation as it is now', async () => {
    const command = approval(await proposed());
    const results = await Promise.all([1, 2, 3].map(() => house.give(ben, command)));
    expect(results.map(([result]) => result?.status).sort()).toEqual(['applied', 'replayed', 'replayed']);
    const counted = await house.database
      .admin`select from approvals where operation_id = ${command.operationId}`;
    expect(counted).toHaveLength(1);
    await house.give(ben, withdrawal(command.operationId));
    expect((await house.give(ben, command))[0]).toMatchObject({
      status: 'replayed',
      operation: { state: 'proposed' },
    });
  });

  // Red when: a replay does not ask whose decision the ID stands for.
  it('under the command ID of another person is refused, and is nobody’s approval', async () => {
    const command = approval(await proposed());
    await house.give(ben, command);
    expect(slugIn((await house.give(cleo, command))[0])).toBe('operation-mismatch');
    const given = await house.database
      .admin`select actor_id from approvals where operation_id = ${command.operationId}`;
    expect(given).toHaveLength(1);
  });

  it('of another fingerprint is stale, and its command ID stays bound to that verdict', async () => {
    const operation = await proposed();
    const command = approval(operation, { fingerprint: 'f'.repeat(64) });
    expect(slugIn((await house.give(ben, command))[0])).toBe('stale-approval');
    expect(slugIn((await house.give(ben, command))[0])).toBe('stale-approval');
    const [bound] = await house.database
      .admin`select verdict from commands where command_id = ${command.commandId}`;
    expect(bound?.['verdict']).toMatchObject({ status: 'rejected' });
    expect((await rowOf(operation.id))?.['version']).toBe(1);
  });

  it('is stale when what its giver saw of the order has changed', async () => {
    const operation = await proposed();
    const order = await house.engine.getOrder(house.as(ben), operation.orderId ?? '');
    if (order === null) throw new Error('the order is there');
    const seen = { refundable: order.refundable, orderVersion: order.version };
    const stale = approval(operation, { seen: { ...seen, orderVersion: order.version + 1 } });
    const [result] = await house.give(ben, stale);
    expect(slugIn(result)).toBe('stale-approval');
    expect(problemIn(result)['now']).toMatchObject({ orderVersion: order.version });
    expect((await house.give(ben, approval(operation, { seen })))[0]?.status).toBe('applied');
  });

  it('of a command ID that stood for something else is refused', async () => {
    const first = approval(await proposed());
    await house.give(ben, first);
    const other = approval(await proposed(), { commandId: first.commandId });
    expect(slugIn((await house.give(ben, other))[0])).toBe('operation-mismatch');
  });

  it('is never the proposer’s own, nor an assistant’s', async () => {
    const own = operationIn((await house.give(boss, proposal(await house.order(), 1_000)))[0]);
    expect(slugIn((await house.give(boss, approval(own)))[0])).toBe('forbidden');
    const assistant = { ...robot, id: 'user-x', role: 'approver' as const };
    expect(slugIn((await house.give(assistant, approval(own)))[0])).toBe('forbidden');
    const key = { ...ben, id: 'key-1', via: 'ownerless-key' as const };
    expect(slugIn((await house.give(key, approval(own)))[0])).toBe('forbidden');
    expect((await rowOf(own.id))?.['state']).toBe('proposed');
  });

  it('of a denied operation says that it was decided, and of a cancelled one that it is too late', async () => {
    const denied = await proposed();
    await house.give(cleo, decision('deny', denied.id));
    expect(slugIn((await house.give(ben, approval(denied)))[0])).toBe('already-decided');
    const cancelled = await proposed();
    await house.give(ada, decision('cancel', cancelled.id));
    expect(slugIn((await house.give(ben, approval(cancelled)))[0])).toBe('too-late');
  });

  it('of something that is no longer eligible leaves it proposed', async () => {
    const operation = await proposed();
    await house.database.admin`update payments set disputed = true from orders
      where order_id = ${operation.orderId} and payments.payment_reference = orders.payment_reference`;
    const [result] = await house.give(ben, approval(operation));
    expect(slugIn(result)).toBe('not-eligible');
    expect(problemIn(result).reasons?.map(({ reason }) => reason)).toEqual(['disputed']);
    expect((await rowOf(operation.id))?.['state']).toBe('proposed');
  });

  it('beyond what is needed is recorded and changes nothing else', async () => {
    const operation = await proposed();
    await house.give(ben, approval(operation));
    const again = operationIn((await house.give(cleo, approval(operation)))[0]);
    expect(again).toMatchObject({ state: 'approved', version: 3 });
    expect(again.approvals.map(({ by }) => by.name)).toEqual(['Ben', 'Cleo']);
    expect(await figures(operation.orderId)).toMatchObject({ reserved: '1000' });
    // One of two taken back leaves it approved, since the other is enough.
    const [kept] = await house.give(ben, withdrawal(operation.id));
    expect(operationIn(kept)).toMatchObject({ state: 'approved' });
  });

  it('where two are needed counts people, not commands', async () => {
    await house.database.admin`update organisations set policy = jsonb_set(policy, '{approvalsNeeded}', '2')`;
    try {
      const operation = await proposed();
      const first = operationIn((await house.give(ben, approval(operation)))[0]);
      expect(first).toMatchObject({
        state: 'proposed',
        version: 2,
        sentence: 'Waiting for a second approval.',
      });
      expect(operationIn((await house.give(ben, approval(operation)))[0]).state).toBe('proposed');
      expect(operationIn((await house.give(cleo, approval(operation)))[0]).state).toBe('approved');
    } finally {
      await house.database
        .admin`update organisations set policy = jsonb_set(policy, '{approvalsNeeded}', '1')`;
    }
  });
});

describe('the reservation', () => {
  // Red when: `judgeApproval` no longer compares with what is left and `bookMoney` updates without its condition; either
  // of the two alone keeps the promise.
  it('F030: of two refunds of 60 on a capture of 100, approved at once, one is refused with what is left', async () => {
    const orderId = await house.order({ capturedMinor: 10_000 });
    const first = await proposed(6_000, orderId);
    const second = operationIn(
      (await house.give(ada, proposal(orderId, 6_000, { differentFrom: [first.id] })))[0],
    );
    const results = (
      await Promise.all([house.give(ben, approval(first)), house.give(cleo, approval(second))])
    ).flat();
    expect(results.map(({ status }) => status).sort()).toEqual(['applied', 'rejected']);
    const loser = results.find(({ status }) => status === 'rejected');
    expect(slugIn(loser)).toBe('exceeds-refundable');
    expect(problemIn(loser)).toMatchObject({
      refundable: { minor: 4_000, currency: 'EUR' },
      detail: 'Only EUR 40.00 is left.',
    });
    expect(await figures(orderId)).toEqual({ reserved: '6000', refunded: '0' });
  });

  it('F030: twenty refunds of 10 on a capture of 100, approved at once, reserve exactly 100', async () => {
    const orderId = await house.order({ capturedMinor: 10_000 });
    const all: Operation[] = [];
    for (let index = 0; index < 20; index += 1) {
      const differentFrom = all.map(({ id }) => id);
      all.push(operationIn((await house.give(ada, proposal(orderId, 1_000, { differentFrom })))[0]));
    }
    const results = (await Promise.all(all.map((operation) => house.give(ben, approval(operation))))).flat();
    expect(results.filter(({ status }) => status === 'applied')).toHaveLength(10);
    expect(results.filter(({ status }) => status === 'rejected').map(slugIn)).toEqual(
      Array.from({ length: 10 }, () => 'exceeds-refundable'),
    );
    expect(await figures(orderId)).toEqual({ reserved: '10000', refunded: '0' });
  });
});

describe('ending', () => {
  it('an approved operation frees its money, and says who and why', async () => {
    const operation = await proposed();
    await house.give(ben, approval(operation));
    const denied = operationIn((await house.give(cleo, decision('deny', operation.id)))[0]);
    expect(denied).toMatchObject({ state: 'denied', sentence: 'Denied by Cleo: a good reason.' });
    expect(await figures(operation.orderId)).toEqual({ reserved: '0', refunded: '0' });
  });

  it('is the proposer’s, not another agent’s', async () => {
    const operation = await proposed();
    const another = { ...ada, id: 'user-another', name: 'Another' };
    expect(slugIn((await house.give(another, decision('cancel', operation.id)))[0])).toBe('forbidden');
    expect((await house.give(ada, decision('cancel', operation.id)))[0]?.operation?.state).toBe('cancelled');
  });

  it('an ID that was never seen is remembered, and a late copy of its proposal does nothing', async () => {
    const late = proposal(await house.order(), 1_000);
    const cancelled = operationIn((await house.give(ada, decision('cancel', late.operationId)))[0]);
    expect(cancelled).toMatchObject({ state: 'cancelled', orderId: null, amount: null, version: 1 });
    const [result] = await house.give(ada, late);
    expect(result).toMatchObject({
      status: 'replayed',
      operation: { state: 'cancelled', orderId: null, version: 1 },
    });
    expect(
      slugIn((await house.give(ben, { ...approval(cancelled), fingerprint: 'a'.repeat(64) } as never))[0]),
    ).toBe('too-late');
  });

  it('at the same moment as the proposal arrives leaves one row, cancelled or cancelled before it came', async () => {
    const command = proposal(await house.order(), 1_000);
    await Promise.all([house.give(ada, command), house.give(ada, decision('cancel', command.operationId))]);
    const rows = await house.database.admin`select state from operations where id = ${command.operationId}`;
    expect(rows.map((row) => row['state'])).toEqual(['cancelled']);
  });

  it('an operation that may have been sent is too late', async () => {
    const operation = await proposed();
    await house.give(ben, approval(operation));
    await house.database.admin`update operations set state = 'submitting' where id = ${operation.id}`;
    for (const [actor, command] of [
      [ada, decision('cancel', operation.id)],
      [cleo, decision('deny', operation.id)],
      [ben, withdrawal(operation.id)],
    ] as const) {
      expect(slugIn((await house.give(actor, command))[0])).toBe('too-late');
    }
  });

  // Red when: the withdrawal is refused as forbidden, which binds nothing and parks it at its device.
  it('taken back where none was given, ends with a verdict that stays; whoever may not approve is refused', async () => {
    const operation = await proposed();
    const command = withdrawal(operation.id);
    expect(slugIn((await house.give(ben, command))[0])).toBe('too-late');
    await house.give(ben, approval(operation));
    expect(slugIn((await house.give(ben, command))[0])).toBe('too-late');
    expect((await rowOf(operation.id))?.['state']).toBe('approved');
    expect(slugIn((await house.give(ada, withdrawal(operation.id)))[0])).toBe('forbidden');
  });

  it('of an unknown operation by anything but a cancellation is not found, and not finally', async () => {
    const [result] = await house.give(ben, decision('deny', mint()));
    expect(slugIn(result)).toBe('not-found');
    expect(problemIn(result).final).toBe(false);
    const bound = await house.database
      .admin`select from commands where command_id = ${result?.commandId ?? ''}`;
    expect(bound).toHaveLength(0);
  });
});

describe('where API keys may not approve', () => {
  // Red when: refusing keys covers more than approving and settling.
  it('a key still denies, and takes back what its owner approved; an assistant does neither', async () => {
    const key = { ...ben, via: 'owned-key' as const };
    const operation = await proposed();
    expect(slugIn((await house.give(key, approval(operation)))[0])).toBe('forbidden');
    await house.give(ben, approval(operation));
    const assistant = { ...key, assistant: true };
    expect(slugIn((await house.give(assistant, withdrawal(operation.id)))[0])).toBe('forbidden');
    expect(slugIn((await house.give(assistant, decision('deny', operation.id)))[0])).toBe('forbidden');
    expect((await rowOf(operation.id))?.['state']).toBe('approved');
    await house.give(key, withdrawal(operation.id));
    expect((await rowOf(operation.id))?.['state']).toBe('proposed');
    await house.give(key, decision('deny', operation.id));
    expect((await rowOf(operation.id))?.['state']).toBe('denied');
  });
});

describe('opposite decisions of one person on one operation in one batch', () => {
  it('apply neither, whatever their order, and leave the others alone', async () => {
    const torn = await proposed();
    const clear = await proposed();
    const results = await house.give(ben, decision('deny', torn.id), approval(clear), approval(torn));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'applied', 'rejected']);
    expect((await rowOf(torn.id))?.['state']).toBe('proposed');
  });

  it('do not undo one that was applied before, when both are sent again', async () => {
    const operation = await proposed();
    const approve = approval(operation);
    await house.give(ben, approve);
    const deny = decision('deny', operation.id);
    const results = await house.give(ben, approve, deny);
    expect(results.map(({ status }) => status)).toEqual(['replayed', 'applied']);
  });
});

import { expect, test } from 'vitest';
import type { Actor, FollowUpAct, Operation, OperationDetail } from '@holdfast/operation';
import {
  ada,
  approval,
  ben,
  decision,
  mint,
  olga,
  operationIn,
  proposal,
  robot,
} from '../../test/engine-house.ts';
import { scriptedEngineHouse } from '../../test/scripted-engine-house.ts';
import type { CaseAnswer } from '../engine-interface.ts';
import { verifyAuditOf } from '../postgres/audit-store.ts';
import { refundsThatCameBack } from '../postgres/notice-facts.ts';

const { house, moves, figures } = await scriptedEngineHouse();

type Said = FollowUpAct extends infer Act
  ? Act extends FollowUpAct
    ? Omit<Act, 'commandId'>
    : never
  : never;
const act = (who: Actor, { id }: Operation, said: Said, commandId = mint()): Promise<CaseAnswer> =>
  house.engine.cases.followUp(house.as(who), id, { ...said, commandId });
const operationOf = (answer: CaseAnswer): Operation => {
  if (answer.kind === 'refused') throw new Error(answer.problem.detail);
  return answer.operation;
};
const slugOf = (answer: CaseAnswer): string =>
  answer.kind === 'refused' ? (answer.problem.type.split('/').at(-1) ?? '') : answer.kind;
const now = async ({ id }: Operation): Promise<OperationDetail> => {
  const operation = await house.engine.getOperation(house.as(ada), id);
  if (operation === null) throw new Error('it is there');
  return operation;
};

const ticketed = async (): Promise<{ readonly operation: Operation; readonly ticketId: string }> => {
  const ticketId = `ticket-${mint()}`;
  const ticket = { subject: 'Headphones', customerId: 'c', status: 'open' } as const;
  await house.engine.putTicket(house.as(ada), ticketId, ticket);
  const [result] = await house.give(ada, proposal(await house.order(), 1_000, { ticketId }));
  const operation = operationIn(result);
  await house.give(ben, approval(operation));
  return { operation, ticketId };
};
const confirmed = async () => {
  const made = await ticketed();
  const { operation } = made;
  return {
    ...made,
    operation: await moves(operation, { type: 'claim' }, { type: 'evidence-confirmed' }),
  };
};
const cameBack = async () => {
  const made = await confirmed();
  return { ...made, operation: await moves(made.operation, { type: 'evidence-reversed' }) };
};
const told = async ({ id }: Operation) =>
  (await house.runtime.inOrganisation(house.organisationId, refundsThatCameBack)).filter(
    (one) => one.id === id,
  );

// Red when: nothing is left to do, or nobody who had to do with it is told.
test('F055: a refund that came back leaves it to be done to pay another way, told to its proposer and its approver, and the money is free', async () => {
  const { operation: before } = await confirmed();
  expect(await figures(before)).toEqual({ reserved: 0, refunded: 1_000, elsewhere: 0 });
  expect(before.followUp).toBeUndefined();
  const operation = await moves(before, { type: 'evidence-reversed' });
  expect(operation.followUp).toEqual({ kind: 'pay-another-way', since: expect.any(String) as string });
  expect(await figures(operation)).toEqual({ reserved: 0, refunded: 0, elsewhere: 0 });
  expect(await told(operation)).toMatchObject([{ people: [ada.id, ben.id].toSorted() }]);
});

// Red when: two have it, what somebody has is closed by another, or it can be closed twice.
test('F055: one person sees to it, closes it with a note, and then nobody is told of it any more', async () => {
  const { operation } = await cameBack();
  const both = await Promise.all([
    act(ada, operation, { act: 'take' }),
    act(olga, operation, { act: 'take' }),
  ]);
  expect(both.map(slugOf).toSorted()).toEqual(['done', 'stale']);
  const holder = (await now(operation)).followUp?.taken?.by.id === ada.id ? ada : olga;
  const other = holder === ada ? olga : ada;
  expect(slugOf(await act(other, operation, { act: 'close', note: 'paid' }))).toBe('stale');
  const commandId = mint();
  const close = { act: 'close', note: 'Paid to another account, on the phone.' } as const;
  const closed = operationOf(await act(holder, operation, close, commandId));
  expect(closed.followUp?.closed).toMatchObject({ by: { id: holder.id }, how: 'note', note: close.note });
  expect(slugOf(await act(holder, operation, close, commandId))).toBe('replayed');
  expect(slugOf(await act(holder, operation, { act: 'close', note: 'again' }))).toBe('stale');
  expect(await told(operation)).toEqual([]);
  expect((await now(operation)).state).toBe('reversed');
  const audit = await house.runtime.inOrganisation(house.organisationId, (tx) =>
    verifyAuditOf(tx, operation.id),
  );
  expect(audit).toEqual([]);
  const [kept] = await house.database.admin`select count(*)::integer as notes from audit
    where operation_id = ${operation.id} and data::text like '%on the phone%'`;
  expect(kept).toEqual({ notes: 0 });
});

// Red when: the new refund leaves it open, or one that came to nothing leaves it closed.
test('F055: a new refund in its place closes it, and opens it again where it comes to nothing', async () => {
  const { operation } = await cameBack();
  const orderId = operation.orderId ?? '';
  const [result] = await house.give(
    ada,
    proposal(orderId, 1_000, { replaces: operation.id, differentFrom: [operation.id] }),
  );
  const again = operationIn(result);
  expect((await now(operation)).followUp?.closed).toMatchObject({
    ...{ how: 'proposal', operationId: again.id, by: { id: ada.id } },
  });
  await house.give(ben, decision('deny', again.id));
  const open = await now(operation);
  expect(open.followUp).toEqual({ kind: 'pay-another-way', since: operation.followUp?.since });
  expect(open.timeline.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['follow-up-closed', 'follow-up-reopened']),
  );
  expect(await told(operation)).toHaveLength(1);
});

// Red when: what did not come back can be seen to, or by a model's command under another's ID.
test('only what came back leaves something to do, and one command is one act', async () => {
  const { operation } = await confirmed();
  expect(slugOf(await act(ada, operation, { act: 'take' }))).toBe('not-eligible');
  const { operation: back } = await cameBack();
  const commandId = mint();
  expect(slugOf(await act(ada, back, { act: 'take' }, commandId))).toBe('done');
  expect(slugOf(await act(ada, back, { act: 'put-back' }, commandId))).toBe('operation-mismatch');
  expect(slugOf(await act({ ...robot, id: 'somebody' }, back, { act: 'take' }, commandId))).toBe(
    'operation-mismatch',
  );
});

// Red when: an end is not written into the ticket, is written twice, or is changed by what comes later.
test('F055: the ticket is told of each end once, in the words of then: that it was refunded, and that it did not last', async () => {
  const { operation, ticketId } = await cameBack();
  await moves(operation, { type: 'attention-settled', visible: true });
  const ticket = await house.engine.getTicket(house.as(ada), ticketId);
  expect(ticket?.outcomes.map(({ operationId, state }) => ({ operationId, state }))).toEqual([
    { operationId: operation.id, state: 'confirmed' },
    { operationId: operation.id, state: 'reversed' },
  ]);
  expect(ticket?.outcomes[1]?.sentence).toBe(operation.sentence);
  expect(ticket?.outcomes[0]?.sentence).not.toBe(operation.sentence);
  const [rows] = await house.database.admin`select count(*)::integer as notes,
      bool_and(n.at = (select a.at from audit a where a.operation_id = n.operation_id and a.version = n.version))
        as together
    from ticket_notes n where n.ticket_id = ${ticketId}`;
  expect(rows).toEqual({ notes: 2, together: true });
});

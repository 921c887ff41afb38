import { expect, test } from 'vitest';
import type { Actor, Command, CommandResult, Operation } from '@holdfast/operation';
import { gate, scriptedHouse } from '../../test/scripted-house.ts';
import { agent, approver, mint } from '../../test/worker-house.ts';
import { readOperation, viewOperation } from '../postgres/operation-reader.ts';

const { house, provider, newOrder, figures, inLedger, accountBy } = await scriptedHouse();
const cleo: Actor = { ...approver, id: 'approver-2', name: 'Cleo' };
const olga: Actor = { ...approver, id: 'operator-1', name: 'Olga', role: 'operator' };
const robot: Actor = { ...agent, via: 'owned-key', assistant: true };

const give = async (actor: Actor, command: Command): Promise<CommandResult> => {
  const [result] = await house.apply(actor, command);
  if (result === undefined) throw new Error('no verdict');
  return result;
};
const slugOf = ({ problem }: CommandResult): string => problem?.type.split('/').at(-1) ?? 'none';
const seenNow = (id: string): Promise<Operation> =>
  house.inOrganisation(house.organisationId, async (tx) => {
    const row = await readOperation(tx, id);
    if (row === undefined) throw new Error(`no operation ${id}`);
    return viewOperation(tx, row, () => 'Stripe');
  });
const approval = (operation: Operation, seen?: Extract<Command, { type: 'approve' }>['seen']): Command => ({
  type: 'approve',
  commandId: mint(),
  operationId: operation.id,
  fingerprint: operation.fingerprint ?? '',
  ...(seen === undefined ? {} : { seen }),
});

// Red when: an outcome is settled by hand while a claim is live, or a second worker or approval starts another request.
test('F029: approve, send at once and mark as done: one claim wins, the others hear that it is under way, one refund', async () => {
  const { order, payment } = await newOrder();
  const id = await house.approved(order, 2_000);
  const held = gate();
  const waiting = accountBy({
    submit: async (...request) => {
      await held.opened;
      return provider.adapter.submit(...request);
    },
  });
  const first = house.worker({ providers: waiting }).runOnce();
  await house.settled(id, 'submitting');
  await house.worker({ providers: waiting }).runOnce();
  const again = await give(cleo, approval(await seenNow(id)));
  expect(again).toMatchObject({ status: 'applied', operation: { state: 'submitting' } });
  expect(again.operation?.sentence).toBe('Submitting to Stripe…');
  const { version } = await seenNow(id);
  for (const outcome of ['confirmed', 'failed'] as const) {
    const marked = await give(olga, {
      ...{ type: 'resolve', commandId: mint(), operationId: id, version, outcome, note: 'done by hand' },
      ...(outcome === 'confirmed' ? { providerReference: 're_by_hand' } : {}),
    });
    expect(slugOf(marked)).toMatch(outcome === 'failed' ? /^stale$/ : /^(stale|invalid|not-eligible)$/);
  }
  const stopped = await give(cleo, { type: 'deny', commandId: mint(), operationId: id, reason: 'no' });
  expect(stopped.problem).toMatchObject({ status: 409, decided: { state: 'submitting', by: null } });
  held.open();
  await first;
  await house.settled(id, 'confirmed');
  expect(provider.requests).toHaveLength(1);
  expect(inLedger(payment)).toHaveLength(1);
  const entries = await house.database.admin<{ type: string }[]>`
    select type from audit where operation_id = ${id} order by sequence`;
  expect(entries.map(({ type }) => type)).toEqual([
    'propose',
    'approve',
    'claim',
    'approve-partly',
    'evidence-confirmed',
  ]);
});

// Red when: the second approval is refused without what took the money, or its stored verdict holds a name.
test('F100: of two proposals that compete for one capture only one can be approved, and the second approver sees why', async () => {
  const { order, payment } = await newOrder();
  const op92 = await house.propose(order, 10_000);
  const op93 = await house.propose(order, 10_000, { differentFrom: [op92] });
  expect(await seenNow(op93)).toMatchObject({
    competing: [{ id: op92, state: 'proposed', alike: ['amount'], by: { name: 'Ada' } }],
  });
  expect(await seenNow(op92)).toMatchObject({ competing: [{ id: op93, alike: ['amount'] }] });
  const [one, other] = await Promise.all([
    give(approver, approval(await seenNow(op92))),
    give(cleo, approval(await seenNow(op93))),
  ]);
  const [won, lost] = one.status === 'applied' ? [one, other] : [other, one];
  expect([won.status, slugOf(lost)]).toEqual(['applied', 'exceeds-refundable']);
  expect(lost.operation?.state).toBe('proposed');
  const winner = { id: won.operation?.id, state: 'approved', amount: { minor: 10_000, currency: 'EUR' } };
  const by = won.operation?.approvals[0]?.by;
  expect(lost.problem).toMatchObject({
    refundable: { minor: 0 },
    now: { refundable: { minor: 0 } },
    operations: [{ ...winner, by, at: won.operation?.approvals[0]?.at }],
  });
  const [stored] = await house.database.admin<{ verdict: unknown }[]>`
    select verdict from commands where command_id = ${lost.commandId}`;
  expect(JSON.stringify(stored?.verdict)).toContain(winner.id);
  expect(JSON.stringify(stored?.verdict)).not.toMatch(/Ada|Ben|Cleo/);
  expect(await figures(payment)).toMatchObject({ reserved: 10_000 });
  await house.worker().runOnce();
  expect(inLedger(payment)).toHaveLength(1);
});

// Red when: what is carried out is read from anywhere but the stored, approved content.
test('F102: only what was approved is carried out; a changed call is refused or a proposal of its own, and the audit proves what was seen', async () => {
  const { order, payment } = await newOrder(100_000);
  const another = await newOrder(100_000);
  const call = (operationId: string, minor: number, orderId = order): Command => ({
    ...{ type: 'propose', commandId: operationId, operationId, kind: 'refund', orderId },
    ...{ amount: { minor, currency: 'EUR' }, reason: 'returned' },
  });
  const id = mint();
  const proposed = await give(robot, call(id, 8_200));
  if (proposed.operation === undefined) throw new Error('not proposed');
  const seen = { refundable: { minor: 100_000, currency: 'EUR' }, orderVersion: 1 };
  const at = proposed.operation.atProposal?.orderVersion ?? 0;
  const approved = await give(approver, approval(proposed.operation, { ...seen, orderVersion: at }));
  expect(approved.status).toBe('applied');
  // The run goes on and now says something else: another amount, or the same amount of another payment.
  for (const changed of [call(id, 82_000), call(id, 8_200, another.order)]) {
    expect(slugOf(await give(robot, changed))).toBe('operation-mismatch');
  }
  const anew = mint();
  expect(await give(robot, call(anew, 82_000))).toMatchObject({ operation: { state: 'proposed' } });
  const unapproved = { ...(await seenNow(anew)), fingerprint: proposed.operation.fingerprint };
  expect(slugOf(await give(approver, approval(unapproved)))).toBe('stale-approval');
  await house.worker().runOnce();
  await house.settled(id, 'confirmed');
  expect(inLedger(payment).map(({ amount }) => amount.minor)).toEqual([8_200]);
  expect(inLedger(another.payment)).toHaveLength(0);
  expect((await house.operation(anew)).state).toBe('proposed');
  const entries = await house.database.admin<{ type: string; data: Record<string, unknown> }[]>`
    select type, data from audit where operation_id = ${id} order by sequence`;
  expect(entries.find(({ type }) => type === 'approve')?.data).toMatchObject({
    fingerprint: proposed.operation.fingerprint,
    seenOrderVersion: at,
    seenRefundableMinor: 100_000,
  });
  expect(entries.filter(({ type }) => type === 'mismatch-refused').map(({ data }) => data['fields'])).toEqual(
    [['amount'], ['orderId']],
  );
});

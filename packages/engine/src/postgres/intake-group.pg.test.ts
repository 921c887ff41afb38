import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor, Command, CommandResult } from '@holdfast/operation';
import { eventually } from '../../test/postgres-rig.ts';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import { agent, approver, createWorkerHouse, mint, type WorkerHouse } from '../../test/worker-house.ts';
import { createIntake } from './intake.ts';

let house: WorkerHouse;
let orders = 0;

beforeAll(async () => {
  house = await createWorkerHouse(createScriptedProvider().adapter, { maximum: 20 });
  // What no verdict covers: a row that the database itself refuses.
  await house.database.admin.unsafe(`
    create function refuse_poison() returns trigger language plpgsql as $$
    begin
      raise exception 'poison';
    end $$;
    create trigger refuse_poison before insert on operations for each row
      when (new.note = 'poison') execute function refuse_poison();`);
});
afterAll(() => house.close());

type Propose = Extract<Command, { type: 'propose' }>;

const newOrder = async (capturedMinor = 10_000): Promise<{ order: string; payment: string }> => {
  orders += 1;
  const order = `order-${String(orders)}`;
  await house.order(order, `pi_${String(orders)}`, capturedMinor);
  return { order, payment: `pi_${String(orders)}` };
};
const proposal = (orderId: string, minor: number, more: Partial<Propose> = {}): Propose => {
  const operationId = more.operationId ?? mint();
  return {
    type: 'propose',
    kind: 'refund',
    commandId: operationId,
    operationId,
    orderId,
    amount: { minor, currency: 'EUR' },
    reason: 'returned',
    ...more,
  };
};
const approvalOf = ({ operation }: CommandResult): Command => ({
  type: 'approve',
  commandId: mint(),
  operationId: operation?.id ?? '',
  fingerprint: operation?.fingerprint ?? '',
});
const statusesOf = (results: readonly CommandResult[]): readonly string[] =>
  results.map(({ status, problem }) => problem?.type.split('/').at(-1) ?? status);
const stateOf = async (id: string): Promise<string | undefined> => {
  const [row] = await house.database.admin<
    { state: string }[]
  >`select state from operations where id = ${id}`;
  return row?.state;
};
const transactionsOf = async (ids: readonly string[]): Promise<number> => {
  const [row] = await house.database.admin<{ count: number }[]>`
    select count(distinct tx_id::text)::int as count from feed where subject_id = any(${[...ids]})`;
  return row?.count ?? 0;
};
/** Each command given by a caller of its own, all at the same moment. */
const atOnce = (actor: Actor, commands: readonly Command[]) =>
  Promise.allSettled(commands.map((command) => house.apply(actor, command)));

describe('a batch', () => {
  // Red when: each command is applied in a transaction of its own.
  test('is one transaction, and what is refused of it is refused alone', async () => {
    const proposals: Propose[] = [];
    for (let index = 0; index < 10; index += 1) {
      const { order } = await newOrder();
      proposals.push(proposal(index === 4 ? 'order-unknown' : order, 1_000));
    }
    const results = await house.apply(agent, ...proposals);
    expect(statusesOf(results)).toEqual(proposals.map((_, index) => (index === 4 ? 'not-found' : 'applied')));
    expect(await transactionsOf(proposals.map(({ operationId }) => operationId))).toBe(1);
  });

  // Red when: a command is judged on what was read before the batch instead of on what those before it left.
  test('of twenty refunds of one payment approves no more than was captured', async () => {
    const { order, payment } = await newOrder(10_000);
    const proposals = Array.from({ length: 20 }, (_, index) =>
      proposal(order, 1_000 + index, { reason: 'goodwill', note: 'each for another reason' }),
    );
    const proposed = await house.apply(agent, ...proposals);
    const accepted = proposed.filter(({ status }) => status === 'applied');
    expect(accepted.length).toBeGreaterThan(12);
    const decided = await house.apply(approver, ...accepted.map(approvalOf));
    const [figures] = await house.database.admin<{ reserved: number }[]>`
      select reserved::int from payments where payment_reference = ${payment}`;
    const approved = await house.database.admin<{ amount: number }[]>`
      select amount_minor::int as amount from operations
      where payment_reference = ${payment} and state = 'approved'`;
    const sum = approved.reduce((total, { amount }) => total + amount, 0);
    expect(figures?.reserved).toBe(sum);
    expect(sum).toBeLessThanOrEqual(10_000);
    expect(approved).toHaveLength(9);
    expect(statusesOf(decided).filter((status) => status === 'exceeds-refundable')).toHaveLength(
      accepted.length - 9,
    );
  });

  // Red when: what belongs to one operation is applied in another order than it was given in.
  test('applies what it says of one operation in order', async () => {
    const { order } = await newOrder();
    const first = proposal(order, 1_000);
    const [proposed] = await house.apply(agent, first);
    if (proposed === undefined) throw new Error('no verdict');
    const withdraw: Command = { type: 'withdraw', commandId: mint(), operationId: first.operationId };
    const results = await house.apply(approver, approvalOf(proposed), withdraw, approvalOf(proposed));
    expect(statusesOf(results)).toEqual(['applied', 'applied', 'applied']);
    const audit = await house.database.admin<{ type: string }[]>`
      select type from audit where operation_id = ${first.operationId} order by sequence`;
    expect(audit.map(({ type }) => type)).toEqual(['propose', 'approve', 'withdraw', 'approve']);
  });

  // Red when: the whole batch is refused for one command that the database refuses, or what follows it is applied.
  test('with one command that breaks applies what comes before it and nothing after', async () => {
    const parts = [await newOrder(), await newOrder(), await newOrder()];
    const commands = parts.map(({ order }, index) =>
      proposal(order, 1_000, index === 1 ? { note: 'poison' } : {}),
    );
    await expect(house.apply(agent, ...commands)).rejects.toThrow('poison');
    const states = await Promise.all(commands.map(({ operationId }) => stateOf(operationId)));
    expect(states).toEqual(['proposed', undefined, undefined]);
  });
});

describe('commands of several callers at the same moment', () => {
  // Red when: the first trouble of a group is the answer to all of it.
  test('share a transaction, and one that breaks in it breaks alone', async () => {
    const commands: Propose[] = [];
    for (let index = 0; index < 12; index += 1) {
      const { order } = await newOrder();
      commands.push(proposal(order, 1_000, index === 5 ? { note: 'poison' } : {}));
    }
    const sound = commands.filter(({ note }) => note !== 'poison');
    const answers = await atOnce(agent, commands);
    expect(answers.map(({ status }) => status)).toEqual(
      commands.map(({ note }) => (note === 'poison' ? 'rejected' : 'fulfilled')),
    );
    const states = await Promise.all(sound.map(({ operationId }) => stateOf(operationId)));
    expect(new Set(states)).toEqual(new Set(['proposed']));
  });

  // Red when: a group waits for a row as long as a single command does, or the next group waits for that command.
  test('are not held up by a payment that somebody else holds', async () => {
    const held = await newOrder();
    const free = await newOrder();
    const ids = [held, free].map(({ order }) => proposal(order, 1_000));
    let blocked: Promise<unknown> = Promise.resolve();
    await house.database.admin.begin(async (other) => {
      await other`select from payments where payment_reference = ${held.payment} for no key update`;
      const answers = ids.map((command) => house.apply(agent, command));
      blocked = Promise.all(answers);
      const [result] = (await answers[1]) ?? [];
      expect(result?.status).toBe('applied');
      expect(await stateOf(ids[0]?.operationId ?? '')).toBeUndefined();
    });
    await blocked;
    expect(await stateOf(ids[0]?.operationId ?? '')).toBe('proposed');
  });

  // Red when: a part of a group is committed by itself.
  test('are applied whole or not at all when the connection dies under them', async () => {
    const parts = [await newOrder(), await newOrder(), await newOrder()];
    const proposed = await house.apply(agent, ...parts.map(({ order }) => proposal(order, 1_000)));
    const last =
      [...parts]
        .map(({ payment }) => payment)
        .sort()
        .at(-1) ?? '';
    await house.database.admin.begin(async (other) => {
      await other`select from payments where payment_reference = ${last} for no key update`;
      const answers = atOnce(approver, proposed.map(approvalOf));
      const killed = await eventually(async () => {
        const rows = await house.database.admin`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and application_name = 'holdfast'`;
        return rows.length > 0 ? rows.length : undefined;
      });
      expect(killed).toBeGreaterThan(0);
      expect((await answers).map(({ status }) => status)).toContain('rejected');
    });
    const rows = await house.database.admin<{ state: string; reserved: number; approvals: number }[]>`
      select o.state, p.reserved::int as reserved,
        (select count(*)::int from approvals a where a.operation_id = o.id) as approvals
      from operations o join payments p using (org_id, provider, payment_reference)
      where o.id = any(${proposed.map(({ operation }) => operation?.id ?? '')})`;
    for (const row of rows) {
      expect(row).toEqual(
        row.state === 'approved'
          ? { state: 'approved', reserved: 1_000, approvals: 1 }
          : { state: 'proposed', reserved: 0, approvals: 0 },
      );
    }
  });
});

// Red when: groups lock payments in another order than that of their keys.
test('two intakes that take the same payments in opposite orders never end in a deadlock', async () => {
  const parts: { order: string; payment: string }[] = [];
  for (let index = 0; index < 6; index += 1) parts.push(await newOrder(1_000_000));
  const deadlocks = async (): Promise<number> => {
    const [row] = await house.database.admin<{ count: number }[]>`
      select deadlocks::int as count from pg_stat_database where datname = current_database()`;
    return row?.count ?? 0;
  };
  const before = await deadlocks();
  const intake = () =>
    createIntake({
      inOrganisation: house.inOrganisation,
      providers: house.providers,
      providerName: () => 'Stripe',
      rules: { keysMayDecide: true },
      undoMs: 0,
      providerTimeoutMs: 1_000,
      nowMs: () => Date.now(),
    });
  const [one, other] = [intake(), intake()];
  let amount = 0;
  const round = (given: typeof parts) =>
    given.map(({ order }) => {
      amount += 1;
      return {
        ok: true as const,
        command: proposal(order, amount, { reason: 'goodwill', note: 'one of many' }),
      };
    });
  for (let rounds = 0; rounds < 8; rounds += 1) {
    const who = { organisationId: house.organisationId, actor: agent };
    const answers = await Promise.all([one(who, round(parts)), other(who, round(parts.toReversed()))]);
    expect(new Set(statusesOf(answers.flat()))).toEqual(new Set(['applied']));
  }
  expect(await deadlocks()).toBe(before);
});

describe('a command that the database ends in a deadlock', () => {
  const deadlocking = (times: number) => {
    let begun = 0;
    const intake = createIntake({
      inOrganisation: (organisationId, work) =>
        house.inOrganisation(organisationId, async (tx) => {
          begun += 1;
          const result = await work(tx);
          if (begun <= times)
            await tx.ask("do $$ begin raise exception 'one of a circle' using errcode = '40P01'; end $$", []);
          return result;
        }),
      providers: house.providers,
      providerName: () => 'Stripe',
      rules: { keysMayDecide: true },
      undoMs: 0,
      providerTimeoutMs: 1_000,
      nowMs: () => Date.now(),
    });
    return (command: Command) =>
      intake({ organisationId: house.organisationId, actor: agent }, [{ ok: true, command }]);
  };

  // Red when: only an ID that was bound meanwhile is tried again.
  test('is tried again', async () => {
    const { order } = await newOrder();
    expect(statusesOf(await deadlocking(2)(proposal(order, 1_000)))).toEqual(['applied']);
  });

  // Red when: it is tried without end, or the answer no longer says that it may be sent again.
  test('is not tried without end: who gave it is told that others were in the way', async () => {
    const { order } = await newOrder();
    const given = proposal(order, 1_000);
    await expect(deadlocking(1_000)(given)).rejects.toMatchObject({ code: '40P01' });
    expect(await stateOf(given.operationId)).toBeUndefined();
  });
});

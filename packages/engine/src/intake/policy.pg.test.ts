import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultPolicy, type Actor, type Operation, type Policy } from '@holdfast/operation';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import {
  ada,
  approval,
  ben,
  boss,
  cleo,
  createEngineHouse,
  decision,
  looseKey,
  operationIn,
  problemIn,
  proposal,
  robot,
  slugIn,
  withdrawal,
  type EngineHouse,
} from '../../test/engine-house.ts';
import { createIntake } from '../postgres/intake.ts';

let house: EngineHouse;
beforeAll(async () => {
  house = await createEngineHouse({
    maximum: 24,
    keysMayDecide: true,
    adapter: createScriptedProvider().adapter,
  });
});
afterAll(() => house.close());
beforeEach(() => setPolicy({}));

let version = 1;
const setPolicy = async (changes: Partial<Policy>): Promise<void> => {
  version += 1;
  const policy = JSON.stringify({ ...defaultPolicy, ...changes, version });
  await house.database.admin`update organisations set policy = ${policy}::text::jsonb`;
};

const eur = (minor: number) => ({ minor, currency: 'EUR' });
const limit = (changes: Partial<Policy['limits'][number]>): Policy['limits'][number] => ({
  for: { role: 'approver' },
  act: 'approve',
  per: 'operation',
  most: eur(1_000),
  ...changes,
});

const proposed = async (minor = 1_000, orderId?: string, actor: Actor = ada): Promise<Operation> =>
  operationIn((await house.give(actor, proposal(orderId ?? (await house.order()), minor)))[0]);
const approve = async (actor: Actor, operation: Operation) =>
  (await house.give(actor, approval(operation)))[0];
const reasonsIn = (result: Parameters<typeof problemIn>[0]): readonly string[] | undefined =>
  problemIn(result).reasons?.map(({ reason }) => reason);
const rowOf = async (id: string) => {
  const [row] = await house.database.admin`select * from operations where id = ${id}`;
  if (row === undefined) throw new Error('no row');
  return row;
};
const auditOf = async (id: string) =>
  house.database.admin<{ type: string; actor_id: string | null; data: Record<string, unknown> }[]>`
    select type, actor_id, data from audit where operation_id = ${id} order by sequence`;

describe('the proposer’s own approval', () => {
  // Red when: the names are compared, or an owner's assistant or key counts as somebody else.
  it('F097: is 403 and audited, whatever they proposed or approve it through', async () => {
    const chief: Actor = { ...ada, role: 'admin', name: 'ADA' };
    const asKey: Actor = { ...chief, via: 'owned-key', name: 'Ada’s key' };
    for (const proposer of [ada, robot, asKey]) {
      const operation = await proposed(1_000, undefined, proposer);
      for (const approver of [chief, asKey]) {
        const result = await approve(approver, operation);
        expect([slugIn(result), problemIn(result).status]).toEqual(['forbidden', 403]);
      }
      const kept = await auditOf(operation.id);
      expect(kept.map(({ type, actor_id: by }) => [type, by])).toEqual([
        ['propose', ada.id],
        ['approval-refused', ada.id],
        ['approval-refused', ada.id],
      ]);
      expect(await rowOf(operation.id)).toMatchObject({ state: 'proposed', version: 1 });
      // Somebody of the same name is somebody else.
      expect((await approve({ ...ben, name: ada.name }, operation))?.status).toBe('applied');
    }
    // All ownerless keys of one role are one person.
    const admins: Actor = { ...looseKey, role: 'admin' };
    const ofKeys = await proposed(1_000, undefined, admins);
    expect(slugIn(await approve({ ...admins, id: 'key-other' }, ofKeys))).toBe('forbidden');
  });
});

describe('what is eligible', () => {
  // Red when: what the approver saw is not compared, or what is left is not judged anew at the approval.
  it('F099: is judged again at the approval, with what is so now', async () => {
    const orderId = await house.order();
    const operation = await proposed(6_000, orderId);
    const order = await house.engine.getOrder(house.as(ben), orderId);
    if (order === null) throw new Error('the order is there');
    await house.database.admin`update payments p set refunded_elsewhere = 7000 from orders o
      where o.order_id = ${orderId} and p.payment_reference = o.payment_reference`;
    const seen = { refundable: order.refundable, orderVersion: order.version };
    const [cached] = await house.give(ben, approval(operation, { seen }));
    expect(slugIn(cached)).toBe('stale-approval');
    expect(problemIn(cached)['now']).toMatchObject({ refundable: eur(3_000) });
    const blind = await approve(ben, operation);
    expect(slugIn(blind)).toBe('exceeds-refundable');
    expect(problemIn(blind).refundable).toEqual(eur(3_000));
    expect(await rowOf(operation.id)).toMatchObject({ state: 'proposed', version: 1 });
  });

  // Red when: the policy in force is not asked for its reasons at one of the two.
  it('is a reason that the policy allows, when it is proposed and when it is approved', async () => {
    const before = await proposed();
    await setPolicy({ allowedReasons: ['goodwill'] });
    expect(reasonsIn((await house.give(ada, proposal(await house.order(), 1_000)))[0])).toEqual([
      'reason-not-allowed',
    ]);
    expect(reasonsIn(await approve(ben, before))).toEqual(['reason-not-allowed']);
  });

  // Red when: a proposal past its time can be approved until a worker has passed by.
  it('is no proposal whose time is over', async () => {
    const operation = await proposed();
    await house.database.admin`update operations set expires_at = now() where id = ${operation.id}`;
    expect(slugIn(await approve(ben, operation))).toBe('too-late');
    expect((await rowOf(operation.id))['state']).toBe('proposed');
  });
});

describe('approvals above an amount', () => {
  // Red when: the approvals needed are the same for every amount, or a decision does not name its policy.
  it('are as many people as the policy asks for, and each names the policy it was given under', async () => {
    await setPolicy({ moreApprovals: [{ above: eur(5_000), approvalsNeeded: 2 }] });
    const small = await proposed(5_000);
    expect(operationIn(await approve(ben, small)).state).toBe('approved');
    const large = await proposed(5_001);
    expect(large.policy).toMatchObject({ version, approvalsNeeded: 2, approvalsGiven: 0 });
    const first = operationIn(await approve(ben, large));
    expect(first).toMatchObject({
      state: 'proposed',
      policy: { sentence: 'Two approvals are needed above EUR 50.00; one more is missing.' },
    });
    const given = version;
    await setPolicy({ moreApprovals: [{ above: eur(5_000), approvalsNeeded: 2 }] });
    expect(operationIn(await approve(cleo, large)).state).toBe('approved');
    const rows = await house.database.admin<{ policy_version: number }[]>`
      select policy_version from approvals where operation_id = ${large.id} order by approved_at`;
    expect(rows.map((row) => row.policy_version)).toEqual([given, version]);
    expect((await auditOf(large.id)).map(({ data }) => data['policyVersion'])).toEqual([
      given,
      given,
      version,
    ]);
    expect(await rowOf(large.id)).toMatchObject({
      proposed_policy_version: given,
      approved_policy_version: version,
      proposed_role: 'agent',
    });
  });

  // Red when: an approval that the policy of now would not take still counts towards the number.
  it('count only while the policy as it is now would take them', async () => {
    const moreApprovals = [{ above: eur(0), approvalsNeeded: 2 }];
    await setPolicy({ moreApprovals });
    const operation = await proposed(2_000);
    await approve(ben, operation);
    await setPolicy({ moreApprovals, limits: [limit({ for: { personId: ben.id } })] });
    expect(operationIn(await approve(cleo, operation)).state).toBe('proposed');
    expect(operationIn(await approve(boss, operation)).state).toBe('approved');
  });
});

describe('a limit', () => {
  // Red when: the limit of an act is judged at the other one, or not at all.
  it('on one refund stops the proposal or the approval above it, and says which', async () => {
    await setPolicy({
      limits: [limit({}), limit({ for: { role: 'agent' }, act: 'propose', most: eur(3_000) })],
    });
    const tooMuch = (await house.give(ada, proposal(await house.order(), 3_001)))[0];
    expect(reasonsIn(tooMuch)).toEqual(['over-operation-limit']);
    expect(problemIn(tooMuch).detail).toBe('The limit for proposing is EUR 30.00 a refund.');
    const operation = await proposed(3_000);
    expect(reasonsIn(await approve(ben, operation))).toEqual(['over-operation-limit']);
    expect((await rowOf(operation.id))['state']).toBe('proposed');
    expect(operationIn(await approve(boss, operation)).state).toBe('approved');
    // One more than needed could be the one that is left: it is judged as well.
    expect(reasonsIn(await approve(ben, operation))).toEqual(['over-operation-limit']);
  });

  // Red when: what was taken back or denied still takes of the limit, or another payment's refunds do.
  it('on a payment adds up what a person approved of it, and lets go of what they took back', async () => {
    await setPolicy({ limits: [limit({ per: 'payment', most: eur(3_000) })] });
    const orderId = await house.order();
    const differ = async (minor: number): Promise<Operation> => {
      const earlier = await house.database.admin<{ id: string }[]>`
        select id from operations where order_id = ${orderId}`;
      const differentFrom = earlier.map(({ id }) => id);
      return operationIn((await house.give(ada, proposal(orderId, minor, { differentFrom })))[0]);
    };
    const [one, two, three] = [await differ(2_000), await differ(1_001), await differ(1_000)];
    expect(operationIn(await approve(ben, one)).state).toBe('approved');
    expect(reasonsIn(await approve(ben, two))).toEqual(['over-payment-limit']);
    expect(problemIn(await approve(ben, two)).detail).toBe(
      'The limit for approving is EUR 30.00 a payment; EUR 20.00 of it is used.',
    );
    expect(operationIn(await approve(ben, three)).state).toBe('approved');
    await house.give(ben, withdrawal(three.id));
    await house.give(cleo, decision('deny', one.id));
    expect(operationIn(await approve(ben, two)).state).toBe('approved');
    expect(operationIn(await approve(ben, await proposed(3_000))).state).toBe('approved');
  });

  // Red when: a day is not added up. One process gathers these into few transactions, so it stays green without the lock
  // that keeps two processes apart.
  it('on a day holds when everything comes at the same moment, through any door of the same person', async () => {
    const operations = await Promise.all(Array.from({ length: 20 }, () => proposed(300)));
    const [row] = await house.database.admin<{ name: string }[]>`
      select coalesce(sum(o.amount_minor), 0)::int as name from approvals a
        join operations o on o.org_id = a.org_id and o.id = a.operation_id
        where a.person = ${ben.id} and a.voided_at is null
          and o.state not in ('denied', 'cancelled', 'expired', 'failed')`;
    const used = Number(row?.name);
    await setPolicy({ limits: [limit({ for: { personId: ben.id }, per: 'day', most: eur(used + 1_000) })] });
    const benKey: Actor = { ...ben, via: 'owned-key', name: 'Ben’s key' };
    const results = await Promise.all(
      operations.map((operation, index) => approve(index % 2 === 0 ? ben : benKey, operation)),
    );
    const applied = results.filter((result) => result?.status === 'applied');
    const refused = results.filter((result) => result?.status === 'rejected');
    expect(applied).toHaveLength(3);
    expect(new Set(refused.map((result) => reasonsIn(result)?.join()))).toEqual(new Set(['over-day-limit']));
    // Somebody else has a day of their own, and so has an approval of yesterday.
    const left = operations.find((_, index) => results[index]?.status === 'rejected');
    if (left === undefined) throw new Error('some were refused');
    expect(operationIn(await approve(cleo, left)).state).toBe('approved');
    await house.database
      .admin`update approvals set approved_at = approved_at - interval '2 days' where person = ${ben.id}`;
    expect(operationIn(await approve(ben, await proposed(1_000))).state).toBe('approved');
  });
});

// Red when: `lockDays` takes no lock: two processes add up the same day before either has written.
it('a day’s limit holds between processes: what twenty of them approve at once stays within it', async () => {
  const operations = await Promise.all(Array.from({ length: 20 }, () => proposed(300)));
  const dora: Actor = { ...ben, id: 'user-dora', name: 'Dora' };
  await setPolicy({ limits: [limit({ for: { personId: dora.id }, per: 'day', most: eur(1_000) })] });
  const results = await Promise.all(
    operations.map((operation) => {
      // A process of its own for each: nothing is gathered with what the others got.
      const intake = createIntake({
        inOrganisation: house.runtime.inOrganisation,
        providers: { accountOf: () => undefined, accounts: () => [] },
        providerName: () => 'Stripe',
        rules: { keysMayDecide: false },
        undoMs: 5_000,
        providerTimeoutMs: 1_000,
        nowMs: () => Date.now(),
      });
      return intake(house.as(dora), [{ ok: true, command: approval(operation) }]);
    }),
  );
  expect(results.flat().filter(({ status }) => status === 'applied')).toHaveLength(3);
  const [row] = await house.database.admin<{ used: number }[]>`
    select coalesce(sum(o.amount_minor), 0)::int as used from approvals a
      join operations o on o.org_id = a.org_id and o.id = a.operation_id where a.person = ${dora.id}`;
  expect(row?.used).toBe(900);
});

describe('twenty approvals at once on one payment', () => {
  // Red when: what is left of the payment is read before its lock, or reserved without a condition.
  it('never reserve more than was captured', async () => {
    const orderId = await house.order({ capturedMinor: 1_000 });
    const operations: Operation[] = [];
    for (let count = 0; count < 20; count += 1) {
      const differentFrom = operations.map(({ id }) => id);
      const [result] = await house.give(ada, proposal(orderId, 150, { differentFrom }));
      operations.push(operationIn(result));
    }
    const results = await Promise.all(
      operations.map((operation, index) => approve(index % 2 === 0 ? ben : cleo, operation)),
    );
    expect(results.filter((result) => result?.status === 'applied')).toHaveLength(6);
    for (const result of results) {
      if (result?.status === 'rejected') expect(slugIn(result)).toBe('exceeds-refundable');
    }
    const [payment] = await house.database.admin`select reserved::int, captured::int from payments p
      join orders o using (org_id, provider, payment_reference) where order_id = ${orderId}`;
    expect(payment).toEqual({ reserved: 900, captured: 1_000 });
    const states = await house.database.admin<{ state: string }[]>`
      select state from operations where order_id = ${orderId} and state = 'approved'`;
    expect(states).toHaveLength(6);
  });
});

describe('automatic approval', () => {
  const automaticApproval: Policy['automaticApproval'] = { roles: ['agent'], upTo: [eur(2_000)] };

  // Red when: it is not recorded as the policy's, reserves nothing, or cannot be stopped.
  it('is the policy’s own: it reserves, can be stopped for a while, and is told in words', async () => {
    await setPolicy({ automaticApproval });
    const command = proposal(await house.order(), 2_000);
    const operation = operationIn((await house.give(ada, command))[0]);
    expect(operation).toMatchObject({ state: 'approved', waitingFor: 'undo' });
    expect(operation.approvals.map(({ by, signed }) => [by, signed])).toEqual([
      [{ id: 'policy', name: 'The policy' }, false],
    ]);
    expect(operation.policy?.sentence).toBe('The policy approves it by itself.');
    const detail = await house.engine.getOperation(house.as(ben), operation.id);
    expect(detail?.timeline.map(({ sentence }) => sentence)).toEqual([
      'Ada proposed it.',
      'The policy approved it by itself.',
    ]);
    const audited = (await auditOf(operation.id)).at(-1);
    expect(audited).toMatchObject({
      type: 'approve',
      actor_id: 'policy',
      data: { automatic: true, policyVersion: version },
    });
    expect((await house.give(ada, command))[0]?.status).toBe('replayed');
    const held = () => house.database.admin`select reserved::int from payments p
      join orders o using (org_id, provider, payment_reference) where order_id = ${operation.orderId}`;
    expect(await held()).toEqual([{ reserved: 2_000 }]);
    expect(operationIn((await house.give(cleo, decision('deny', operation.id)))[0]).state).toBe('denied');
    expect(await held()).toEqual([{ reserved: 0 }]);
  });

  // Red when: it is on by itself, or for an assistant, an ownerless key, another role or a larger amount.
  it('is off unless it is switched on, and never for an assistant or an ownerless key', async () => {
    expect((await proposed(1)).state).toBe('proposed');
    await setPolicy({ automaticApproval });
    for (const actor of [robot, looseKey, boss]) {
      expect((await proposed(1, undefined, actor)).state).toBe('proposed');
    }
    expect((await proposed(2_001)).state).toBe('proposed');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultPolicy, type Actor, type Command, type Policy } from '@holdfast/operation';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import { agent, approver, createWorkerHouse, mint, type WorkerHouse } from '../../test/worker-house.ts';

const provider = createScriptedProvider();
let house: WorkerHouse;
beforeAll(async () => {
  house = await createWorkerHouse(provider.adapter, { settings: { undoMs: 0 } });
});
afterAll(() => house.close());

let version = 1;
const setPolicy = async (changes: Partial<Policy>): Promise<void> => {
  version += 1;
  const policy = JSON.stringify({ ...defaultPolicy, ...changes, version });
  await house.database.admin`update organisations set policy = ${policy}::text::jsonb`;
};
const eur = (minor: number) => ({ minor, currency: 'EUR' });

let orders = 0;
const newOrder = async (): Promise<string> => {
  orders += 1;
  await house.order(`order-${orders}`, `pi_policy_${orders}`, 10_000);
  return `order-${orders}`;
};
const approvalsOf = (id: string) =>
  house.database.admin`select policy_version, void_reason from approvals where operation_id = ${id}`;
const approvalOf = async (operationId: string): Promise<Command> => {
  const [row] = await house.database.admin<{ fingerprint: string }[]>`
    select fingerprint from operations where id = ${operationId}`;
  return { type: 'approve', commandId: mint(), operationId, fingerprint: row?.fingerprint ?? '' };
};
const attentionOf = async (id: string): Promise<readonly string[]> =>
  (await house.operation(id)).attention.map(({ reason }) => reason);

describe('the last check before sending', () => {
  // Red when: the claim judges approvals by the policy they were given under.
  it.each<[string, Partial<Policy>]>([
    ['approvals-not-in-force', { approvalsNeeded: 2 }],
    [
      'over-operation-limit',
      { limits: [{ for: { personId: approver.id }, act: 'approve', per: 'operation', most: eur(999) }] },
    ],
    [
      'over-day-limit',
      { limits: [{ for: { role: 'approver' }, act: 'approve', per: 'day', most: eur(999) }] },
    ],
    [
      'over-operation-limit',
      { limits: [{ for: { role: 'agent' }, act: 'propose', per: 'operation', most: eur(999) }] },
    ],
    ['signature-missing', { signatureRequired: 'always' }],
    ['reason-not-allowed', { allowedReasons: ['goodwill'] }],
  ])(
    'by a policy that became tighter (%s) sends back, voids the approval and frees the money',
    async (reason, changes) => {
      await setPolicy({});
      const orderId = await newOrder();
      const id = await house.approved(orderId, 1_000);
      const given = version;
      await setPolicy(changes);
      await house.worker().runOnce();
      const row = await house.operation(id);
      expect(row.state).toBe('proposed');
      expect(row.attempt_count).toBe(0);
      const [kept] = await house.database.admin<{ data: { reasons: string[]; policyVersion: number } }[]>`
      select data from audit where operation_id = ${id} and type = 'send-back'`;
      expect(kept?.data.reasons).toContain(reason);
      expect(kept?.data.policyVersion).toBe(version);
      expect(await approvalsOf(id)).toEqual([{ policy_version: given, void_reason: 'sent back' }]);
      const [payment] = await house.database.admin`select reserved::int from payments p
      join orders o using (org_id, provider, payment_reference) where order_id = ${orderId}`;
      expect(payment).toEqual({ reserved: 0 });
    },
  );
});

describe('an approval by somebody who may no longer approve', () => {
  const removed = { ...approver, id: 'approver-gone', name: 'Gone' };
  const key = { ...approver, id: 'key-gone', via: 'ownerless-key' } as const;
  const owned = { ...approver, id: 'owner-gone', via: 'owned-key' } as const;

  // Red when: `stillMayApprove` answers yes for somebody removed or demoted, or for a key that ended.
  it.each<[string, Actor, (sql: WorkerHouse['database']['admin']) => Promise<unknown>]>([
    ['removed', removed, (sql) => sql`update members set removed_at = now() where user_id = 'approver-gone'`],
    ['demoted', approver, (sql) => sql`update members set role = 'agent' where user_id = ${approver.id}`],
    ['unknown', removed, (sql) => sql`delete from members where user_id = 'approver-gone'`],
    [
      'whose key was revoked',
      key,
      (sql) => sql`update api_keys set revoked_at = now() where id = 'key-gone'`,
    ],
    ['whose key expired', key, (sql) => sql`update api_keys set expires_at = now() where id = 'key-gone'`],
    [
      'whose owner left',
      owned,
      (sql) => sql`update members set removed_at = now() where user_id = 'owner-gone'`,
    ],
    [
      'whose owner’s key was revoked',
      owned,
      (sql) => sql`update api_keys set revoked_at = now() where owner_user_id = 'owner-gone'`,
    ],
  ])('(%s) lets no money out: it goes back and says so', async (_, giver, lose) => {
    const { admin } = house.database;
    await setPolicy({});
    await admin`update members set removed_at = null, role = ${approver.role} where role <> 'agent'
      or user_id = ${approver.id}`;
    await admin`update api_keys set revoked_at = null, expires_at = null`;
    const id = await house.propose(await newOrder(), 1_000);
    const [given] = await house.apply(giver, await approvalOf(id));
    expect(given?.operation?.state).toBe('approved');
    expect(given?.operation?.policy?.approvalsGiven).toBe(1);
    await lose(admin);
    await house.worker().runOnce();
    const row = await house.operation(id);
    expect(row.state).toBe('proposed');
    expect(row.attempt_count).toBe(0);
    const [kept] = await admin<{ data: { reasons: string[] } }[]>`
      select data from audit where operation_id = ${id} and type = 'send-back'`;
    expect(kept?.data.reasons).toEqual(['approvals-not-in-force', 'approver-lost-authority']);
    await admin`insert into members (org_id, user_id, role, name, email)
      select org_id, 'approver-gone', 'approver', 'Gone', 'gone@example.test' from organisations
      on conflict do nothing`;
  });

  // Red when: completion counts every approval in force, as withdrawing once did.
  it('completes nothing together with another’s, nor is left over when that one is taken back', async () => {
    const { admin } = house.database;
    await admin`update members set removed_at = null, role = 'approver' where user_id <> 'agent-1'`;
    await setPolicy({ approvalsNeeded: 2 });
    const id = await house.propose(await newOrder(), 1_000);
    await house.apply(removed, await approvalOf(id));
    await admin`update members set removed_at = now() where user_id = 'approver-gone'`;
    const second = (await house.apply(approver, await approvalOf(id)))[0]?.operation;
    expect(second?.state).toBe('proposed');
    expect(second?.policy).toMatchObject({ approvalsNeeded: 2, approvalsGiven: 1 });
    const third = (await house.apply({ ...approver, id: 'approver-2' }, await approvalOf(id)))[0];
    expect(third?.operation?.state).toBe('approved');
    const back = (await house.apply(approver, { type: 'withdraw', commandId: mint(), operationId: id }))[0];
    expect(back?.operation?.state).toBe('proposed');
    expect(back?.operation?.policy).toMatchObject({ approvalsGiven: 1 });
  });

  // Red when: withdrawing counts every approval in force: an unsigned one more would be left as enough.
  it('nor does an unsigned one more, once approvals have to be signed', async () => {
    await setPolicy({});
    const id = await house.approved(await newOrder(), 1_000);
    await setPolicy({ signatureRequired: 'always' });
    const more = (await house.apply({ ...approver, id: 'approver-2' }, await approvalOf(id)))[0];
    expect(more?.status).toBe('applied');
    const back = (await house.apply(approver, { type: 'withdraw', commandId: mint(), operationId: id }))[0];
    expect(back?.operation).toMatchObject({ state: 'proposed', policy: { approvalsGiven: 0 } });
  });

  // Red when: the proposer's own approval is counted by completion though the policy no longer lets it.
  it('nor does the proposer’s own, once the policy no longer lets proposers approve', async () => {
    await house.database
      .admin`update members set removed_at = null, role = 'admin' where user_id = ${agent.id}`;
    await setPolicy({ approvalsNeeded: 2, proposerMayApprove: true });
    const id = await house.propose(await newOrder(), 1_000);
    const own = (await house.apply({ ...agent, role: 'admin' }, await approvalOf(id)))[0];
    expect(own?.operation?.policy).toMatchObject({ approvalsGiven: 1 });
    await setPolicy({ approvalsNeeded: 2 });
    const other = (await house.apply(approver, await approvalOf(id)))[0];
    expect(other?.operation).toMatchObject({ state: 'proposed', policy: { approvalsGiven: 1 } });
    await house.database.admin`update members set role = 'agent' where user_id = ${agent.id}`;
  });
});

describe('somebody and the ownerless key that they made', () => {
  const chief = { ...agent, id: 'chief', role: 'admin' } as const;
  const proposing = { ...agent, id: 'key-of-chief', via: 'ownerless-key' } as const;
  const approving = { ...approver, id: 'key-two-of-chief', via: 'ownerless-key' } as const;

  // Red when: `isProposer` compares the recorded persons alone.
  it.each<[string, Actor, Actor]>([
    ['key proposes, maker approves', proposing, chief],
    ['maker proposes, key approves', chief, approving],
    ['one key proposes, another approves', proposing, approving],
  ])('are one person (%s): their own is refused', async (_, proposer, giver) => {
    const { admin } = house.database;
    const [{ org_id: orgId } = { org_id: '' }] = await admin<
      { org_id: string }[]
    >`select org_id from organisations`;
    await admin`insert into api_keys (org_id, id, hash, role, name, created_by)
      values (${orgId}, ${proposing.id}, 'h1', 'agent', 'K', 'chief'),
        (${orgId}, ${approving.id}, 'h2', 'approver', 'K', 'chief') on conflict do nothing`;
    await setPolicy({});
    const operationId = mint();
    const orderId = await newOrder();
    await house.apply(proposer, {
      ...{
        type: 'propose',
        commandId: operationId,
        operationId,
        kind: 'refund',
        orderId,
        reason: 'returned',
      },
      amount: eur(1_000),
    });
    const [own] = await house.apply(giver, await approvalOf(operationId));
    expect(own?.problem).toMatchObject({ status: 403 });
    const [other] = await house.apply(approver, await approvalOf(operationId));
    expect(other?.operation?.state).toBe('approved');
  });
});

describe('a proposal that nobody can approve', () => {
  // Red when: it is never said, or does not go away by itself once somebody came, or is not asked for again after that.
  it('says so, and no longer once somebody can', async () => {
    await setPolicy({});
    const { admin } = house.database;
    const [organisation] = await admin<{ org_id: string }[]>`select org_id from organisations`;
    const orgId = organisation?.org_id ?? '';
    const join = (userId: string, role: string) => admin`
      insert into members (org_id, user_id, role, name, email)
      values (${orgId}, ${userId}, ${role}, ${userId}, ${`${userId}@example.test`})`;
    await admin`delete from api_keys`;
    await admin`delete from members`;
    const early = await house.propose(await newOrder(), 1_000);
    await join('agent-1', 'agent');
    // Whoever changes the people makes the proposals due; whoever proposes then is told at once.
    const late = await house.propose(await newOrder(), 1_000);
    expect(await attentionOf(late)).toEqual(['nobody-can-approve']);
    await house.worker().runOnce();
    expect(await attentionOf(early)).toEqual(['nobody-can-approve']);
    const { wake_at: wakeAt } = await house.operation(early);
    expect(wakeAt).not.toBeNull();

    await join('approver-1', 'approver');
    await house.worker().runOnce();
    expect(await attentionOf(early)).toEqual([]);
    expect(await attentionOf(late)).toEqual([]);

    await setPolicy({ approvalsNeeded: 2 });
    await house.worker().runOnce();
    expect(await attentionOf(late)).toEqual(['nobody-can-approve']);
    await setPolicy({});
    await house.worker().runOnce();
    expect(await attentionOf(late)).toEqual([]);

    await admin`update members set removed_at = now() where user_id = 'approver-1'`;
    await house.worker().runOnce();
    expect(await attentionOf(late)).toEqual(['nobody-can-approve']);
    // A key that may approve is somebody only where keys may.
    await admin`insert into api_keys (org_id, id, hash, role, name) values (${orgId}, 'key-1', 'h', 'approver', 'K')`;
    await house.worker().runOnce();
    expect(await attentionOf(late)).toEqual(['nobody-can-approve']);
    await admin`update operations set wake_at = now() where id = ${late}`;
    await house.worker({ keysMayDecide: true }).runOnce();
    expect(await attentionOf(late)).toEqual([]);
  });
});

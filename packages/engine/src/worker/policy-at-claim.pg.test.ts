import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultPolicy, type Policy } from '@holdfast/operation';
import { createScriptedProvider } from '../../test/scripted-provider.ts';
import { approver, createWorkerHouse, type WorkerHouse } from '../../test/worker-house.ts';

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

import { defaultPolicy, type Policy, type PolicyDesk } from '@holdfast/operation';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  ada,
  approval,
  ben,
  boss,
  createEngineHouse,
  operationIn,
  proposal,
  type EngineHouse,
} from '../../test/engine-house.ts';
import type { ChainFault } from '../audit/audit-chain.ts';
import { verifyPolicies } from '../postgres/audit-verify-policy.ts';
import type { PolicyDeskAnswer } from './policy-desk.ts';

let house: EngineHouse;
const second = { ...boss, id: 'user-second', name: 'Sekunda' };
const third = { ...boss, id: 'user-third', name: 'Terza' };

beforeAll(async () => {
  house = await createEngineHouse();
  for (const { id, name, role } of [ada, ben, boss, second, third]) {
    await house.database.admin`
      insert into members (org_id, user_id, role, name, email)
      values (${house.organisationId}, ${id}, ${role}, ${name}, ${`${id}@example.test`}) on conflict do nothing`;
  }
});
afterAll(() => house.close());
beforeEach(async () => {
  const { admin } = house.database;
  await admin`delete from policy_changes`;
  await admin`delete from policy_versions`;
  await admin`update organisations set policy = ${admin.json(defaultPolicy)}`;
  await admin`update members set role = 'admin', removed_at = null where user_id in ('user-boss', 'user-second')`;
});

const stored = async (): Promise<Policy> => {
  const [row] = await house.database.admin<{ policy: Policy }[]>`
    select policy from organisations where org_id = ${house.organisationId}`;
  return row?.policy as Policy;
};
const versions = () =>
  house.database.admin<{ version: number; proposed_by: string | null; confirmed_by: string | null }[]>`
    select version, proposed_by, confirmed_by from policy_versions order by version`;
const steps = async (): Promise<string[]> =>
  (
    await house.database.admin<{ type: string }[]>`
      select type from organisation_audit where subject = 'policy' order by sequence desc limit 2`
  ).map(({ type }) => type);

const change = (actor: typeof boss, rules: Partial<Policy>, basedOn = 1): Promise<PolicyDeskAnswer> =>
  house.engine.policy.change(house.as(actor), {
    basedOn,
    policy: { ...defaultPolicy, ...rules },
    note: 'because of the audit',
  });
const deskIn = (answer: PolicyDeskAnswer): PolicyDesk => {
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.desk;
};
const slugOf = (answer: PolicyDeskAnswer): string =>
  answer.ok ? answer.outcome : `${answer.problem.type.split('/').at(-1) ?? ''} ${answer.problem.status}`;
const waitingId = (answer: PolicyDeskAnswer): string => deskIn(answer).waiting?.id ?? '';

const policyFaults = async () => {
  const faults: ChainFault[] = [];
  await verifyPolicies(house.runtime.inOrganisation, house.organisationId, (fault) => faults.push(fault));
  return faults.map(({ because }) => because);
};

describe('verifying the audit', () => {
  // Red when: the policy in force, or a kept version, is not compared with the hash that its entry holds, or with the
  // default where none does.
  it('finds a policy that was edited where nobody changed it, in force or kept, and none that admins changed', async () => {
    const { admin } = house.database;
    await admin`delete from organisation_audit where subject = 'policy'`;
    expect(await policyFaults()).toEqual([]);
    await admin`update organisations set policy = jsonb_set(policy, '{proposerMayApprove}', 'true')`;
    expect(await policyFaults()).toEqual(['the policy in force is not the one that was put in force last']);
    await admin`update organisations set policy = jsonb_set(policy, '{proposerMayApprove}', 'false')`;
    await change(boss, { refundWindowMs: 90 * 86_400_000 });
    expect(await policyFaults()).toEqual([]);
    for (const version of [1, 2]) {
      await admin`update policy_versions set policy = jsonb_set(policy, '{approvalsNeeded}', '3') where version = ${version}`;
      expect(await policyFaults()).toEqual([`version ${String(version)} of the policy was changed`]);
      await admin`update policy_versions set policy = jsonb_set(policy, '{approvalsNeeded}', '1') where version = ${version}`;
    }
    await admin`update organisations set policy = jsonb_set(policy, '{refundWindowMs}', '1')`;
    expect(await policyFaults()).toEqual(['the policy in force is not the one that was put in force last']);
    // Set back to an earlier version as it truly was.
    await admin`update organisations set policy = (select policy from policy_versions where version = 1)`;
    expect(await policyFaults()).toEqual(['the policy in force is not the one that was put in force last']);
    await admin`delete from organisation_audit where subject = 'policy'`;
  });
});

describe('a change of the policy', () => {
  // Red when: putting in force is left out of the tightening's branch, or the old version is not kept.
  it('that only tightens is in force at once, and what is decided afterwards names its version', async () => {
    const answer = await change(boss, { refundWindowMs: 90 * 86_400_000 });
    expect(slugOf(answer)).toBe('in-force');
    expect(await stored()).toMatchObject({ version: 2, refundWindowMs: 90 * 86_400_000 });
    expect([...(await versions())]).toEqual([
      { version: 1, proposed_by: null, confirmed_by: null },
      { version: 2, proposed_by: boss.id, confirmed_by: null },
    ]);
    const [newest] = deskIn(answer).versions;
    expect(newest).toMatchObject({ version: 2, note: 'because of the audit', by: { name: 'Bo' } });
    expect(newest?.differences).toMatchObject([
      { before: '180 days', after: '90 days', direction: 'tighter' },
    ]);
    expect((await steps())[0]).toBe('policy-changed');

    const orderId = await house.order();
    const proposed = operationIn((await house.give(ada, proposal(orderId, 500)))[0]);
    await house.give(ben, approval(proposed));
    const [row] = await house.database.admin<{ version: number }[]>`
      select approved_policy_version as version from operations where id = ${proposed.id}`;
    expect(row?.version).toBe(2);
  });

  // Red when: a loosening is put in force by the first admin's word.
  it('that loosens anything changes nothing until a second admin agrees', async () => {
    const proposed = await change(boss, { approvalsNeeded: 2, proposerMayApprove: true });
    expect(slugOf(proposed)).toBe('waiting');
    expect(await stored()).toEqual(defaultPolicy);
    expect(deskIn(proposed).waiting).toMatchObject({
      by: { id: boss.id, name: 'Bo' },
      basedOn: 1,
      state: 'waiting',
    });
    expect(await steps()).toContain('policy-proposed');

    const id = waitingId(proposed);
    expect(slugOf(await house.engine.policy.approve(house.as(boss), id))).toBe('forbidden 403');
    expect(await stored()).toEqual(defaultPolicy);
    const confirmed = await house.engine.policy.approve(house.as(second), id);
    expect(slugOf(confirmed)).toBe('in-force');
    expect(await stored()).toMatchObject({ version: 2, approvalsNeeded: 2, proposerMayApprove: true });
    expect((await versions())[1]).toEqual({ version: 2, proposed_by: boss.id, confirmed_by: second.id });
    expect(deskIn(confirmed)).toMatchObject({ waiting: null, otherAdmins: 2 });
    expect((await steps())[0]).toBe('policy-changed');
  });

  // Red when: `notAnAdmin` lets a key or an assistant through.
  it('is refused to everybody who is not an admin in person', async () => {
    const proposed = waitingId(await change(boss, { proposerMayApprove: true }));
    for (const actor of [
      ben,
      { ...second, via: 'owned-key' as const },
      { ...second, via: 'ownerless-key' as const, id: 'key-1' },
      { ...second, assistant: true },
    ]) {
      expect(slugOf(await change(actor, { approvalsNeeded: 3 }))).toBe('forbidden 403');
      expect(slugOf(await house.engine.policy.approve(house.as(actor), proposed))).toBe('forbidden 403');
      expect(slugOf(await house.engine.policy.refuse(house.as(actor), proposed, null))).toBe('forbidden 403');
    }
    expect(await stored()).toEqual(defaultPolicy);
  });

  // Red when: the version is not compared, or what waits survives a newer version.
  it('that was meant for another version than the one in force changes nothing', async () => {
    const waiting = waitingId(await change(boss, { proposerMayApprove: true }));
    expect(slugOf(await change(second, { approvalsNeeded: 2 }))).toBe('in-force');
    expect(slugOf(await change(third, { approvalsNeeded: 3 }, 1))).toBe('stale 409');
    expect(slugOf(await house.engine.policy.approve(house.as(second), waiting))).toBe('already-decided 409');
    expect(await stored()).toMatchObject({ version: 2, proposerMayApprove: false, approvalsNeeded: 2 });
    const desk = await house.engine.policy.show(house.as(boss));
    expect(desk.waiting).toBeNull();
    expect(desk.ended).toMatchObject([{ id: waiting, state: 'stale' }]);
  });

  // Red when: a loosening is judged by the waiting row alone and not by the version it was based on.
  it('approved late, after the policy was changed past the desk, changes nothing', async () => {
    const waiting = waitingId(await change(boss, { proposerMayApprove: true }));
    await house.database.admin`update organisations set policy = policy || '{"version": 7}'`;
    expect(slugOf(await house.engine.policy.approve(house.as(second), waiting))).toBe('stale 409');
    expect(await stored()).toMatchObject({ version: 7, proposerMayApprove: false });
  });

  // Red when: the organisation's row is not held while the change is judged.
  it('given by two admins at once against one version is in force once', async () => {
    const answers = await Promise.all(
      [boss, second, third, boss, second].map((actor, index) =>
        change(actor, { approvalsNeeded: 2 + index }),
      ),
    );
    expect(answers.map(slugOf).toSorted()).toEqual(['in-force', ...Array<string>(4).fill('stale 409')]);
    expect((await versions()).map(({ version }) => version)).toEqual([1, 2]);
    expect((await stored()).version).toBe(2);
  });

  // Red when: a change that was decided can be decided again.
  it('is approved once, however many admins approve it at once', async () => {
    const id = waitingId(await change(boss, { proposerMayApprove: true }));
    const answers = await Promise.all(
      [second, third, second, third].map((actor) => house.engine.policy.approve(house.as(actor), id)),
    );
    expect(answers.map(slugOf).toSorted()).toEqual([
      ...Array<string>(3).fill('already-decided 409'),
      'in-force',
    ]);
    expect((await versions()).length).toBe(2);
  });

  // Red when: the proposer's role is not read again at the second word.
  it('is nobody’s any more once whoever proposed it is no admin', async () => {
    const id = waitingId(await change(boss, { proposerMayApprove: true }));
    await house.database.admin`update members set role = 'agent' where user_id = ${boss.id}`;
    expect(slugOf(await house.engine.policy.approve(house.as(second), id))).toBe('stale 409');
    expect(await stored()).toEqual(defaultPolicy);
    expect(slugOf(await change(second, { proposerMayApprove: true }))).toBe('waiting');
  });

  it('can be taken back by the one who proposed it and refused by any other admin, which ends it', async () => {
    const mine = waitingId(await change(boss, { proposerMayApprove: true }));
    expect(slugOf(await change(second, { approvalExpiresAfterMs: 9e8 }))).toBe('already-decided 409');
    expect(slugOf(await house.engine.policy.refuse(house.as(boss), mine, null))).toBe('withdrawn');
    const theirs = waitingId(await change(boss, { proposerMayApprove: true }));
    const refused = await house.engine.policy.refuse(house.as(second), theirs, 'Not before summer');
    expect(slugOf(refused)).toBe('refused');
    expect(deskIn(refused).ended[0]).toMatchObject({
      state: 'refused',
      reason: 'Not before summer',
      decidedBy: { name: 'Sekunda' },
    });
    expect(await steps()).toEqual(['policy-change-refused', 'policy-proposed']);
    expect(slugOf(await house.engine.policy.approve(house.as(third), theirs))).toBe('already-decided 409');
    expect(await stored()).toEqual(defaultPolicy);
  });

  it('by one person alone is refused by the table itself', async () => {
    const id = waitingId(await change(boss, { proposerMayApprove: true }));
    await expect(
      house.database.admin`update policy_changes set state = 'in-force', decided_by = ${boss.id},
        decided_person = ${boss.id}, decided_at = now() where id = ${id}`,
    ).rejects.toThrow(/check constraint/);
  });

  it('that names somebody from elsewhere, or nothing new, is answered so', async () => {
    const limits: Policy['limits'] = [
      { for: { personId: 'user-nobody' }, act: 'approve', per: 'day', most: { minor: 1, currency: 'EUR' } },
    ];
    const answer = await change(boss, { limits });
    expect(slugOf(answer)).toBe('invalid 422');
    expect(JSON.stringify(answer)).toContain('policy.limits.0.for.personId');
    expect(slugOf(await change(boss, {}))).toBe('unchanged');
    expect(await versions()).toHaveLength(0);
  });
});

describe('what waits', () => {
  // Red when: the trigger `proposals_of_changed_policy` is not there.
  it('is looked at again as soon as another policy is in force', async () => {
    const waiting = operationIn((await house.give(ada, proposal(await house.order(), 500)))[0]);
    const isDue = async (): Promise<boolean | undefined> =>
      (
        await house.database.admin<{ due: boolean }[]>`
          select wake_at <= now() as due from operations where id = ${waiting.id}`
      )[0]?.due;
    expect(await isDue()).toBe(false);
    expect(slugOf(await change(boss, { approvalsNeeded: 9 }))).toBe('in-force');
    expect(await isDue()).toBe(true);
  });
});

describe('the preview', () => {
  // Red when: a treatment is not compared, an operation of the month is left out, or the preview writes anything.
  it('replays the stored operations under both policies and says which would be treated otherwise', async () => {
    const orderId = await house.order({
      capturedMinor: 100_000,
      placedAt: new Date(Date.now() - 40 * 86_400_000).toISOString(),
    });
    const [small] = await house.give(ada, proposal(orderId, 1_000));
    const [large] = await house.give(
      ada,
      proposal(orderId, 60_000, { differentFrom: [operationIn(small).id] }),
    );
    const old = operationIn((await house.give(ada, proposal(await house.order(), 700)))[0]);
    await house.database
      .admin`update operations set created_at = created_at - interval '40 days' where id = ${old.id}`;
    const before = await stored();
    const preview = await house.engine.policy.preview(house.as(boss), {
      ...defaultPolicy,
      moreApprovals: [{ above: { minor: 50_000, currency: 'EUR' }, approvalsNeeded: 2 }],
      limits: [
        {
          for: { personId: ada.id },
          act: 'propose',
          per: 'payment',
          most: { minor: 60_000, currency: 'EUR' },
        },
      ],
    });
    expect(preview).toMatchObject({ loosens: false, isComplete: true });
    const [{ count } = { count: 0 }] = await house.database.admin<{ count: number }[]>`
      select count(*)::integer as count from operations where created_at > now() - interval '30 days'`;
    expect(preview.lookedAt).toBe(count);
    const told = new Map(preview.operations.map(({ id, changes }) => [id, changes]));
    expect(told.get(operationIn(small).id)).toBeUndefined();
    // 1,000 and 60,000 on one payment are more than 60,000.
    expect(told.get(operationIn(large).id)).toEqual(['refused-at-proposal']);
    expect(told.has(old.id)).toBe(false);
    expect(await stored()).toEqual(before);

    const wider = await house.engine.policy.preview(house.as(boss), {
      ...defaultPolicy,
      moreApprovals: [{ above: { minor: 50_000, currency: 'EUR' }, approvalsNeeded: 2 }],
      automaticApproval: { roles: ['agent'], upTo: [{ minor: 1_000, currency: 'EUR' }] },
      refundWindowMs: 41 * 86_400_000,
    });
    expect(wider.loosens).toBe(true);
    const changes = new Map(wider.operations.map((one) => [one.id, one.changes]));
    expect(changes.get(operationIn(small).id)).toEqual(['automatic']);
    expect(changes.get(operationIn(large).id)).toEqual(['more-approvals']);
  });
});

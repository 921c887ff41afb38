import {
  loosens,
  policyFromStored,
  type Policy,
  type PolicyChangeRequest,
  type PolicyOutcome,
  type Problem,
} from '@holdfast/operation';
import type { Principal } from '../engine-interface.ts';
import { personOf } from '../intake/access.ts';
import {
  commandLineId,
  judgeConfirmation,
  judgePolicyChange,
  judgeRefusal,
  type PolicyChangeState,
} from '../policy/judge-policy-change.ts';
import type { OrganisationTransaction } from './connection.ts';
import { notePolicyInAudit } from './policy-consequences.ts';
import {
  firstVersion,
  lockChange,
  lockInForce,
  peopleIn,
  readMembers,
  readWaiting,
  type InForce,
} from './policy-reader.ts';
import type { PolicyChangeRow, PolicyVersionRow } from './schema.ts';

export type PolicyWritten =
  { readonly ok: true; readonly outcome: PolicyOutcome } | { readonly ok: false; readonly problem: Problem };

/** Puts a tightening in force at once, or keeps a loosening for a second admin. */
export const changePolicy = async (
  tx: OrganisationTransaction,
  who: Principal,
  asked: PolicyChangeRequest,
): Promise<PolicyWritten> => {
  const inForce = await lockInForce(tx);
  const members = new Set((await readMembers(tx)).map(({ id }) => id));
  const judgement = judgePolicyChange(who.actor, inForce.policy, asked, {
    isOneWaiting: (await readWaiting(tx)) !== undefined,
    // Who stands in the policy already may have left since, and is no reason to keep the rest as it is.
    strangers: peopleIn(asked.policy).filter(
      (id) => !members.has(id) && !peopleIn(inForce.policy).includes(id),
    ),
  });
  switch (judgement.kind) {
    case 'refuse':
      return { ok: false, problem: judgement.problem };
    case 'unchanged':
      return { ok: true, outcome: 'unchanged' };
    case 'in-force':
      await rememberName(tx, who);
      await putInForce(tx, who, inForce, judgement.policy, {
        note: asked.note,
        proposedBy: who.actor.id,
        confirmedBy: null,
        changeId: null,
      });
      return { ok: true, outcome: 'in-force' };
    case 'wait':
      await rememberName(tx, who);
      await keepWaiting(tx, who, { ...asked, policy: judgement.policy });
      return { ok: true, outcome: 'waiting' };
  }
};

/** The second admin's word: only now does a loosening come into force. */
export const approveChange = async (
  tx: OrganisationTransaction,
  who: Principal,
  changeId: string,
): Promise<PolicyWritten> => {
  // The organisation first, then the change, as whoever changes the policy does.
  const inForce = await lockInForce(tx);
  const change = await lockChange(tx, changeId);
  const proposer = (await readMembers(tx)).find(({ id }) => id === change?.proposedBy);
  const stands = proposer?.role === 'admin' || change?.proposedBy === commandLineId;
  const judgement = judgeConfirmation(who.actor, inForce.policy, change, stands);
  if (judgement.kind === 'refuse') return { ok: false, problem: judgement.problem };
  if (change === undefined) throw new Error('there is no change to decide about');
  await rememberName(tx, who);
  if (judgement.kind === 'stale') {
    await endChange(tx, change, 'stale', who, null);
    await notePolicyInAudit(tx, who, {
      type: 'policy-change-refused',
      data: { changeId: change.id, basedOn: change.basedOn, because: 'stale' },
    });
    return { ok: false, problem: judgement.problem };
  }
  await endChange(tx, change, 'in-force', who, null);
  const policy: Policy = { ...policyFromStored(change.policy), version: inForce.policy.version + 1 };
  await putInForce(tx, who, inForce, policy, {
    note: change.note,
    proposedBy: change.proposedBy,
    confirmedBy: who.actor.id,
    changeId: change.id,
  });
  return { ok: true, outcome: 'in-force' };
};

/** Stops a loosening that waits. */
export const refuseChange = async (
  tx: OrganisationTransaction,
  who: Principal,
  changeId: string,
  reason: string | null,
): Promise<PolicyWritten> => {
  await lockInForce(tx);
  const change = await lockChange(tx, changeId);
  const judgement = judgeRefusal(who.actor, change);
  if (judgement.kind === 'refuse') return { ok: false, problem: judgement.problem };
  if (change === undefined) throw new Error('there is no change to decide about');
  await rememberName(tx, who);
  await endChange(tx, change, judgement.kind, who, reason);
  await notePolicyInAudit(tx, who, {
    type: judgement.kind === 'refused' ? 'policy-change-refused' : 'policy-change-withdrawn',
    data: { changeId: change.id, basedOn: change.basedOn },
  });
  return { ok: true, outcome: judgement.kind };
};

type HowInForce = Pick<PolicyVersionRow, 'note' | 'proposedBy' | 'confirmedBy'> & {
  readonly changeId: string | null;
};

const putInForce = async (
  tx: OrganisationTransaction,
  who: Principal,
  before: InForce,
  policy: Policy,
  { changeId, ...how }: HowInForce,
): Promise<void> => {
  const { organisationId } = tx;
  if (loosens(before.policy, policy) && (how.confirmedBy === null || how.confirmedBy === how.proposedBy)) {
    throw new Error('a loosening came through without a second admin');
  }
  await keepVersion(tx, firstVersion(organisationId, before.policy, before.organisationSince));
  await keepVersion(tx, { organisationId, version: policy.version, policy, inForceFrom: tx.now, ...how });
  // What waits is judged by it: the table's trigger has every proposal looked at again. Approved ones are at the claim.
  const stored = await tx.ask(
    `update organisations set policy = $2::text::jsonb where org_id = $1
      and coalesce((policy->>'version')::integer, 1) = $3::integer returning 1`,
    [organisationId, JSON.stringify(policy), before.policy.version],
  );
  if (stored.length !== 1) throw new Error('the policy changed under its own lock');
  // What was decided in this transaction before must not be judged by what it remembers of the organisation.
  tx.memory.organisation = null;
  const outdated = await readWaiting(tx);
  if (outdated !== undefined) await endChange(tx, outdated, 'stale', who, null);
  await notePolicyInAudit(tx, who, {
    type: 'policy-changed',
    data: {
      version: policy.version,
      basedOn: before.policy.version,
      ...(changeId === null ? {} : { changeId, proposedBy: how.proposedBy }),
      ...(outdated === undefined ? {} : { outdatedChangeId: outdated.id }),
    },
    policy,
  });
};

/** What is kept already stays as it is: a version is never changed. */
const keepVersion = async (tx: OrganisationTransaction, row: PolicyVersionRow): Promise<void> => {
  await tx.ask(
    `insert into policy_versions (org_id, version, policy, note, proposed_by, confirmed_by, in_force_from)
      values ($1, $2::integer, $3::text::jsonb, $4, $5, $6, $7::timestamptz)
      on conflict (org_id, version) do nothing`,
    [
      row.organisationId,
      row.version,
      JSON.stringify(row.policy),
      row.note,
      row.proposedBy,
      row.confirmedBy,
      row.inForceFrom.toISOString(),
    ],
  );
};

const keepWaiting = async (
  tx: OrganisationTransaction,
  who: Principal,
  { policy, basedOn, note }: { readonly policy: Policy; readonly basedOn: number; readonly note: string },
): Promise<void> => {
  const [kept] = await tx.ask<{ id: string }>(
    `insert into policy_changes (org_id, id, based_on, policy, note, proposed_by, proposed_person, proposed_at, state)
      values ($1, gen_random_uuid(), $2::integer, $3::text::jsonb, $4, $5, $6, $7::timestamptz, 'waiting')
      returning id`,
    [
      tx.organisationId,
      basedOn,
      JSON.stringify(policy),
      note,
      who.actor.id,
      personOf(who.actor),
      tx.now.toISOString(),
    ],
  );
  await notePolicyInAudit(tx, who, {
    type: 'policy-proposed',
    data: { changeId: kept?.id ?? '', basedOn },
    policy,
  });
};

const endChange = async (
  tx: OrganisationTransaction,
  { id }: PolicyChangeRow,
  state: Exclude<PolicyChangeState, 'waiting'>,
  who: Principal,
  reason: string | null,
): Promise<void> => {
  const ended = await tx.ask(
    `update policy_changes
      set state = $3, decided_by = $4, decided_person = $5, decided_at = $6::timestamptz, reason = $7
      where org_id = $1 and id = $2::uuid and state = 'waiting' returning 1`,
    [tx.organisationId, id, state, who.actor.id, personOf(who.actor), tx.now.toISOString(), reason],
  );
  if (ended.length !== 1) throw new Error('a change of the policy was decided under its own lock');
};

/** So that history can show the name of an admin who never gave a command. */
const rememberName = async (tx: OrganisationTransaction, { actor }: Principal): Promise<void> => {
  await tx.ask(
    `insert into actors (org_id, actor_id, name, assistant, updated_at) values ($1, $2, $3, false, $4::timestamptz)
      on conflict (org_id, actor_id) do update set name = excluded.name, updated_at = excluded.updated_at
      where actors.name <> excluded.name`,
    [tx.organisationId, actor.id, actor.name, tx.now.toISOString()],
  );
};

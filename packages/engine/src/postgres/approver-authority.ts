import { policyActorId, roleMay } from '@holdfast/operation';
import type { OrganisationTransaction } from './connection.ts';
import type { ApprovalRow } from './schema.ts';

/** Whoever gave an approval, as it was recorded. */
export type Giver = Pick<ApprovalRow, 'actorId' | 'role' | 'via'>;

const keyOf = ({ actorId, role, via }: Giver): string => JSON.stringify([actorId, role, via]);

// Somebody who was never a member here, or a key that is not here, has no role now: nothing is given by nobody. A person's
// role now is the one that counts; a key stands as it does at the door: not revoked, not ended, and its owner still there
// with a role that lets it work.
const text = `select g.actor_id, g.role, g.via,
    case g.via when 'session' then m.role else (
      select k.role from api_keys k
      where k.org_id = $1 and k.role = g.role and k.scope = 'role' and not k.assistant and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > $5::timestamptz)
        and case g.via
          when 'owned-key' then k.owner_user_id = g.actor_id and m.role in ('admin', k.role, k.owner_role)
          when 'ownerless-key' then k.id = g.actor_id and k.owner_user_id is null
          else false end
      limit 1) end as role_now
  from unnest($2::text[], $3::text[], $4::text[]) g (actor_id, role, via)
  left join members m on m.org_id = $1 and m.user_id = g.actor_id and m.removed_at is null`;

type Found = Giver & { readonly actor_id: string; readonly role_now: Giver['role'] | null };

/** Remembers of these which may still approve, asking for all at once. The policy is nobody, and is judged by itself. */
export const loadAuthority = async (tx: OrganisationTransaction, givers: readonly Giver[]): Promise<void> => {
  const { authority } = tx.memory;
  const people = givers.filter(({ actorId }) => actorId !== policyActorId);
  const unknown = new Map(people.map((giver) => [keyOf(giver), giver]));
  for (const key of authority.keys()) unknown.delete(key);
  if (unknown.size === 0) return;
  const asked = [...unknown.values()];
  const found = await tx.ask<Found>(text, [
    tx.organisationId,
    asked.map(({ actorId }) => actorId),
    asked.map(({ role }) => role),
    asked.map(({ via }) => via),
    tx.now.toISOString(),
  ]);
  for (const { actor_id: actorId, role, via, role_now: roleNow } of found) {
    authority.set(keyOf({ actorId, role, via }), roleNow !== null && roleMay(roleNow, 'approver'));
  }
};

/** Whether they may still approve: what somebody removed or demoted gave before counts no more. */
export const stillMayApprove = async (tx: OrganisationTransaction, giver: Giver): Promise<boolean> => {
  await loadAuthority(tx, [giver]);
  return tx.memory.authority.get(keyOf(giver)) === true;
};

import type { Actor, Command } from '@holdfast/operation';
import type { TestDatabase } from './postgres-rig.ts';

export type HousePeople = {
  /** Makes them members, or keys, of the organisation, as whoever got in at the door is. Once; later changes stay. */
  readonly join: (...actors: readonly Actor[]) => Promise<void>;
  /** Joins whoever gives an approval among these commands: nobody else's standing is looked at. */
  readonly joinApprover: (actor: Actor, commands: readonly Command[]) => Promise<void>;
};

export const housePeople = ({ admin }: Pick<TestDatabase, 'admin'>, organisationId: string): HousePeople => {
  const joined = new Set<string>();
  const joinOne = async ({ id, name, role, assistant, via }: Actor): Promise<void> => {
    const key = `key-of-${id}-${role}`;
    if (via !== 'ownerless-key') {
      await admin`insert into members (org_id, user_id, role, name, email)
        values (${organisationId}, ${id}, ${role}, ${name}, ${`${id}@example.test`}) on conflict do nothing`;
    }
    if (via === 'owned-key') {
      await admin`insert into api_keys (org_id, id, hash, role, name, owner_user_id, owner_role, assistant)
        values (${organisationId}, ${key}, ${key}, ${role}, ${name}, ${id}, ${role}, ${assistant})
        on conflict do nothing`;
    }
    if (via === 'ownerless-key') {
      await admin`insert into api_keys (org_id, id, hash, role, name, assistant)
        values (${organisationId}, ${id}, ${key}, ${role}, ${name}, ${assistant}) on conflict do nothing`;
    }
  };
  const join: HousePeople['join'] = async (...actors) => {
    for (const actor of actors) {
      const known = JSON.stringify([actor.id, actor.role, actor.via]);
      if (joined.has(known)) continue;
      joined.add(known);
      await joinOne(actor);
    }
  };
  return {
    join,
    joinApprover: async (actor, commands) => {
      if (commands.some(({ type }) => type === 'approve')) await join(actor);
    },
  };
};

import { appendOrganisationAudit, auditingOver } from '@holdfast/engine/postgres';
import type { Role } from '@holdfast/operation';
import type { InOrganisation } from './access-store.ts';
import { ownerCovers, ownerLetsWork, type KeyScope } from './key-rules.ts';

export type ListedKey = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly scope: KeyScope;
  readonly assistant: boolean;
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly rotatedAt: Date | null;
  /** Until when the secret before the last rotation still works; null where it does not. */
  readonly oldWorksUntil: Date | null;
  readonly stands: 'works' | 'revoked' | 'expired' | 'owner-left' | 'owner-lost-the-role';
};

export type KeyOrder = {
  readonly id: string;
  readonly hash: string;
  readonly name: string;
  readonly role: Role;
  readonly scope: KeyScope;
  readonly assistant: boolean;
  readonly ownerUserId: string | null;
  readonly expiresAt: Date | null;
  readonly by: string;
};

const standing = (row: Record<string, unknown>): ListedKey['stands'] => {
  if (row['revoked_at'] !== null) return 'revoked';
  if (row['is_expired'] === true) return 'expired';
  const ownerUserId = row['owner_user_id'] as string | null;
  const ownerRole = row['owner_role_now'] as Role | null;
  if (ownerUserId !== null && ownerRole === null) return 'owner-left';
  const ownerRoleThen = row['owner_role'] as Role | null;
  const works = ownerLetsWork({ role: row['role'] as Role, ownerUserId, ownerRole, ownerRoleThen });
  return works ? 'works' : 'owner-lost-the-role';
};

const listed = (row: Record<string, unknown>): ListedKey => ({
  id: row['id'] as string,
  name: row['name'] as string,
  role: row['role'] as Role,
  scope: row['scope'] as KeyScope,
  assistant: row['assistant'] as boolean,
  owner:
    row['owner_user_id'] === null
      ? null
      : { id: row['owner_user_id'] as string, name: (row['owner_name'] as string | null) ?? '' },
  createdAt: row['created_at'] as Date,
  lastUsedAt: row['last_used_at'] as Date | null,
  expiresAt: row['expires_at'] as Date | null,
  revokedAt: row['revoked_at'] as Date | null,
  rotatedAt: row['rotated_at'] as Date | null,
  oldWorksUntil: row['old_works'] === true ? (row['previous_works_until'] as Date) : null,
  stands: standing(row),
});

/** An organisation's keys. Secrets never come in here: only their hashes. */
export const keyStore = (inOrganisation: InOrganisation) => ({
  keys: (organisationId: string): Promise<readonly ListedKey[]> =>
    inOrganisation(organisationId, async (tx) => {
      const rows = await tx`select k.*, m.name as owner_name,
          case when m.removed_at is null then m.role end as owner_role_now,
          coalesce(k.expires_at <= now(), false) as is_expired,
          coalesce(k.previous_works_until > now(), false) as old_works
        from api_keys k left join members m on m.org_id = k.org_id and m.user_id = k.owner_user_id
        order by k.revoked_at is not null, k.created_at desc, k.id`;
      return rows.map(listed);
    }),
  createKey: (organisationId: string, order: KeyOrder) =>
    inOrganisation(organisationId, async (tx): Promise<'created' | 'no-such-owner' | 'more-than-owner'> => {
      const { id, hash, name, role, scope, assistant, ownerUserId, expiresAt, by } = order;
      const [owner] = await tx`select role from members where user_id = ${ownerUserId} and removed_at is null
        for share`;
      if (ownerUserId !== null && owner === undefined) return 'no-such-owner';
      const ownerRole = (owner?.['role'] as Role | undefined) ?? null;
      if (ownerRole !== null && !ownerCovers(ownerRole, role)) return 'more-than-owner';
      await tx`insert into api_keys
          (org_id, id, hash, role, name, owner_user_id, assistant, scope, expires_at, created_by, owner_role)
        values (${organisationId}, ${id}, ${hash}, ${role}, ${name}, ${ownerUserId}, ${assistant}, ${scope},
          ${expiresAt}, ${by}, ${ownerRole})`;
      const data = { role, scope, assistant, owner: ownerUserId };
      const entry = { type: 'key-created' as const, by, subject: `key ${id}` as const, data };
      await appendOrganisationAudit(auditingOver(tx, organisationId), entry);
      return 'created';
    }),
  /** The secret before goes on working for `graceSeconds`; one before that ends now. */
  rotateKey: (
    organisationId: string,
    { id, hash, graceSeconds, by }: { id: string; hash: string; graceSeconds: number; by: string },
  ) =>
    inOrganisation(organisationId, async (tx): Promise<{ oldWorksUntil: Date | null } | undefined> => {
      const [row] = await tx`update api_keys set previous_hash = hash, hash = ${hash}, rotated_at = now(),
          previous_works_until = now() + make_interval(secs => ${graceSeconds})
        where id = ${id} and revoked_at is null and (expires_at is null or expires_at > now())
        returning previous_works_until`;
      if (row === undefined) return undefined;
      const data = { graceSeconds };
      const entry = { type: 'key-rotated' as const, by, subject: `key ${id}` as const, data };
      await appendOrganisationAudit(auditingOver(tx, organisationId), entry);
      return { oldWorksUntil: graceSeconds === 0 ? null : (row['previous_works_until'] as Date) };
    }),
  /** At once, the secret before a rotation included. */
  revokeKey: (organisationId: string, { id, by }: { id: string; by: string }) =>
    inOrganisation(organisationId, async (tx): Promise<'revoked' | 'already' | 'not-found'> => {
      const [row] = await tx`select revoked_at from api_keys where id = ${id} for update`;
      if (row === undefined) return 'not-found';
      if (row['revoked_at'] !== null) return 'already';
      await tx`update api_keys set revoked_at = now(), revoked_by = ${by} where id = ${id}`;
      const entry = { type: 'key-revoked' as const, by, subject: `key ${id}` as const };
      await appendOrganisationAudit(auditingOver(tx, organisationId), entry);
      return 'revoked';
    }),
});
export type KeyStore = ReturnType<typeof keyStore>;

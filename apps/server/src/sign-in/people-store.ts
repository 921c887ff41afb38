import { appendOrganisationAudit, auditingOver } from '@holdfast/engine/postgres';
import type { Role } from '@holdfast/operation';
import type postgres from 'postgres';
import type { InOrganisation } from './access-store.ts';
import {
  judgeMembership,
  type MemberAct,
  type MemberFacts,
  type MemberVerdict,
  type PeoplesRole,
} from './member-decision.ts';

export type Member = {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAt: Date;
  readonly removedAt: Date | null;
};

export type Invitation = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: PeoplesRole;
  readonly invitedBy: string;
  readonly sentAt: Date;
  readonly expiresAt: Date;
};

export type NewInvitation = Omit<Invitation, 'sentAt'> & { readonly tokenHash: string };

export type OpenInvitation = Invitation & {
  readonly organisationName: string;
  readonly invitedByName: string;
};

const factsOf = (row: postgres.Row): MemberFacts => ({
  userId: row['user_id'] as string,
  role: row['role'] as Role,
  isRemoved: row['removed_at'] !== null,
});

const invitationOf = (row: postgres.Row): Invitation => ({
  id: row['id'] as string,
  email: row['email'] as string,
  name: row['name'] as string,
  role: row['role'] as PeoplesRole,
  invitedBy: row['invited_by'] as string,
  sentAt: row['sent_at'] as Date,
  expiresAt: row['expires_at'] as Date,
});

const write = async (
  tx: postgres.TransactionSql,
  { by, about, act }: { by: string; about: string; act: MemberAct },
): Promise<void> => {
  switch (act.kind) {
    case 'change-role':
      await tx`update members set role = ${act.role} where user_id = ${about}`;
      return;
    case 'remove':
      await tx`update members set removed_at = now(), removed_by = ${by} where user_id = ${about}`;
      return;
    case 'take-back':
      await tx`update members set removed_at = null, removed_by = null where user_id = ${about}`;
  }
};

const auditWord = {
  'change-role': 'role-changed',
  remove: 'member-removed',
  'take-back': 'member-added',
} as const;

const membersIn = (inOrganisation: InOrganisation) => ({
  members: (organisationId: string): Promise<readonly Member[]> =>
    inOrganisation(organisationId, async (tx) => {
      const rows = await tx`select * from members order by removed_at is not null, lower(name), user_id`;
      return rows.map((row) => ({
        ...{ userId: row['user_id'] as string, name: row['name'] as string, email: row['email'] as string },
        ...{ role: row['role'] as Role, joinedAt: row['created_at'] as Date },
        removedAt: row['removed_at'] as Date | null,
      }));
    }),
  changeMember: (organisationId: string, change: { by: string; about: string; act: MemberAct }) =>
    inOrganisation(organisationId, async (tx): Promise<MemberVerdict> => {
      const { by, about, act } = change;
      // In one order everywhere, so that two admins who change each other wait instead of locking each other out.
      const rows = await tx`select user_id, role, removed_at from members
        where role = 'admin' or user_id in (${by}, ${about}) order by user_id for update`;
      const verdict = judgeMembership(rows.map(factsOf), by, about, act);
      if (verdict !== 'go') return verdict;
      await write(tx, change);
      const data = act.kind === 'change-role' ? { from: act.was, to: act.role } : {};
      const subject = `member ${about}` as const;
      const entry = { type: auditWord[act.kind], by, subject, data };
      await appendOrganisationAudit(auditingOver(tx, organisationId), entry);
      return 'go';
    }),
});

/** Audits one act on an invitation in its own transaction. Never the address: only who, and for which role. */
const audited = async (
  tx: postgres.TransactionSql,
  organisationId: string,
  entry: {
    type: 'invitation-sent' | 'invitation-accepted' | 'invitation-withdrawn';
    by: string;
    id: string;
    data: { role: PeoplesRole };
  },
): Promise<void> => {
  const { type, by, id, data } = entry;
  const subject = `invitation ${id}` as const;
  await appendOrganisationAudit(auditingOver(tx, organisationId), { type, by, subject, data });
};

const invitationsIn = (inOrganisation: InOrganisation) => ({
  invitations: (organisationId: string): Promise<readonly Invitation[]> =>
    inOrganisation(organisationId, async (tx) => {
      const rows = await tx`select * from invitations where accepted_at is null and withdrawn_at is null
        order by sent_at desc, id`;
      return rows.map(invitationOf);
    }),
  invite: (organisationId: string, made: NewInvitation) =>
    inOrganisation(organisationId, async (tx): Promise<'invited' | 'member' | 'invited-already'> => {
      const { id, email, name, role, invitedBy, expiresAt, tokenHash } = made;
      const known = await tx`select from members where lower(email) = ${email} and removed_at is null`;
      if (known.length > 0) return 'member';
      const rows = await tx`insert into invitations
          (org_id, id, email, name, role, token_hash, invited_by, expires_at)
        values (${organisationId}, ${id}, ${email}, ${name}, ${role}, ${tokenHash}, ${invitedBy}, ${expiresAt})
        on conflict (org_id, email) where accepted_at is null and withdrawn_at is null do nothing returning id`;
      if (rows.length === 0) return 'invited-already';
      await audited(tx, organisationId, { type: 'invitation-sent', by: invitedBy, id, data: { role } });
      return 'invited';
    }),
  /** A new link; the one before works no more. */
  renewInvitation: (
    organisationId: string,
    { id, by, tokenHash, expiresAt }: { id: string; by: string; tokenHash: string; expiresAt: Date },
  ) =>
    inOrganisation(organisationId, async (tx): Promise<Invitation | undefined> => {
      const [row] = await tx`update invitations
        set token_hash = ${tokenHash}, expires_at = ${expiresAt}, sent_at = now()
        where id = ${id} and accepted_at is null and withdrawn_at is null returning *`;
      if (row === undefined) return undefined;
      const renewed = invitationOf(row);
      const data = { role: renewed.role };
      await audited(tx, organisationId, { type: 'invitation-sent', by, id, data });
      return renewed;
    }),
  withdrawInvitation: (organisationId: string, { id, by }: { id: string; by: string }) =>
    inOrganisation(organisationId, async (tx): Promise<boolean> => {
      const [row] = await tx`update invitations set withdrawn_at = now(), withdrawn_by = ${by}
        where id = ${id} and accepted_at is null and withdrawn_at is null returning role`;
      if (row === undefined) return false;
      const data = { role: row['role'] as PeoplesRole };
      await audited(tx, organisationId, { type: 'invitation-withdrawn', by, id, data });
      return true;
    }),
});

/** What whoever holds a link may do with it. */
const heldLinksIn = (inOrganisation: InOrganisation) => ({
  openInvitation: (organisationId: string, id: string): Promise<OpenInvitation | undefined> =>
    inOrganisation(organisationId, async (tx) => {
      const [row] = await tx`select i.*, o.name as organisation_name, m.name as inviter
        from invitations i join organisations o on o.org_id = i.org_id
        left join members m on m.org_id = i.org_id and m.user_id = i.invited_by
        where i.id = ${id} and i.accepted_at is null and i.withdrawn_at is null and i.expires_at > now()`;
      if (row === undefined) return undefined;
      const invitedByName = (row['inviter'] as string | null) ?? '';
      return { ...invitationOf(row), organisationName: row['organisation_name'] as string, invitedByName };
    }),
  /** Uses the invitation up, once, with this very link, and makes the membership in the same transaction. */
  acceptInvitation: (organisationId: string, used: { id: string; tokenHash: string; userId: string }) =>
    inOrganisation(organisationId, async (tx): Promise<boolean> => {
      const { id, tokenHash, userId } = used;
      // Somebody who is here already, under another address, keeps their role, and the invitation is not used up for it.
      const here = await tx`select from members where user_id = ${userId} and removed_at is null`;
      if (here.length > 0) return false;
      const [row] = await tx`update invitations set accepted_at = now(), accepted_by = ${userId}
        where id = ${id} and token_hash = ${tokenHash} and accepted_at is null and withdrawn_at is null
          and expires_at > now() returning *`;
      if (row === undefined) return false;
      const { email, name, role } = invitationOf(row);
      await tx`insert into members (org_id, user_id, role, name, email)
        values (${organisationId}, ${userId}, ${role}, ${name}, ${email})
        on conflict (org_id, user_id) do update set removed_at = null, removed_by = null, role = excluded.role
        where members.removed_at is not null`;
      await audited(tx, organisationId, { type: 'invitation-accepted', by: userId, id, data: { role } });
      await appendOrganisationAudit(auditingOver(tx, organisationId), {
        type: 'member-added',
        by: userId,
        subject: `member ${userId}`,
        data: { role, invitation: id },
      });
      return true;
    }),
});

/** An organisation's people, as its admins see and change them; each act with its entry in the audit. */
export const peopleStore = (inOrganisation: InOrganisation) => ({
  ...membersIn(inOrganisation),
  ...invitationsIn(inOrganisation),
  ...heldLinksIn(inOrganisation),
});
export type PeopleStore = ReturnType<typeof peopleStore>;

import { appendOrganisationAudit, auditingOver, type NewOrganisationEntry } from '@holdfast/engine/postgres';
import type { Role } from '@holdfast/operation';
import postgres from 'postgres';
import type { KeyScope } from './key-rules.ts';
import { wholeRows } from './whole-rows.ts';

export type Membership = {
  readonly organisationId: string;
  readonly organisationName: string;
  readonly role: Role;
  readonly name: string;
  readonly email: string;
  /** Under whose name a device keeps what this person does for this organisation. */
  readonly subject: string;
};

export type KeyRecord = {
  readonly organisationId: string;
  readonly id: string;
  readonly role: Role;
  readonly name: string;
  readonly ownerUserId: string | null;
  readonly ownerName: string | null;
  readonly assistant: boolean;
  readonly scope: KeyScope;
  /** The owner's role now, and when the key was made. */
  readonly ownerRole: Role | null;
  readonly ownerRoleThen: Role | null;
  readonly ownerSubject: string | null;
  /** Within the last minute. */
  readonly usedLately: boolean;
};

export type NewKey = {
  readonly id: string;
  readonly hash: string;
  readonly role: Role;
  readonly name: string;
  readonly ownerUserId: string | null;
  readonly assistant: boolean;
  /** Without it: everything its role may. */
  readonly scope?: KeyScope;
  /** Without it: until it is revoked. */
  readonly expiresAt?: Date | null;
  /** Who made it; absent for the command line. */
  readonly createdBy?: string;
};

export type Organisation = { readonly id: string; readonly name: string };

export type RecordedAccount = {
  readonly accountId: string;
  readonly liveMode: boolean;
  readonly fake: boolean;
};

/** A provider account as `holdfast provider set` stored it; its secrets are sealed. */
export type StoredAccess = RecordedAccount & {
  readonly organisationId: string;
  readonly provider: string;
  readonly apiBase: string;
  readonly sealed: Uint8Array;
};

/** Who may what: organisations, their members and their keys. */
export type AccessStore = {
  readonly keyByHash: (hash: string) => Promise<KeyRecord | undefined>;
  readonly membershipsOf: (userId: string) => Promise<readonly Membership[]>;
  /** An invitation that still stands, by the hash of its link's token. */
  readonly invitationByToken: (
    tokenHash: string,
  ) => Promise<{ readonly organisationId: string; readonly id: string } | undefined>;
  readonly inOrganisation: InOrganisation;
  readonly organisations: () => Promise<readonly Organisation[]>;
  readonly organisationName: (organisationId: string) => Promise<string>;
  readonly defaultOrganisationId: () => Promise<string>;
  readonly memberByEmail: (
    organisationId: string,
    email: string,
  ) => Promise<{ userId: string; role: Role } | undefined>;
  /** False when the person is a member already. */
  readonly addMember: (
    organisationId: string,
    member: { userId: string; role: Role; name: string; email: string },
  ) => Promise<boolean>;
  readonly addKey: (organisationId: string, key: NewKey) => Promise<void>;
  /** An act that has no transaction of the organisation's own. Where it has one, append in there (`auditingOver`). */
  readonly recordAct: (organisationId: string, entry: NewOrganisationEntry) => Promise<void>;
  /**
   * What a person did about their own sign-in, in each of their organisations. Sign-in is stored under a role of its
   * own that sees no organisation, so this is a transaction of its own, after the act: a process that ends in between
   * leaves an act without its entry, never an entry without its act.
   */
  readonly recordPersonalAct: (
    userId: string,
    entry: Omit<NewOrganisationEntry, 'subject' | 'by'> & { readonly by?: string },
  ) => Promise<void>;
  readonly noteKeyUsed: (organisationId: string, keyId: string) => Promise<void>;
  /** A secret that every process on this database derives alike; `purpose` keeps its uses apart. */
  readonly sharedKey: () => Promise<Uint8Array>;
  /** The provider accounts this organisation was used with, or that were set as its own. */
  readonly accountsOf: (organisationId: string) => Promise<readonly RecordedAccount[]>;
  /** How the accounts that were set are reached, of all organisations. */
  readonly providerAccess: () => Promise<readonly StoredAccess[]>;
  readonly schemaVersion: () => Promise<number>;
  /** False while it is a standby, or was told to be read only: then it answers questions alone. */
  readonly takesWrites: () => Promise<boolean>;
  readonly close: () => Promise<void>;
};

/** Driver options for working under one of the roles that own nothing. */
export const underRole = (role: string, maximum: number) => ({
  max: maximum,
  onnotice: () => undefined,
  // Who asks is asked with every request: a database that hangs must show here, too.
  connect_timeout: 5,
  connection: { role, application_name: 'holdfast sign-in', lock_timeout: 5_000, statement_timeout: 15_000 },
});

/** `postgres://…/db?host=/folder` names a socket, as libpq reads it. */
export const socketOf = (url: string): { host?: string } => {
  const folder = new URL(url).searchParams.get('host');
  return folder?.startsWith('/') ? { host: folder } : {};
};

/** Work in one organisation's transaction, behind row-level security. */
export type InOrganisation = <Result>(
  organisationId: string,
  work: (tx: postgres.TransactionSql) => Promise<Result>,
) => Promise<Result>;

const inOrganisationOf =
  (sql: postgres.Sql): InOrganisation =>
  <Result>(organisationId: string, work: (tx: postgres.TransactionSql) => Promise<Result>) =>
    sql.begin(async (tx) => {
      await tx`select set_config('holdfast.organisation_id', ${organisationId}, true)`;
      return work(tx);
    }) as Promise<Result>;

/** What has to be known before an organisation is: asked through the few functions that may see all of them. */
const beforeOrganisation = (
  sql: postgres.Sql,
): Pick<
  AccessStore,
  'keyByHash' | 'membershipsOf' | 'invitationByToken' | 'organisations' | 'providerAccess'
> => ({
  invitationByToken: async (tokenHash) => {
    const [row] = wholeRows(await sql`select org_id, id from invitation_by_token(${tokenHash})`);
    return row && { organisationId: row['org_id'] as string, id: row['id'] as string };
  },
  keyByHash: async (hash) => {
    const [row] = wholeRows(await sql`select * from api_key_by_hash(${hash})`);
    if (row === undefined) return undefined;
    return {
      organisationId: row['org_id'] as string,
      id: row['id'] as string,
      role: row['role'] as Role,
      name: row['name'] as string,
      ownerUserId: row['owner_user_id'] as string | null,
      ownerName: row['owner_name'] as string | null,
      assistant: row['assistant'] as boolean,
      scope: row['scope'] as KeyScope,
      ownerRole: row['owner_role'] as Role | null,
      ownerRoleThen: row['owner_role_then'] as Role | null,
      ownerSubject: row['owner_subject'] as string | null,
      usedLately: row['used_lately'] as boolean,
    };
  },
  membershipsOf: async (userId) => {
    const rows = wholeRows(await sql`select * from memberships_of(${userId})`);
    return rows.map((row) => ({
      organisationId: row['org_id'] as string,
      organisationName: row['organisation_name'] as string,
      role: row['role'] as Role,
      name: row['name'] as string,
      email: row['email'] as string,
      subject: row['subject'] as string,
    }));
  },
  organisations: async () => {
    const rows = wholeRows(await sql`select org_id, name from all_organisations()`);
    return rows.map((row) => ({ id: row['org_id'] as string, name: row['name'] as string }));
  },
  providerAccess: async () => {
    const rows = wholeRows(await sql`select * from all_provider_access()`);
    return rows.map((row) => ({
      organisationId: row['org_id'] as string,
      provider: row['provider'] as string,
      accountId: row['account_id'] as string,
      liveMode: row['live_mode'] as boolean,
      fake: row['fake'] as boolean,
      apiBase: row['api_base'] as string,
      sealed: row['sealed'] as Uint8Array,
    }));
  },
});

type Within = Pick<
  AccessStore,
  'organisationName' | 'memberByEmail' | 'addMember' | 'addKey' | 'noteKeyUsed' | 'accountsOf'
>;

const withinOrganisation = (inOrganisation: InOrganisation): Within => ({
  organisationName: (organisationId) =>
    inOrganisation(organisationId, async (tx) => {
      const [row] = await tx`select name from organisations where org_id = ${organisationId}`;
      return (row?.['name'] as string | undefined) ?? '';
    }),
  memberByEmail: (organisationId, email) =>
    inOrganisation(organisationId, async (tx) => {
      const [row] = await tx`select user_id, role from members
        where org_id = ${organisationId} and email = ${email} and removed_at is null`;
      return row === undefined ? undefined : { userId: row['user_id'] as string, role: row['role'] as Role };
    }),
  addMember: (organisationId, member) =>
    inOrganisation(organisationId, async (tx) => {
      const rows = await tx`insert into members (org_id, user_id, role, name, email)
        values (${organisationId}, ${member.userId}, ${member.role}, ${member.name}, ${member.email})
        on conflict (org_id, user_id) do nothing returning user_id`;
      if (rows.length === 0) return false;
      await appendOrganisationAudit(auditingOver(tx, organisationId), {
        type: 'member-added',
        by: 'command-line',
        subject: `member ${member.userId}`,
        data: { role: member.role },
      });
      return true;
    }),
  addKey: (organisationId, key) =>
    inOrganisation(organisationId, async (tx) => {
      await tx`insert into api_keys
          (org_id, id, hash, role, name, owner_user_id, assistant, scope, expires_at, created_by, owner_role)
        values (${organisationId}, ${key.id}, ${key.hash}, ${key.role}, ${key.name}, ${key.ownerUserId},
          ${key.assistant}, ${key.scope ?? 'role'}, ${key.expiresAt ?? null}, ${key.createdBy ?? null},
          (select role from members where user_id = ${key.ownerUserId} and removed_at is null))`;
      await appendOrganisationAudit(auditingOver(tx, organisationId), {
        type: 'key-created',
        by: key.createdBy ?? 'command-line',
        subject: `key ${key.id}`,
        data: {
          role: key.role,
          scope: key.scope ?? 'role',
          assistant: key.assistant,
          owner: key.ownerUserId,
        },
      });
    }),
  noteKeyUsed: (organisationId, keyId) =>
    inOrganisation(organisationId, async (tx) => {
      await tx`update api_keys set last_used_at = now()
        where id = ${keyId} and (last_used_at is null or last_used_at < now() - interval '1 minute')`;
    }),
  accountsOf: (organisationId) =>
    inOrganisation(organisationId, async (tx) => {
      const rows = await tx`select account_id, live_mode, fake from provider_accounts
          where org_id = ${organisationId} order by first_used_at, account_id`;
      return rows.map((row) => ({
        accountId: row['account_id'] as string,
        liveMode: row['live_mode'] as boolean,
        fake: row['fake'] as boolean,
      }));
    }),
});

export const openAccessStore = (url: string, maximum = 5): AccessStore => {
  const sql = postgres(url, { ...underRole('holdfast_server', maximum), ...socketOf(url) });
  const inOrganisation = inOrganisationOf(sql);
  const before = beforeOrganisation(sql);
  const recordAct: AccessStore['recordAct'] = (organisationId, entry) =>
    inOrganisation(organisationId, (tx) => appendOrganisationAudit(auditingOver(tx, organisationId), entry));
  return {
    ...before,
    inOrganisation,
    ...withinOrganisation(inOrganisation),
    recordAct,
    recordPersonalAct: async (userId, entry) => {
      for (const { organisationId } of await before.membershipsOf(userId)) {
        await recordAct(organisationId, { by: userId, ...entry, subject: `person ${userId}` });
      }
    },
    defaultOrganisationId: async () => {
      const [row] = await sql`select default_org_id from installation`;
      return row?.['default_org_id'] as string;
    },
    sharedKey: async () => {
      const [row] = await sql`select cursor_key from installation`;
      return row?.['cursor_key'] as Uint8Array;
    },
    schemaVersion: async () => {
      const [row] = await sql`select max(number) as number from schema_migrations`;
      return (row?.['number'] as number | null) ?? 0;
    },
    takesWrites: async () => {
      const [row] = await sql`select current_setting('transaction_read_only') = 'off' as takes_writes`;
      return row?.['takes_writes'] === true;
    },
    close: async () => {
      await sql.end({ timeout: 5 });
    },
  };
};

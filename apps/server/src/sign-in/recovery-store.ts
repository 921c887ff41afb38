import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { appendOrganisationAudit, auditingOver, type NewOrganisationEntry } from '@holdfast/engine/postgres';
import type { Role } from '@holdfast/operation';
import type postgres from 'postgres';
import type { InOrganisation } from './access-store.ts';
import {
  judgeAgree,
  judgeStart,
  judgeWithdraw,
  recoveryLinkForMs,
  recoveryWaitsForMs,
  type AgreeVerdict,
  type RecoveryEnd,
  type RecoveryFacts,
  type RecoveryScene,
  type StartVerdict,
  type WithdrawVerdict,
} from './recovery-decision.ts';
import { wholeRows } from './whole-rows.ts';

export type Recovery = {
  readonly id: string;
  readonly person: string;
  readonly reason: string;
  readonly startedBy: string;
  readonly startedAt: Date;
  readonly expiresAt: Date;
  readonly endedAs: RecoveryEnd | null;
};

/** Who is told of one: the person, and every admin but them, as the organisation knows them. */
export type RecoveryReader = { readonly userId: string; readonly name: string; readonly email: string };
export type Told = {
  readonly recovery: Recovery;
  readonly person: RecoveryReader;
  readonly admins: readonly RecoveryReader[];
};

type Outcome<Verdict, Done> = { readonly refused: Exclude<Verdict, 'go'> } | Done;
type Asked = { readonly by: string; readonly device: string; readonly sessionId: string };

const recoveryOf = (row: postgres.Row): Recovery => ({
  id: row['id'] as string,
  person: row['person'] as string,
  reason: row['reason'] as string,
  startedBy: row['started_by'] as string,
  startedAt: row['started_at'] as Date,
  expiresAt: row['expires_at'] as Date,
  endedAs: row['ended_as'] as RecoveryEnd | null,
});
const factsOf = (recovery: Recovery): RecoveryFacts => ({
  ...recovery,
  expiresAtMs: recovery.expiresAt.getTime(),
});

/** How the sign-in library looks up a link that sets a password. */
const linkHash = (token: string): string =>
  createHash('sha256').update(`reset-password:${token}`).digest('base64url');

/** Admins' rows in the one order that everybody locks them in, so that two who act at once wait for one another. */
const sceneOf = async (
  tx: postgres.TransactionSql,
  organisationId: string,
  by: string,
  person: string,
): Promise<RecoveryScene> => {
  const rows = await tx`select user_id, role, removed_at from members
    where role = 'admin' or user_id in (${by}, ${person}) order by user_id for update`;
  // The lock that joining an organisation takes: nobody becomes a member elsewhere while this is judged.
  await tx`select pg_advisory_xact_lock(hashtextextended('passkeys of ' || ${person}, 0))`;
  await tx`select pg_advisory_xact_lock(hashtextextended('member ' || ${person}, 0))`;
  const memberships = wholeRows(await tx`select org_id from memberships_of(${person})`);
  const [clock] = await tx`select clock_timestamp() as now`;
  return {
    by,
    members: rows.map((row) => ({
      userId: row['user_id'] as string,
      role: row['role'] as Role,
      isRemoved: row['removed_at'] !== null,
    })),
    isElsewhere: memberships.some((row) => row['org_id'] !== organisationId),
    nowMs: (clock?.['now'] as Date).getTime(),
  };
};

const told = async (tx: postgres.TransactionSql, recovery: Recovery): Promise<Told> => {
  const rows = await tx`select user_id, name, email from members
    where removed_at is null and (role = 'admin' or user_id = ${recovery.person}) order by user_id`;
  const readers = rows.map((row) => ({
    userId: row['user_id'] as string,
    name: row['name'] as string,
    email: row['email'] as string,
  }));
  const nobody = { userId: recovery.person, name: '', email: '' };
  return {
    recovery,
    person: readers.find(({ userId }) => userId === recovery.person) ?? nobody,
    admins: readers.filter(({ userId }) => userId !== recovery.person),
  };
};

const audited = (
  tx: postgres.TransactionSql,
  organisationId: string,
  type: Extract<NewOrganisationEntry['type'], `recovery-${string}`>,
  recovery: Pick<Recovery, 'id' | 'person'>,
  asked: Asked,
): Promise<void> =>
  appendOrganisationAudit(auditingOver(tx, organisationId), {
    type,
    by: asked.by,
    subject: `person ${recovery.person}`,
    data: {
      recoveryId: recovery.id,
      device: asked.device,
      ...(asked.sessionId === '' ? {} : { session: asked.sessionId }),
    },
  });

const byId = async (tx: postgres.TransactionSql, id: string): Promise<Recovery | undefined> => {
  const [row] = await tx`select * from recoveries where id = ${id}`;
  return row && recoveryOf(row);
};

/** Locks, then reads again what may have ended meanwhile. */
const underLock = async (tx: postgres.TransactionSql, organisationId: string, by: string, id: string) => {
  const found = await byId(tx, id);
  const scene = await sceneOf(tx, organisationId, by, found?.person ?? by);
  return { scene, recovery: found && (await byId(tx, id)) };
};

const starting = (inOrganisation: InOrganisation) => ({
  start: (organisationId: string, asked: Asked & { readonly person: string; readonly reason: string }) =>
    inOrganisation(organisationId, async (tx): Promise<Outcome<StartVerdict, { readonly started: Told }>> => {
      const { by, person, reason } = asked;
      const scene = await sceneOf(tx, organisationId, by, person);
      const [open] = await tx`select * from recoveries where person = ${person} and ended_as is null`;
      const verdict = judgeStart(scene, person, open && factsOf(recoveryOf(open)));
      if (verdict !== 'go') return { refused: verdict };
      // Only one whose time ran out is left here.
      await tx`update recoveries set ended_as = 'expired', ended_at = ${new Date(scene.nowMs)}
        where person = ${person} and ended_as is null`;
      const startedAt = new Date(scene.nowMs);
      const expiresAt = new Date(scene.nowMs + recoveryWaitsForMs);
      const [row] = await tx`insert into recoveries
          (org_id, id, person, reason, started_by, started_at, expires_at)
        values (${organisationId}, ${randomUUID()}, ${person}, ${reason}, ${by}, ${startedAt}, ${expiresAt})
        returning *`;
      if (row === undefined) throw new Error('the recovery was not written');
      const started = await told(tx, recoveryOf(row));
      await audited(tx, organisationId, 'recovery-asked', started.recovery, asked);
      return { started };
    }),
});

export type Agreed = { readonly agreed: Told; readonly token: string; readonly until: Date };

const ending = (inOrganisation: InOrganisation) => ({
  /** Takes away all that opened the person's sign-in, in the same transaction; `token` is told here and nowhere else. */
  agree: (organisationId: string, asked: Asked & { readonly id: string }) =>
    inOrganisation(organisationId, async (tx): Promise<Outcome<AgreeVerdict, Agreed>> => {
      const { by, id } = asked;
      const { scene, recovery } = await underLock(tx, organisationId, by, id);
      const verdict = judgeAgree(scene, recovery && factsOf(recovery));
      if (verdict !== 'go' || recovery === undefined) {
        return { refused: verdict === 'go' ? 'not-found' : verdict };
      }
      const token = randomBytes(24).toString('base64url');
      const until = new Date(scene.nowMs + recoveryLinkForMs);
      await tx`update recoveries set ended_as = 'agreed', ended_by = ${by}, ended_at = ${new Date(scene.nowMs)},
          link_hash = ${linkHash(token)}, link_until = ${until} where id = ${id}`;
      const agreed = await told(tx, { ...recovery, endedAs: 'agreed' });
      await audited(tx, organisationId, 'recovery-approved', recovery, asked);
      return { agreed, token, until };
    }),
  withdraw: (organisationId: string, asked: Asked & { readonly id: string }) =>
    inOrganisation(
      organisationId,
      async (tx): Promise<Outcome<WithdrawVerdict, { readonly withdrawn: Told }>> => {
        const { by, id } = asked;
        const { scene, recovery } = await underLock(tx, organisationId, by, id);
        const verdict = judgeWithdraw(scene, recovery && factsOf(recovery));
        if (verdict !== 'go' || recovery === undefined) {
          return { refused: verdict === 'go' ? 'not-found' : verdict };
        }
        await tx`update recoveries set ended_as = 'withdrawn', ended_by = ${by}, ended_at = ${new Date(scene.nowMs)}
          where id = ${id}`;
        const withdrawn = await told(tx, { ...recovery, endedAs: 'withdrawn' });
        await audited(tx, organisationId, 'recovery-withdrawn', recovery, asked);
        return { withdrawn };
      },
    ),
});

const reading = (inOrganisation: InOrganisation) => ({
  waiting: (organisationId: string): Promise<readonly Recovery[]> =>
    inOrganisation(organisationId, async (tx) => {
      const rows = await tx`select * from recoveries where ended_as is null and expires_at > now()
        order by started_at, id`;
      return rows.map(recoveryOf);
    }),
  /** The person has a password again. `undefined` where no recovery was waiting for that. */
  noteUsed: (organisationId: string, person: string, device: string): Promise<Told | undefined> =>
    inOrganisation(organisationId, async (tx) => {
      const [row] = await tx`update recoveries set used_at = now()
        where person = ${person} and ended_as = 'agreed' and used_at is null returning *`;
      if (row === undefined) return undefined;
      const used = await told(tx, recoveryOf(row));
      await audited(tx, organisationId, 'recovery-used', used.recovery, {
        by: person,
        device,
        sessionId: '',
      });
      return used;
    }),
  memberOf: (organisationId: string, person: string): Promise<{ readonly email: string } | undefined> =>
    inOrganisation(organisationId, async (tx) => {
      const [row] = await tx`select email from members where user_id = ${person} and removed_at is null`;
      return row && { email: row['email'] as string };
    }),
});

/** Recoveries of people's sign-in, each act with its entry in the audit. */
export const recoveryStore = (inOrganisation: InOrganisation) => ({
  ...starting(inOrganisation),
  ...ending(inOrganisation),
  ...reading(inOrganisation),
});
export type RecoveryStore = ReturnType<typeof recoveryStore>;

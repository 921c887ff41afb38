import type postgres from 'postgres';
import { chainHash, chainStart, type AuditData, type OrganisationAuditEntry } from '../audit/audit-chain.ts';
import type { AuditSubject, OrganisationAuditType } from '../audit/organisation-audit-types.ts';
import type { OrganisationTransaction } from './connection.ts';

export type NewOrganisationEntry = {
  readonly type: OrganisationAuditType;
  /** Who did it, by ID; null: the clock, or the program itself. */
  readonly by: string | null;
  readonly subject: AuditSubject;
  /** IDs, closed words, numbers and hashes. Never names, never addresses, never what people typed. */
  readonly data?: AuditData;
};

/** What an entry needs of the transaction that it becomes part of: the engine's own has it. */
export type AuditingTransaction = Pick<OrganisationTransaction, 'organisationId'> & {
  readonly ask: (
    text: string,
    parameters: readonly (string | number | null)[],
  ) => Promise<readonly postgres.Row[]>;
  /** The transaction's clock, where it has one; else the database's. */
  readonly now?: Date;
};

/**
 * The same over the driver's transaction, as the server's own stores use it. It must work under `holdfast_server` and
 * have named the organisation (`holdfast.organisation_id`) already.
 */
export const auditingOver = (tx: postgres.TransactionSql, organisationId: string): AuditingTransaction => ({
  organisationId,
  ask: (text, parameters) => tx.unsafe(text, [...parameters], { prepare: true }),
});

// Held until the commit. Only whoever writes about the same subject of the same organisation waits.
const lockText = `select pg_advisory_xact_lock(hashtextextended('audit ' || $1 || ' ' || $2, 0))`;
const headText = `select floor(extract(epoch from clock_timestamp()) * 1000)::text as now_ms, head.sequence, head.hash
  from (select 1) as one left join lateral (
    select sequence, hash from organisation_audit where org_id = $1 and subject = $2
    order by sequence desc limit 1) head on true`;
const insertText = `insert into organisation_audit
    (org_id, subject, sequence, at, type, actor_id, data, previous_hash, hash)
  values ($1, $2, $3::integer, $4::timestamptz, $5, $6, $7::text::jsonb, $8, $9)`;

/**
 * Appends to the organisation's audit, in the transaction of the act itself: both are there, or neither. Give it last:
 * the subject's chain is held from here to the commit.
 */
export const appendOrganisationAudit = async (
  tx: AuditingTransaction,
  added: NewOrganisationEntry,
): Promise<void> => {
  const { organisationId } = tx;
  await tx.ask(lockText, [organisationId, added.subject]);
  const [head] = await tx.ask(headText, [organisationId, added.subject]);
  if (head === undefined) throw new Error('the database told no time');
  const previousHash = (head['hash'] as string | null) ?? chainStart;
  const entry: OrganisationAuditEntry = {
    organisationId,
    subject: added.subject,
    sequence: ((head['sequence'] as number | null) ?? 0) + 1,
    at: (tx.now ?? new Date(Number(head['now_ms']))).toISOString(),
    type: added.type,
    actorId: added.by,
    data: added.data ?? {},
  };
  await tx.ask(insertText, [
    organisationId,
    entry.subject,
    entry.sequence,
    entry.at,
    entry.type,
    entry.actorId,
    JSON.stringify(entry.data),
    previousHash,
    chainHash(previousHash, entry),
  ]);
};

import { and, asc, desc, eq } from 'drizzle-orm';
import type { OperationState } from '@holdfast/operation';
import {
  chainHash,
  chainStart,
  faultsOfChain,
  type AuditData,
  type AuditEntry,
  type ChainFault,
} from '../audit/audit-chain.ts';
import type { OrganisationTransaction } from './connection.ts';
import { audit, type AuditRow } from './schema.ts';

/** Who caused an entry: a person or program by ID, or nobody (a worker, the clock). */
export type AuditAuthor = { readonly actorId: string | null; readonly commandId?: string | null };

export type NewAuditEntry = {
  readonly operationId: string;
  readonly type: string;
  readonly state: OperationState;
  readonly version: number;
  readonly by: AuditAuthor;
  readonly data?: AuditData;
};

/** Appends to one operation's chain. The caller holds the operation's row, so nothing comes in between. */
export const appendAudit = async (tx: OrganisationTransaction, added: NewAuditEntry): Promise<void> => {
  const [head] = await tx.db
    .select({ sequence: audit.sequence, hash: audit.hash })
    .from(audit)
    .where(and(eq(audit.organisationId, tx.organisationId), eq(audit.operationId, added.operationId)))
    .orderBy(desc(audit.sequence))
    .limit(1);
  const previousHash = head?.hash ?? chainStart;
  const entry: AuditEntry = {
    organisationId: tx.organisationId,
    operationId: added.operationId,
    sequence: (head?.sequence ?? 0) + 1,
    at: tx.now.toISOString(),
    type: added.type,
    actorId: added.by.actorId,
    commandId: added.by.commandId ?? null,
    state: added.state,
    version: added.version,
    data: added.data ?? {},
  };
  await tx.db
    .insert(audit)
    .values({ ...entry, state: added.state, at: tx.now, previousHash, hash: chainHash(previousHash, entry) });
};

/** One operation's entries, oldest first. */
export const readAudit = (tx: OrganisationTransaction, operationId: string): Promise<AuditRow[]> =>
  tx.db
    .select()
    .from(audit)
    .where(and(eq(audit.organisationId, tx.organisationId), eq(audit.operationId, operationId)))
    .orderBy(asc(audit.sequence));

/** Checks one operation's chain against what was hashed when its entries were written. */
export const verifyAuditOf = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<readonly ChainFault[]> =>
  faultsOfChain((await readAudit(tx, operationId)).map((row) => ({ ...row, at: row.at.toISOString() })));

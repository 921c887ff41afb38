import { and, asc, eq } from 'drizzle-orm';
import type { OperationState } from '@holdfast/operation';
import {
  chainHash,
  chainStart,
  faultsOfChain,
  type AuditData,
  type AuditEntry,
  type ChainFault,
} from '../audit/audit-chain.ts';
import { auditOfOrigin } from '../audit/came-from.ts';
import type { StoredEntry } from '../audit/faults-of-operation.ts';
import type { Principal } from '../engine-interface.ts';
import type { AuditType } from '../query/timeline.ts';
import type { OrganisationTransaction } from './connection.ts';
import { audit, type AuditRow } from './schema.ts';
import type { AuditHead } from './working-memory.ts';

/** Who caused an entry: a person or program by ID, or nobody (a worker, the clock). */
export type AuditAuthor = {
  readonly actorId: string | null;
  readonly commandId?: string | null;
  /** The device or the key that the word came from. */
  readonly origin?: AuditData;
};

/** The author of what a command changes. */
export const authorOf = (who: Principal, { commandId }: { readonly commandId: string }): AuditAuthor => ({
  actorId: who.actor.id,
  commandId,
  origin: auditOfOrigin(who.from),
});

export type NewAuditEntry = {
  readonly operationId: string;
  readonly type: AuditType;
  readonly state: OperationState;
  readonly version: number;
  readonly by: AuditAuthor;
  readonly data?: AuditData;
};

/** Appends to one operation's chain. The caller holds the operation's row, so nothing comes in between. */
export const appendAudit = async (tx: OrganisationTransaction, added: NewAuditEntry): Promise<void> => {
  const head = await headOf(tx, added.operationId);
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
    data: { ...added.data, ...added.by.origin },
  };
  const hash = chainHash(previousHash, entry);
  tx.unsent.audit.push({
    ...entry,
    state: added.state,
    at: tx.now,
    previousHash,
    hash,
    transactionId: null,
  });
  tx.memory.auditHeads.set(added.operationId, { sequence: entry.sequence, hash });
};

const headOf = async (tx: OrganisationTransaction, operationId: string): Promise<AuditHead | null> => {
  const known = tx.memory.auditHeads.get(operationId);
  if (known !== undefined) return known;
  const [head] = await tx.ask<AuditHead>(
    `select sequence, hash from audit where org_id = $1 and operation_id = $2
      order by sequence desc limit 1`,
    [tx.organisationId, operationId],
  );
  return head ?? null;
};

/** A stored entry as it was hashed, with its hashes. */
export const entryOfRow = ({ transactionId: _, at, ...row }: AuditRow): StoredEntry => ({
  ...row,
  at: at.toISOString(),
});

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
): Promise<readonly ChainFault[]> => faultsOfChain((await readAudit(tx, operationId)).map(entryOfRow));

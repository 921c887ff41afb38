import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { ChainFault } from '../audit/audit-chain.ts';
import { faultsOfOperation } from '../audit/faults-of-operation.ts';
import { entryOfRow } from './audit-store.ts';
import { lockOperation } from './change-operation.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { groupedBy } from './grouped.ts';
import { fingerprintOfRow } from './operation-fingerprint.ts';
import { audit, operations, providerAccounts, type AuditRow, type OperationRow } from './schema.ts';

export type AuditVerification = { readonly operations: number; readonly entries: number };

const batch = 200;
const nilId = '00000000-0000-0000-0000-000000000000';

const entriesOf = (tx: OrganisationTransaction, ids: readonly string[]): Promise<AuditRow[]> =>
  tx.db
    .select()
    .from(audit)
    .where(and(eq(audit.organisationId, tx.organisationId), inArray(audit.operationId, [...ids])))
    .orderBy(asc(audit.operationId), asc(audit.sequence));

/** Accounts that something may have been proposed for; `null`: before there was one. */
const accountsOf = async (tx: OrganisationTransaction): Promise<readonly (string | null)[]> => {
  const rows = await tx.db
    .select({ accountId: providerAccounts.accountId })
    .from(providerAccounts)
    .where(eq(providerAccounts.organisationId, tx.organisationId));
  return [null, ...rows.map(({ accountId }) => accountId)];
};

const faultsIn = (
  row: OperationRow,
  entries: readonly AuditRow[],
  accounts: readonly (string | null)[],
): readonly ChainFault[] => {
  // Said by the entry itself, where it was written by a version that says it.
  const said = entries[0]?.data['account'];
  const proposedFor = typeof said === 'string' || said === null ? [said] : accounts;
  const fingerprintsNow = proposedFor
    .map((account) => fingerprintOfRow(row, account))
    .filter((fingerprint) => fingerprint !== null);
  const { id, state, version, fingerprint } = row;
  return faultsOfOperation({ id, state, version, fingerprint, fingerprintsNow }, entries.map(entryOfRow));
};

/** Once more under the operation's lock: what somebody was changing just now is no fault. */
const confirmedFaults = async (
  tx: OrganisationTransaction,
  operationId: string,
  accounts: readonly (string | null)[],
): Promise<readonly ChainFault[]> => {
  const row = await lockOperation(tx, operationId);
  return row === undefined ? [] : faultsIn(row, await entriesOf(tx, [operationId]), accounts);
};

/**
 * Checks every operation of one organisation against its audit, a batch at a time: memory does not grow, and no
 * transaction lasts.
 * @param tell called for each fault, as it is found
 */
export const verifyAudit = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  tell: (fault: ChainFault) => void,
): Promise<AuditVerification> => {
  const accounts = await inOrganisation(organisationId, accountsOf);
  let after: string | null = nilId;
  const read = { operations: 0, entries: 0 };
  while (after !== null) {
    const from: string = after;
    const suspects = await inOrganisation(organisationId, async (tx) => {
      const rows = await tx.db
        .select()
        .from(operations)
        .where(and(eq(operations.organisationId, organisationId), gt(operations.id, from)))
        .orderBy(asc(operations.id))
        .limit(batch);
      const entries = groupedBy(
        await entriesOf(tx, [nilId, ...rows.map(({ id }) => id)]),
        ({ operationId }) => operationId,
      );
      read.operations += rows.length;
      for (const those of entries.values()) read.entries += those.length;
      after = rows.length < batch ? null : (rows.at(-1)?.id ?? null);
      return rows.filter((row) => faultsIn(row, entries.get(row.id) ?? [], accounts).length > 0);
    });
    for (const { id } of suspects) {
      const faults = await inOrganisation(organisationId, (tx) => confirmedFaults(tx, id, accounts));
      for (const fault of faults) tell(fault);
    }
  }
  return read;
};

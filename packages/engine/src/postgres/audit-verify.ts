import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { ChainFault } from '../audit/audit-chain.ts';
import { faultsOfOperation, operationFault } from '../audit/faults-of-operation.ts';
import { entryOfRow } from './audit-store.ts';
import { verifySeals, type TrustedSeals } from './audit-verify-seals.ts';
import { verifyPolicies } from './audit-verify-policy.ts';
import { verifySubjects } from './audit-verify-subjects.ts';
import { lockOperation } from './change-operation.ts';
import type { InOrganisation, OrganisationTransaction } from './connection.ts';
import { groupedBy } from './grouped.ts';
import { fingerprintOfRow } from './operation-fingerprint.ts';
import {
  approvals,
  audit,
  operations,
  providerAccounts,
  type ApprovalRow,
  type AuditRow,
  type OperationRow,
} from './schema.ts';

export type AuditVerification = {
  readonly operations: number;
  /** Of operations and of everything else. */
  readonly entries: number;
  readonly seals: number;
};

const batch = 200;
const nilId = '00000000-0000-0000-0000-000000000000';

const entriesOf = (tx: OrganisationTransaction, ids: readonly string[]): Promise<AuditRow[]> =>
  tx.db
    .select()
    .from(audit)
    .where(and(eq(audit.organisationId, tx.organisationId), inArray(audit.operationId, [...ids])))
    .orderBy(asc(audit.operationId), asc(audit.sequence));

const approvalsOf = (tx: OrganisationTransaction, ids: readonly string[]): Promise<ApprovalRow[]> =>
  tx.db
    .select()
    .from(approvals)
    .where(and(eq(approvals.organisationId, tx.organisationId), inArray(approvals.operationId, [...ids])))
    .orderBy(asc(approvals.operationId), asc(approvals.commandId));

/** Accounts that something may have been proposed for; `null`: before there was one. */
const accountsOf = async (tx: OrganisationTransaction): Promise<readonly (string | null)[]> => {
  const rows = await tx.db
    .select({ accountId: providerAccounts.accountId })
    .from(providerAccounts)
    .where(eq(providerAccounts.organisationId, tx.organisationId));
  return [null, ...rows.map(({ accountId }) => accountId)];
};

type History = { readonly entries: readonly AuditRow[]; readonly approvals: readonly ApprovalRow[] };

const faultsIn = (
  row: OperationRow,
  history: History,
  accounts: readonly (string | null)[],
): readonly ChainFault[] => {
  // Said by the entry itself, where it was written by a version that says it.
  const said = history.entries[0]?.data['account'];
  const proposedFor = typeof said === 'string' || said === null ? [said] : accounts;
  const fingerprintsNow = proposedFor
    .map((account) => fingerprintOfRow(row, account))
    .filter((fingerprint) => fingerprint !== null);
  return faultsOfOperation({
    operation: { ...row, fingerprintsNow },
    entries: history.entries.map(entryOfRow),
    approvals: history.approvals.map((approval) => ({
      ...approval,
      approvedAt: approval.approvedAt.toISOString(),
      voidedAt: approval.voidedAt?.toISOString() ?? null,
    })),
  });
};

/** Once more under the operation's lock: what somebody was changing just now is no fault. */
const confirmedFaults = async (
  tx: OrganisationTransaction,
  operationId: string,
  accounts: readonly (string | null)[],
): Promise<readonly ChainFault[]> => {
  const row = await lockOperation(tx, operationId);
  if (row === undefined) return [];
  const ids = [operationId];
  return faultsIn(
    row,
    { entries: await entriesOf(tx, ids), approvals: await approvalsOf(tx, ids) },
    accounts,
  );
};

type Page = {
  readonly suspects: readonly string[];
  readonly rows: number;
  readonly entries: number;
  readonly after: string | null;
};

const readPage = async (
  tx: OrganisationTransaction,
  from: string,
  accounts: readonly (string | null)[],
): Promise<Page> => {
  const rows = await tx.db
    .select()
    .from(operations)
    .where(and(eq(operations.organisationId, tx.organisationId), gt(operations.id, from)))
    .orderBy(asc(operations.id))
    .limit(batch);
  const ids = [nilId, ...rows.map(({ id }) => id)];
  const read = await entriesOf(tx, ids);
  const entries = groupedBy(read, ({ operationId }) => operationId);
  const given = groupedBy(await approvalsOf(tx, ids), ({ operationId }) => operationId);
  const historyOf = (id: string): History => ({
    entries: entries.get(id) ?? [],
    approvals: given.get(id) ?? [],
  });
  return {
    suspects: rows.filter((row) => faultsIn(row, historyOf(row.id), accounts).length > 0).map(({ id }) => id),
    rows: rows.length,
    entries: read.length,
    after: rows.length < batch ? null : (rows.at(-1)?.id ?? null),
  };
};

type Tell = (fault: ChainFault) => void;

const verifyOperations = async (inOrganisation: InOrganisation, organisationId: string, tell: Tell) => {
  const accounts = await inOrganisation(organisationId, accountsOf);
  let after: string | null = nilId;
  const read = { operations: 0, entries: 0 };
  while (after !== null) {
    const from: string = after;
    const page: Page = await inOrganisation(organisationId, (tx) => readPage(tx, from, accounts));
    read.operations += page.rows;
    read.entries += page.entries;
    for (const id of page.suspects) {
      const faults = await inOrganisation(organisationId, (tx) => confirmedFaults(tx, id, accounts));
      faults.forEach(tell);
    }
    after = page.after;
  }
  return read;
};

/** Histories whose operation is gone. */
const verifyNoneIsGone = async (inOrganisation: InOrganisation, organisationId: string, tell: Tell) => {
  let after: string | null = nilId;
  while (after !== null) {
    const from: string = after;
    const gone = await inOrganisation(organisationId, (tx) =>
      tx.ask<{ id: string }>(
        `select operation_id as id from audit a where a.org_id = $1 and a.operation_id > $2::uuid
           and not exists (select from operations o where o.org_id = $1 and o.id = a.operation_id)
         group by operation_id order by operation_id limit $3::integer`,
        [organisationId, from, batch],
      ),
    );
    for (const { id } of gone) tell(operationFault(id, 0, 'there is a history and no operation'));
    after = gone.length < batch ? null : (gone.at(-1)?.id ?? null);
  }
};

/**
 * Checks everything of one organisation that is audited, a batch at a time: memory does not grow, and no transaction
 * lasts.
 * @param tell called for each fault, as it is found
 * @param trusted what is known from outside the database: keys that may have signed seals, and seals kept elsewhere
 */
export const verifyAudit = async (
  inOrganisation: InOrganisation,
  organisationId: string,
  tell: Tell,
  trusted: TrustedSeals = { keys: null, kept: [] },
): Promise<AuditVerification> => {
  // Seals first: whatever is written meanwhile is not yet theirs.
  const seals = await verifySeals(inOrganisation, organisationId, tell, trusted);
  const read = await verifyOperations(inOrganisation, organisationId, tell);
  await verifyNoneIsGone(inOrganisation, organisationId, tell);
  const entries = await verifySubjects(inOrganisation, organisationId, tell);
  await verifyPolicies(inOrganisation, organisationId, tell);
  return { operations: read.operations, entries: read.entries + entries, seals };
};

import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type { Operation, Policy } from '@holdfast/operation';
import { viewOfOperation, type StoredApproval, type ViewContext } from '../query/operation-view.ts';
import type { OrganisationTransaction } from './connection.ts';
import { actors, approvals, operations, organisations, type OperationRow } from './schema.ts';

/** What people call a provider: "stripe" is "Stripe". */
export type ProviderNames = (provider: string | null) => string;

/** What of the organisation's row decisions hang on. */
export const readOrganisation = async (
  tx: OrganisationTransaction,
): Promise<{ readonly policy: Policy; readonly generation: string; readonly holdOn: boolean }> => {
  const [row] = await tx.db
    .select({
      policy: organisations.policy,
      generation: organisations.generation,
      holdOn: organisations.holdOn,
    })
    .from(organisations)
    .where(eq(organisations.organisationId, tx.organisationId));
  if (row === undefined) throw new Error(`there is no organisation ${tx.organisationId}`);
  return row;
};

export const readPolicy = async (tx: OrganisationTransaction): Promise<Policy> =>
  (await readOrganisation(tx)).policy;

export const readOperation = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<OperationRow | undefined> => {
  const [row] = await tx.db
    .select()
    .from(operations)
    .where(and(eq(operations.organisationId, tx.organisationId), eq(operations.id, operationId)));
  return row;
};

export const readOperations = async (
  tx: OrganisationTransaction,
  ids: readonly string[],
): Promise<OperationRow[]> =>
  ids.length === 0
    ? []
    : tx.db
        .select()
        .from(operations)
        .where(and(eq(operations.organisationId, tx.organisationId), inArray(operations.id, [...ids])));

/** Approvals in force, oldest first, by operation. */
export const readApprovals = async (
  tx: OrganisationTransaction,
  operationIds: readonly string[],
): Promise<ReadonlyMap<string, readonly (typeof approvals.$inferSelect)[]>> => {
  const found = new Map<string, (typeof approvals.$inferSelect)[]>();
  if (operationIds.length === 0) return found;
  const rows = await tx.db
    .select()
    .from(approvals)
    .where(
      and(
        eq(approvals.organisationId, tx.organisationId),
        inArray(approvals.operationId, [...operationIds]),
        isNull(approvals.voidedAt),
      ),
    )
    .orderBy(asc(approvals.approvedAt), asc(approvals.commandId));
  for (const row of rows) found.set(row.operationId, [...(found.get(row.operationId) ?? []), row]);
  return found;
};

export type Names = {
  readonly nameOf: (actorId: string) => string;
  readonly isAssistant: (actorId: string) => boolean;
};

/** Names of the people and programs that the given IDs stand for; someone erased is shown by their ID. */
export const readNames = async (tx: OrganisationTransaction, ids: readonly string[]): Promise<Names> => {
  const wanted = [...new Set(ids)];
  const rows =
    wanted.length === 0
      ? []
      : await tx.db
          .select()
          .from(actors)
          .where(and(eq(actors.organisationId, tx.organisationId), inArray(actors.actorId, wanted)));
  const byId = new Map(rows.map((row) => [row.actorId, row]));
  return {
    nameOf: (id) => byId.get(id)?.name ?? id,
    isAssistant: (id) => byId.get(id)?.assistant ?? false,
  };
};

const actorIdsOf = (row: OperationRow): readonly string[] => {
  const { settlement } = row;
  const settledBy =
    settlement?.kind === 'confirmed'
      ? settlement.settledBy
      : settlement?.kind === 'failed' && settlement.cause.kind === 'settled-by-people'
        ? settlement.cause
        : null;
  return [
    row.proposedBy,
    row.endedBy,
    row.takenBy,
    row.resolution?.by,
    settledBy?.by,
    settledBy?.secondBy,
  ].filter((id): id is string => id !== null && id !== undefined);
};

/** Rows as people see them, in the order given. */
export const viewOperations = async (
  tx: OrganisationTransaction,
  rows: readonly OperationRow[],
  providerName: ProviderNames,
): Promise<readonly Operation[]> => {
  if (rows.length === 0) return [];
  const inForce = await readApprovals(
    tx,
    rows.map((row) => row.id),
  );
  const approverIds = [...inForce.values()].flatMap((list) => list.map(({ actorId }) => actorId));
  const names = await readNames(tx, [...rows.flatMap(actorIdsOf), ...approverIds]);
  const policy = await readPolicy(tx);
  const context: ViewContext = {
    ...names,
    providerName,
    approvalsNeeded: policy.approvalsNeeded,
    now: tx.now,
  };
  return rows.map((row) => {
    const own: readonly StoredApproval[] = inForce.get(row.id) ?? [];
    return viewOfOperation(row, own, context);
  });
};

export const viewOperation = async (
  tx: OrganisationTransaction,
  row: OperationRow,
  providerName: ProviderNames,
): Promise<Operation> => {
  const [view] = await viewOperations(tx, [row], providerName);
  if (view === undefined) throw new Error('a row has a view');
  return view;
};

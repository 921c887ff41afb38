import { english, policyActorId, policyFromStored, type Operation, type Policy } from '@holdfast/operation';
import { viewOfOperation, type StoredApproval, type ViewContext } from '../query/operation-view.ts';
import { holdersGone } from './case-holders.ts';
import { competingWith } from '../query/competing.ts';
import { countingPeople } from './approval-standing.ts';
import { loadAuthority } from './approver-authority.ts';
import { readCompeting } from './competing-reader.ts';
import type { OrganisationTransaction } from './connection.ts';
import { groupedBy } from './grouped.ts';
import { codecOf } from './row-codec.ts';
import { actors, approvals, operations, type ApprovalRow, type OperationRow } from './schema.ts';
import { paymentKey, type OrganisationFacts } from './working-memory.ts';

/** What people call a provider: "stripe" is "Stripe". */
export type ProviderNames = (provider: string | null) => string;

/** What of the organisation's row decisions hang on. */
export const readOrganisation = async (tx: OrganisationTransaction): Promise<OrganisationFacts> => {
  if (tx.memory.organisation !== null) return tx.memory.organisation;
  const [row] = await tx.ask<{ policy: unknown; generation: string; hold_on: boolean }>(
    'select policy, generation, hold_on from organisations where org_id = $1',
    [tx.organisationId],
  );
  if (row === undefined) throw new Error(`there is no organisation ${tx.organisationId}`);
  const { policy, generation, hold_on: holdOn } = row;
  tx.memory.organisation = {
    policy: tx.memory.policy ?? policyFromStored(policy),
    generation,
    holdOn,
  };
  return tx.memory.organisation;
};

export const readPolicy = async (tx: OrganisationTransaction): Promise<Policy> =>
  (await readOrganisation(tx)).policy;

const operationCodec = codecOf(operations);
const approvalCodec = codecOf(approvals);
const actorCodec = codecOf(actors);

export const readOperation = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<OperationRow | undefined> => (await readOperations(tx, [operationId]))[0];

export const readOperations = async (
  tx: OrganisationTransaction,
  ids: readonly string[],
): Promise<readonly OperationRow[]> => {
  const { operations: known } = tx.memory;
  if (ids.every((id) => known.has(id))) return ids.flatMap((id) => known.get(id) ?? []);
  return tx.rows(operationCodec, 'where t.org_id = $1 and t.id = any($2::uuid[])', [tx.organisationId, ids]);
};

/** Approvals in force, oldest first, by operation. */
export const readApprovals = async (
  tx: OrganisationTransaction,
  operationIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ApprovalRow[]>> => {
  const { approvalsOf } = tx.memory;
  if (operationIds.every((id) => approvalsOf.has(id))) {
    return new Map(operationIds.map((id) => [id, approvalsOf.get(id) ?? []]));
  }
  const rows = await tx.rows(
    approvalCodec,
    `where t.org_id = $1 and t.operation_id = any($2::uuid[]) and t.voided_at is null
      order by t.approved_at, t.command_id`,
    [tx.organisationId, operationIds],
  );
  return groupedBy(rows, ({ operationId }) => operationId);
};

export type Names = {
  readonly nameOf: (actorId: string) => string;
  readonly isAssistant: (actorId: string) => boolean;
};

/** Names of the people and programs that the given IDs stand for; someone erased is shown by their ID. */
export const readNames = async (tx: OrganisationTransaction, ids: readonly string[]): Promise<Names> => {
  const wanted = [...new Set(ids)];
  const { names } = tx.memory;
  const rows = wanted.every((id) => names.has(id))
    ? wanted.flatMap((id) => names.get(id) ?? [])
    : await tx.rows(actorCodec, 'where t.org_id = $1 and t.actor_id = any($2::text[])', [
        tx.organisationId,
        wanted,
      ]);
  const byId = new Map(rows.map((row) => [row.actorId, row]));
  return {
    nameOf: (id) => byId.get(id)?.name ?? (id === policyActorId ? english.policy.actor : id),
    isAssistant: (id) => byId.get(id)?.assistant ?? false,
  };
};

export const actorIdsOf = (row: OperationRow): readonly string[] => {
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
    row.followUp?.takenBy,
    row.followUp?.closed?.by,
    row.resolution?.by,
    row.resolution?.second?.by,
    settledBy?.by,
    settledBy?.secondBy,
  ].filter((id): id is string => id !== null && id !== undefined);
};

/** Rows as people see them, in the order given. */
export const viewOperations = async (
  tx: OrganisationTransaction,
  rows: readonly OperationRow[],
  providerName: ProviderNames,
): Promise<readonly Operation[]> =>
  rows.length === 0 ? [] : viewRows(tx, rows, providerName, await readCompeting(tx, rows));

/** As `viewOperations`, without what competes with them: for what is told of them beside another. */
export const viewOperationsAlone = async (
  tx: OrganisationTransaction,
  rows: readonly OperationRow[],
  providerName: ProviderNames,
): Promise<readonly Operation[]> => (rows.length === 0 ? [] : viewRows(tx, rows, providerName, new Map()));

/** Only what is not submitted yet still waits for what the policy asks. */
const isUndecided = ({ state }: OperationRow): boolean => state === 'proposed' || state === 'approved';

const viewRows = async (
  tx: OrganisationTransaction,
  rows: readonly OperationRow[],
  providerName: ProviderNames,
  ofPayment: ReadonlyMap<string, readonly OperationRow[]>,
): Promise<readonly Operation[]> => {
  const inForce = await readApprovals(
    tx,
    rows.map((row) => row.id),
  );
  const approverIds = [...inForce.values()].flatMap((list) => list.map(({ actorId }) => actorId));
  const proposers = [...ofPayment.values()].flatMap((list) => list.map(({ proposedBy }) => proposedBy));
  const names = await readNames(tx, [...rows.flatMap(actorIdsOf), ...approverIds, ...proposers]);
  const policy = await readPolicy(tx);
  const context = { ...names, providerName, policy, now: tx.now };
  const undecided = rows.filter(isUndecided);
  await loadAuthority(
    tx,
    undecided.flatMap(({ id }) => inForce.get(id) ?? []),
  );
  const counting = new Map<string, readonly string[]>();
  for (const row of undecided) {
    counting.set(row.id, await countingPeople(tx, policy, row, inForce.get(row.id) ?? []));
  }
  const gone = await holdersGone(tx, rows);
  return rows.map((stored) => {
    const row = gone.has(stored.id) ? { ...stored, takenBy: null, takenAt: null } : stored;
    const own: readonly StoredApproval[] = inForce.get(row.id) ?? [];
    const given = counting.get(row.id) ?? own.map(({ person }) => person);
    const beside = ofPayment.get(paymentKey(row.provider ?? '', row.paymentReference ?? '')) ?? [];
    const ofRow: ViewContext = { ...context, counting: given };
    return viewOfOperation(row, own, ofRow, competingWith(row, beside, names.nameOf));
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

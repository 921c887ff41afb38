import type { ProviderRecord } from '@holdfast/operation';
import type { ClaimRequest } from '../claim/claim-approved.ts';
import { changeOperation, lockOperation } from './change-operation.ts';
import { isWhole, type LastCheck, type WholeOperation } from './claim-store-facts.ts';
import type { OrganisationTransaction } from './connection.ts';
import { namedHere } from './mirror-store-news.ts';
import { addObservation, settleOperation } from './observation-store.ts';

export type SettledUnaccounted = {
  /** The operation as it is now; `null` where one of the refunds was its own and it has moved on. */
  readonly after: WholeOperation | null;
  /** A refund names an operation that is not known here: nothing says what it was for. */
  readonly ownerUnknown: boolean;
};

/** Makes each of these refunds evidence of the operation it names, and settles that operation. */
export const settleUnaccounted = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  request: ClaimRequest,
  records: readonly ProviderRecord[],
): Promise<SettledUnaccounted> => {
  if (records.length === 0) return { after: row, ownerUnknown: false };
  const named = await namedHere(tx, records);
  for (const { operationId, record } of named) {
    await addObservation(tx, { operationId, source: 'listing', finding: { kind: 'found', record } });
    await settleOperation(tx, operationId, request.account ?? undefined, request.settings);
  }
  const after = await lockOperation(tx, row.id);
  return {
    after: after?.state === row.state && isWhole(after) ? after : null,
    ownerUnknown: named.length < records.length,
  };
};

/**
 * An approved operation stands before a person while a refund of its payment names an operation that is not known
 * here. Once every refund is explained, that is over by itself.
 */
export const explained = async (
  tx: OrganisationTransaction,
  row: WholeOperation,
  request: ClaimRequest,
  check: LastCheck,
): Promise<WholeOperation> => {
  const stands = row.attention.some(({ reason }) => reason === 'conflicting-evidence');
  if (request.kind === 'resubmission' || !stands || check.unaccounted.length > 0) return row;
  const answer = await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    event: { type: 'attention-settled', clears: ['conflicting-evidence'] },
    by: { actorId: null },
  });
  return answer.row !== undefined && isWhole(answer.row) ? answer.row : row;
};

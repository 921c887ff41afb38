import type { OperationState } from '@holdfast/operation';
import type { AuditAuthor } from './audit-store.ts';
import { changeOperation, lockOperation } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import type { FollowUpRecord, OperationRow } from './schema.ts';

const changeIts = async (
  tx: OrganisationTransaction,
  row: OperationRow,
  followUp: FollowUpRecord,
  how: {
    readonly auditType: 'follow-up-closed' | 'follow-up-reopened';
    readonly by: AuditAuthor;
    readonly data: Readonly<Record<string, string>>;
  },
): Promise<void> => {
  const answer = await changeOperation(tx, {
    ...how,
    operationId: row.id,
    expectedVersion: row.version,
    // Nothing of the outcome changes; that somebody sees to it is something a person can see.
    event: { type: 'attention-settled', visible: true },
    patch: { followUp },
  });
  if (answer.kind !== 'moved') throw new Error('a visible change of a locked operation was not made');
};

/** A new refund in the place of one that did not last: what that one left to do is done, as long as this one stands. */
export const closeByProposal = async (
  tx: OrganisationTransaction,
  proposed: OperationRow,
  by: AuditAuthor,
): Promise<void> => {
  if (proposed.replaces === null) return;
  const row = await lockOperation(tx, proposed.replaces);
  if (row?.followUp == null || row.followUp.closed !== null) return;
  const closed = {
    ...{ at: tx.now.toISOString(), by: by.actorId, how: 'proposal' as const, note: null },
    operationId: proposed.id,
  };
  await changeIts(
    tx,
    row,
    { ...row.followUp, closed },
    {
      auditType: 'follow-up-closed',
      by: { ...by, commandId: null },
      data: { how: 'proposal', operation: proposed.id },
    },
  );
};

const cameToNothing: readonly OperationState[] = ['denied', 'cancelled', 'expired', 'failed'];

/** The refund in its place came to nothing: what was to be done is still to be done. */
export const reopenReplaced = async (
  tx: OrganisationTransaction,
  before: OperationRow,
  after: OperationRow,
): Promise<void> => {
  if (after.replaces === null || after.state === before.state || !cameToNothing.includes(after.state)) return;
  const row = await lockOperation(tx, after.replaces);
  if (row?.followUp?.closed?.operationId !== after.id) return;
  await changeIts(
    tx,
    row,
    { ...row.followUp, takenBy: null, takenAt: null, closed: null },
    { auditType: 'follow-up-reopened', by: { actorId: null }, data: { operation: after.id } },
  );
};

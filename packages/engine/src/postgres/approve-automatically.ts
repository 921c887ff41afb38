import { policyActorId } from '@holdfast/operation';
import type { ProposalFacts } from '../intake/judge-propose.ts';
import { changeOperation } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { approvedPatch } from './intake-approve.ts';
import type { IntakeDependencies } from './intake-dependencies.ts';
import type { ApprovalRow, OperationRow } from './schema.ts';

/**
 * The policy's own approval: it reserves, can be stopped while it may still be taken back, and is kept like any other.
 * It has no command of its own, so it stands under its proposal's.
 */
export const approveAutomatically = async (
  dependencies: IntakeDependencies,
  tx: OrganisationTransaction,
  facts: Pick<ProposalFacts, 'policy' | 'refunds'>,
  row: OperationRow,
): Promise<OperationRow> => {
  const { policy } = facts;
  const answer = await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    event: { type: 'approve' },
    patch: await approvedPatch(dependencies, tx, facts),
    by: { actorId: policyActorId },
    data: {
      automatic: true,
      fingerprint: row.fingerprint,
      person: policyActorId,
      role: row.proposedRole,
      via: 'system',
      policyVersion: policy.version,
    },
  });
  // Less is left than it would take, or it stands before a person: people decide.
  if (answer.kind !== 'moved' || row.fingerprint === null || row.proposedRole === null) {
    return answer.row ?? row;
  }
  const approval: ApprovalRow = {
    organisationId: tx.organisationId,
    operationId: row.id,
    commandId: row.id,
    actorId: policyActorId,
    person: policyActorId,
    role: row.proposedRole,
    via: 'system',
    fingerprint: row.fingerprint,
    signed: false,
    policyVersion: policy.version,
    approvedAt: tx.now,
    voidedAt: null,
    voidReason: null,
  };
  tx.unsent.approvals.push(approval);
  tx.memory.approvalsOf.set(row.id, [approval]);
  return answer.row;
};

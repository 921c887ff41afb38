import { and, eq, isNull } from 'drizzle-orm';
import type { Principal } from '../engine-interface.ts';
import { personOf } from '../intake/access.ts';
import { judgeWithdraw, type WithdrawCommand } from '../intake/judge-withdraw.ts';
import { authorOf } from './audit-store.ts';
import { amountOf } from '../query/operation-view.ts';
import { countingPeople } from './approval-standing.ts';
import { changeOperation } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { outcomeOf, type DecisionOutcome } from './intake-outcome.ts';
import { nextLookAtProposal } from './nobody-can-approve.ts';
import { readApprovals, readPolicy } from './operation-reader.ts';
import { approvals, type OperationRow } from './schema.ts';

/** Takes back the approval of whoever gave it, as long as nothing has been claimed. */
export const applyWithdraw = async (
  tx: OrganisationTransaction,
  who: Principal,
  command: WithdrawCommand,
  row: OperationRow,
): Promise<DecisionOutcome> => {
  const person = personOf(who.actor);
  const policy = await readPolicy(tx);
  const inForce = (await readApprovals(tx, [row.id])).get(row.id) ?? [];
  const counting = await countingPeople(tx, policy, row, inForce);
  const ever = await tx.ask(
    'select from approvals where org_id = $1 and operation_id = $2::uuid and person = $3 limit 1',
    [tx.organisationId, row.id, person],
  );
  const judgement = judgeWithdraw(command, {
    person,
    stands: inForce.some((approval) => approval.person === person),
    counting,
    everApproved: ever.length > 0,
    policy,
    amount: amountOf(row),
  });
  if (judgement.kind === 'refuse') return { ...judgement, kind: 'refused', row };
  const stays = judgement.effect.othersSuffice && row.state === 'approved';
  const expiresAt = new Date(tx.now.getTime() + policy.proposalExpiresAfterMs);
  const answer = await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    by: authorOf(who, command),
    event: { type: stays ? 'approve-partly' : 'withdraw' },
    auditType: 'withdraw',
    ...(stays ? {} : { patch: { expiresAt, wakeAt: nextLookAtProposal(tx.now, expiresAt, 'first') } }),
  });
  if (answer.kind === 'moved') {
    await tx.db
      .update(approvals)
      .set({ voidedAt: tx.now, voidReason: 'taken back' })
      .where(
        and(
          eq(approvals.organisationId, tx.organisationId),
          eq(approvals.operationId, row.id),
          eq(approvals.person, person),
          isNull(approvals.voidedAt),
        ),
      );
  }
  return outcomeOf(command, answer);
};

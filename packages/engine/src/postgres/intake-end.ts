import type { Principal } from '../engine-interface.ts';
import { hashOfText } from '../audit/audit-chain.ts';
import { personOf } from '../intake/access.ts';
import { judgeEnd, type EndCommand } from '../intake/judge-end.ts';
import { attachSeenRefunds, lockPaymentsNaming } from './attach-seen-refunds.ts';
import { appendAudit, authorOf } from './audit-store.ts';
import { changeOperation } from './change-operation.ts';
import { acceptOperation } from './accept-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { writeFeed } from './feed-writer.ts';
import { correctPayment } from './mirror-store.ts';
import { outcomeOf, type DecisionOutcome } from './intake-outcome.ts';
import { generationOf } from './intake-propose.ts';
import type { OperationRow } from './schema.ts';

/** Denies or cancels an operation that has not been submitted. */
export const applyEnd = async (
  tx: OrganisationTransaction,
  who: Principal,
  command: EndCommand,
  row: OperationRow,
): Promise<DecisionOutcome> => {
  const judgement = judgeEnd(command, {
    proposedPerson: row.proposedPerson,
    person: personOf(who.actor),
  });
  if (judgement.kind === 'refuse') return { ...judgement, kind: 'refused', row };
  const answer = await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    by: authorOf(who, command),
    event: { type: command.type },
    patch: { endedBy: who.actor.id, endReason: command.reason },
    data: { reasonHash: hashOfText(command.reason) },
  });
  return outcomeOf(command, answer);
};

/** Remembers a cancellation for an ID that was never seen, so that a late copy of its proposal can do nothing. */
export const rememberCancellation = async (
  tx: OrganisationTransaction,
  who: Principal,
  command: EndCommand,
): Promise<DecisionOutcome> => {
  // Payments before operations, like everywhere: its refund may have been carried out and seen all the same.
  const refunded = await lockPaymentsNaming(tx, command.operationId);
  const row = acceptOperation(tx, {
    id: command.operationId,
    state: 'cancelled',
    generation: await generationOf(tx),
    proposedBy: who.actor.id,
    proposedVia: who.actor.via,
    proposedPerson: personOf(who.actor),
    proposedByAssistant: who.actor.assistant,
    endedBy: who.actor.id,
    endReason: command.reason,
    settledAt: tx.now,
  });
  await appendAudit(tx, {
    operationId: row.id,
    type: 'cancel',
    state: row.state,
    version: row.version,
    by: authorOf(who, command),
    data: { reasonHash: hashOfText(command.reason), neverArrived: true },
  });
  writeFeed(tx, [{ subject: 'operation', subjectId: row.id, version: row.version }]);
  await attachSeenRefunds(tx, row.id);
  for (const payment of refunded) await correctPayment(tx, payment);
  return { kind: 'done', row };
};

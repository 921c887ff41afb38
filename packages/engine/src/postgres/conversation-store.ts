import type { OperationDetail } from '@holdfast/operation';
import { canonical, hashOfText, type AuditData } from '../audit/audit-chain.ts';
import type { Principal } from '../engine-interface.ts';
import { auditOfOrigin } from '../audit/came-from.ts';
import { appendAudit } from './audit-store.ts';
import { lockOperation } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import type { ProposeCommand } from './intake-propose.ts';
import { codecOf } from './row-codec.ts';
import { operationConversations } from './schema.ts';

const codec = codecOf(operationConversations);

/** What was asked of an assistant lies beside the operation, where nothing decides by it; its digest is the audit's. */
export const keepConversation = (
  tx: OrganisationTransaction,
  { operationId, conversation }: ProposeCommand,
): AuditData => {
  if (conversation === undefined) return {};
  const { organisationId, now } = tx;
  tx.unsent.conversations.push({ organisationId, operationId, keptAt: now, conversation });
  return { conversationHash: hashOfText(canonical(conversation)) };
};

export const readConversation = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<Pick<OperationDetail, 'conversation'>> => {
  const [row] = await tx.rows(codec, 'where t.org_id = $1 and t.operation_id = $2', [
    tx.organisationId,
    operationId,
  ]);
  return row === undefined ? {} : { conversation: row.conversation };
};

/** Erases what was said and leaves that it was: the audit goes on, and holds no word of it. */
export const eraseConversation = async (
  tx: OrganisationTransaction,
  who: Principal,
  operationId: string,
): Promise<boolean> => {
  const row = await lockOperation(tx, operationId);
  if (row === undefined) return false;
  const erased = await tx.ask<{ operation_id: string }>(
    'delete from operation_conversations where org_id = $1 and operation_id = $2 returning operation_id',
    [tx.organisationId, operationId],
  );
  if (erased.length === 0) return false;
  await appendAudit(tx, {
    operationId,
    type: 'conversation-erased',
    state: row.state,
    version: row.version,
    by: { actorId: who.actor.id, commandId: null, origin: auditOfOrigin(who.from) },
  });
  return true;
};

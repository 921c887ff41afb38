import { canonicalJson, type FollowUpAct, type JsonValue, type Operation } from '@holdfast/operation';
import { hashOfText } from '../audit/audit-chain.ts';
import { judgeFollowUp } from '../case/judge-follow-up.ts';
import type { CaseAnswer, Principal } from '../engine-interface.ts';
import { problemOf } from '../intake/problem.ts';
import type { AuditType } from '../query/timeline.ts';
import { authorOf } from './audit-store.ts';
import { changeOperation, lockOperation } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { rememberCallers } from './intake-group.ts';
import { readNames } from './operation-reader.ts';
import { codecOf } from './row-codec.ts';
import { caseEntries, type FollowUpRecord, type OperationRow } from './schema.ts';

const entryCodec = codecOf(caseEntries);

const auditTypes: Readonly<Record<FollowUpAct['act'], AuditType>> = {
  take: 'follow-up-taken',
  'put-back': 'follow-up-put-back',
  close: 'follow-up-closed',
};

const digestOf = (operationId: string, act: FollowUpAct): string =>
  hashOfText(canonicalJson(JSON.parse(JSON.stringify({ ...act, followUp: true, operationId })) as JsonValue));

const keep = async (
  tx: OrganisationTransaction,
  who: Principal,
  operationId: string,
  act: FollowUpAct,
): Promise<void> => {
  const { id, name, assistant } = who.actor;
  await rememberCallers(tx, new Map([[id, { actor: { id, name, assistant } }]]));
  await tx.ask(
    `insert into case_entries (org_id, command_id, operation_id, act, at, actor_id, digest, note)
      values ($1, $2, $3, $4, $5::timestamptz, $6, $7, $8)`,
    [
      ...[tx.organisationId, act.commandId, operationId, `follow-up-${act.act}`, tx.now.toISOString(), id],
      ...[digestOf(operationId, act), act.act === 'close' ? act.note : null],
    ],
  );
};

const change = async (
  tx: OrganisationTransaction,
  who: Principal,
  row: OperationRow,
  act: FollowUpAct,
  followUp: FollowUpRecord,
): Promise<OperationRow> => {
  const answer = await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    event: { type: 'attention-settled', visible: true },
    auditType: auditTypes[act.act],
    by: authorOf(who, act),
    data: act.act === 'close' ? { how: 'note', noteHash: hashOfText(act.note) } : {},
    patch: { followUp },
  });
  if (answer.kind !== 'moved') throw new Error('a visible change of a locked operation was not made');
  return answer.row;
};

/** Who sees to it that the customer of a refund that did not last is paid another way. */
export const actOnFollowUp = async (
  tx: OrganisationTransaction,
  who: Principal,
  operationId: string,
  act: FollowUpAct,
  view: (row: OperationRow) => Promise<Operation>,
): Promise<CaseAnswer> => {
  const ids = { operationId, commandId: act.commandId };
  const row = await lockOperation(tx, operationId);
  if (row === undefined) {
    const problem = problemOf('not-found', 'This operation is not known here yet.', ids);
    return { kind: 'refused', problem };
  }
  // The same command sent twice at once has waited for itself at the lock.
  const [known] = await tx.rows(entryCodec, 'where t.org_id = $1 and t.command_id = $2', [
    tx.organisationId,
    act.commandId,
  ]);
  if (known !== undefined) {
    const same = known.digest === digestOf(operationId, act) && known.actorId === who.actor.id;
    if (same) return { kind: 'replayed', operation: await view(row) };
    const sentence = 'This command ID already stands for something else.';
    return { kind: 'refused', problem: problemOf('operation-mismatch', sentence, ids) };
  }
  const { followUp } = row;
  const takenBy = followUp?.takenBy ?? null;
  const { nameOf } = await readNames(tx, takenBy === null ? [] : [takenBy]);
  const judgement = judgeFollowUp(act, {
    operationId,
    version: row.version,
    stands: followUp === null ? 'none' : followUp.closed === null ? 'open' : 'closed',
    takenBy,
    takenByName: takenBy === null ? null : nameOf(takenBy),
    me: who.actor.id,
  });
  if (judgement.kind === 'refuse') return { kind: 'refused', problem: judgement.problem };
  if (followUp === null) throw new Error('what is not there was judged to be');
  await keep(tx, who, operationId, act);
  if (judgement.kind === 'nothing-changes') return { kind: 'done', operation: await view(row) };
  const at = tx.now.toISOString();
  const after: FollowUpRecord =
    judgement.kind === 'held-by'
      ? { ...followUp, takenBy: judgement.person, takenAt: judgement.person === null ? null : at }
      : {
          ...followUp,
          closed: {
            ...{ at, by: who.actor.id, how: 'note', operationId: null },
            note: act.act === 'close' ? act.note : null,
          },
        };
  return { kind: 'done', operation: await view(await change(tx, who, row, act, after)) };
};

import {
  canonicalJson,
  parseOperationId,
  type CaseAct,
  type CaseComment,
  type JsonValue,
  type Operation,
  type Role,
} from '@holdfast/operation';
import { hashOfText } from '../audit/audit-chain.ts';
import { judgeCase } from '../case/judge-case.ts';
import type { CaseAnswer, CaseDesk, Principal } from '../engine-interface.ts';
import { problemOf } from '../intake/problem.ts';
import type { AuditType } from '../query/timeline.ts';
import { authorOf } from './audit-store.ts';
import { changeOperation, lockOperation, type OperationPatch } from './change-operation.ts';
import type { OrganisationTransaction } from './connection.ts';
import { rememberCallers } from './intake-group.ts';
import { readNames, viewOperation, type ProviderNames } from './operation-reader.ts';
import { codecOf } from './row-codec.ts';
import { holdersGone } from './case-holders.ts';
import type { Runtime } from './runtime.ts';
import { actOnFollowUp } from './follow-up-desk.ts';
import { caseEntries, type OperationRow } from './schema.ts';

const entryCodec = codecOf(caseEntries);

const digestOf = (operationId: string, act: CaseAct): string =>
  hashOfText(canonicalJson(JSON.parse(JSON.stringify({ ...act, operationId })) as JsonValue));

const auditTypes: Readonly<Record<CaseAct['act'], AuditType>> = {
  take: 'case-taken',
  'hand-on': 'case-handed-on',
  'put-back': 'case-put-back',
  comment: 'case-comment',
};

type Taker = { readonly id: string; readonly name: string };

/** Whom a case can be handed to. */
const readTakers = (tx: OrganisationTransaction): Promise<readonly Taker[]> =>
  tx.ask<{ id: string; name: string; role: Role }>(
    `select user_id as id, name, role from members
      where org_id = $1 and removed_at is null and role in ('operator', 'admin') order by name, user_id`,
    [tx.organisationId],
  );

export const readComments = async (
  tx: OrganisationTransaction,
  operationId: string,
): Promise<readonly CaseComment[]> => {
  const rows = await tx.rows(
    entryCodec,
    // What was written with a settlement stands in the history, with the settlement.
    `where t.org_id = $1 and t.operation_id = $2 and t.note is not null and t.act <> 'resolve'
      order by t.at, t.command_id`,
    [tx.organisationId, operationId],
  );
  const { nameOf } = await readNames(
    tx,
    rows.map(({ actorId }) => actorId),
  );
  return rows.map(({ at, actorId, note }) => ({
    at: at.toISOString(),
    by: { id: actorId, name: nameOf(actorId) },
    text: note ?? '',
  }));
};

const refused = (problem: ReturnType<typeof problemOf>): CaseAnswer => ({ kind: 'refused', problem });

const noteOf = (act: CaseAct): string | null =>
  act.act === 'comment' ? act.text : act.act === 'hand-on' ? (act.note ?? null) : null;

/** Names stand with the actors alone; whoever was handed a case may never have given a command. */
const rememberPeople = async (
  tx: OrganisationTransaction,
  who: Principal,
  target: Taker | undefined,
): Promise<void> => {
  const { id, name, assistant } = who.actor;
  const people = new Map([[id, { actor: { id, name, assistant } }]]);
  if (target !== undefined) people.set(target.id, { actor: { ...target, assistant: false } });
  await rememberCallers(tx, people);
};

const keep = async (
  tx: OrganisationTransaction,
  who: Principal,
  operationId: string,
  act: CaseAct,
): Promise<void> => {
  await tx.ask(
    `insert into case_entries (org_id, command_id, operation_id, act, at, actor_id, digest, to_person, note)
      values ($1, $2, $3, $4, $5::timestamptz, $6, $7, $8, $9)`,
    [
      ...[tx.organisationId, act.commandId, operationId, act.act, tx.now.toISOString(), who.actor.id],
      ...[digestOf(operationId, act), act.act === 'hand-on' ? act.to : null, noteOf(act)],
    ],
  );
};

const change = async (
  tx: OrganisationTransaction,
  who: Principal,
  row: OperationRow,
  act: CaseAct,
  patch: OperationPatch,
): Promise<OperationRow> => {
  const note = noteOf(act);
  const answer = await changeOperation(tx, {
    operationId: row.id,
    expectedVersion: row.version,
    // Nothing of the outcome changes; that somebody sees to it is something a person can see.
    event: { type: 'attention-settled', visible: true },
    auditType: auditTypes[act.act],
    by: authorOf(who, act),
    data: {
      ...(act.act === 'hand-on' ? { to: act.to } : {}),
      ...(act.act === 'comment' || note === null ? {} : { noteHash: hashOfText(note) }),
      ...(act.act === 'comment' ? { noteHash: hashOfText(act.text) } : {}),
    },
    patch,
  });
  if (answer.kind !== 'moved') throw new Error('a visible change of a locked operation was not made');
  return answer.row;
};

const actOn = async (
  tx: OrganisationTransaction,
  who: Principal,
  operationId: string,
  act: CaseAct,
  view: (row: OperationRow) => Promise<Operation>,
): Promise<CaseAnswer> => {
  const ids = { operationId, commandId: act.commandId };
  const row = await lockOperation(tx, operationId);
  if (row === undefined) {
    return refused(problemOf('not-found', 'This operation is not known here yet.', ids));
  }
  // The same command sent twice at once has waited for itself at the lock.
  const [known] = await tx.rows(entryCodec, 'where t.org_id = $1 and t.command_id = $2', [
    tx.organisationId,
    act.commandId,
  ]);
  if (known !== undefined) {
    const same = known.digest === digestOf(operationId, act) && known.actorId === who.actor.id;
    if (same) return { kind: 'replayed', operation: await view(row) };
    return refused(
      problemOf('operation-mismatch', 'This command ID already stands for something else.', ids),
    );
  }
  // What somebody has who left is nobody's: it is taken like any other.
  const takenBy = (await holdersGone(tx, [row])).has(row.id) ? null : row.takenBy;
  const takers = act.act === 'hand-on' ? await readTakers(tx) : [];
  const names = await readNames(tx, takenBy === null ? [] : [takenBy]);
  const judgement = judgeCase(act, {
    operationId,
    state: row.state,
    version: row.version,
    attention: row.attention,
    takenBy,
    takenByName: takenBy === null ? null : names.nameOf(takenBy),
    me: who.actor.id,
    mayTake: (person) => takers.some(({ id }) => id === person),
  });
  if (judgement.kind === 'refuse') return refused(judgement.problem);
  await rememberPeople(tx, who, act.act === 'hand-on' ? takers.find(({ id }) => id === act.to) : undefined);
  await keep(tx, who, operationId, act);
  switch (judgement.kind) {
    case 'nothing-changes':
      return { kind: 'done', operation: await view(row) };
    case 'written':
      return { kind: 'done', operation: await view(await change(tx, who, row, act, {})) };
    case 'held-by': {
      const takenAt = judgement.person === null ? null : tx.now;
      const after = await change(tx, who, row, act, { takenBy: judgement.person, takenAt });
      return { kind: 'done', operation: await view(after) };
    }
  }
};

/** Taking a case, handing it on, writing beside it. */
export const createCaseDesk = (
  { inOrganisation, wakes }: Pick<Runtime, 'inOrganisation' | 'wakes'>,
  providerName: ProviderNames,
): CaseDesk => ({
  act: async (who, id, act) => {
    const operationId = parseOperationId(id);
    if (operationId === undefined) {
      return refused(problemOf('not-found', 'This operation is not known here yet.'));
    }
    const answer = await inOrganisation(who.organisationId, (tx) =>
      actOn(tx, who, operationId, act, (row) => viewOperation(tx, row, providerName)),
    );
    if (answer.kind === 'done') wakes.written(who.organisationId);
    return answer;
  },
  followUp: async (who, id, act) => {
    const operationId = parseOperationId(id);
    if (operationId === undefined) {
      return refused(problemOf('not-found', 'This operation is not known here yet.'));
    }
    const answer = await inOrganisation(who.organisationId, (tx) =>
      actOnFollowUp(tx, who, operationId, act, (row) => viewOperation(tx, row, providerName)),
    );
    if (answer.kind === 'done') wakes.written(who.organisationId);
    return answer;
  },
  takers: (who) =>
    inOrganisation(who.organisationId, async (tx) =>
      (await readTakers(tx)).map(({ id, name }) => ({ id, name })),
    ),
});

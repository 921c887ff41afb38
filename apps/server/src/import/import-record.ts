import type { Engine, Principal } from '@holdfast/engine';
import {
  personOfSubject,
  compareProposals,
  judgeTakeUp,
  type Operation,
  type OperationState,
  type Problem,
  type ReadItem,
  type ReadRecord,
  type TakeUpJudgement,
} from '@holdfast/operation';
import { judgeCommand } from '../http/routes/command-routes.ts';
import type { AccessStore } from '../sign-in/access-store.ts';

type GoodRecord = Extract<ReadRecord, { ok: true }>;
type GoodItem = Extract<ReadItem, { kind: 'read' }>;
type SetAside = Extract<ReadItem, { kind: 'set-aside' }>;

/** What became of one item of the file. Only `imported` changed anything. */
export type ImportedItem = { readonly operationId: string | null; readonly type: string | null } & (
  | { readonly found: 'known'; readonly state: OperationState }
  /** Holdfast holds another refund under that ID, field by field. Nothing was changed. */
  | {
      readonly found: 'operation-mismatch';
      readonly state: OperationState;
      readonly recorded: Readonly<Record<string, unknown>>;
      readonly received: Readonly<Record<string, unknown>>;
    }
  | { readonly found: 'unknown'; readonly wouldGo: boolean; readonly because: NotImported | null }
  | { readonly found: 'imported'; readonly state: OperationState | null }
  | { readonly found: 'refused'; readonly problem: Problem }
  | { readonly found: 'set-aside'; readonly because: SetAside['because']; readonly field: string | null }
);

/** Why an unknown item is not sent in: what the record says of it, or who gave it. */
export type NotImported = Exclude<TakeUpJudgement, 'may-go'> | 'not-a-member' | 'another-person';

export type RecordImport = {
  readonly exportedAt: string;
  readonly exportedBy: string;
  readonly applied: boolean;
  readonly items: readonly ImportedItem[];
};

export type RecordImportParts = {
  readonly engine: Pick<Engine, 'lookUp' | 'apply'>;
  readonly store: Pick<AccessStore, 'membershipsOf'>;
  /** Who looks. */
  readonly asker: Principal;
};

const lookUpAtOnce = 500;

const lookUpAll = async (
  { engine, asker }: RecordImportParts,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Operation | null>> => {
  const found = new Map<string, Operation | null>();
  for (let from = 0; from < ids.length; from += lookUpAtOnce) {
    const { operations } = await engine.lookUp(asker, ids.slice(from, from + lookUpAtOnce));
    for (const [id, operation] of Object.entries(operations)) found.set(id, operation);
  }
  return found;
};

const whatIsKnown = ({ item, command }: GoodItem, operation: Operation): ImportedItem => {
  const about = { operationId: item.operationId, type: item.type };
  if (command.type !== 'propose' || operation.orderId === null) {
    return { ...about, found: 'known', state: operation.state };
  }
  const { same, recorded, received } = compareProposals({ ...operation, kind: 'refund' }, command);
  return same
    ? { ...about, found: 'known', state: operation.state }
    : { ...about, found: 'operation-mismatch', state: operation.state, recorded, received };
};

/** The item's own author, as they are now: only a member of this organisation, with the role they have today. */
const authorOf = async (
  { store, asker }: RecordImportParts,
  subject: string,
): Promise<Principal | undefined> => {
  const id = personOfSubject(subject);
  const memberships = await store.membershipsOf(id);
  const member = memberships.find(
    (one) => one.organisationId === asker.organisationId && one.subject === subject,
  );
  if (member === undefined) return undefined;
  return {
    organisationId: asker.organisationId,
    actor: { id, name: member.name, role: member.role, assistant: false, via: 'session' },
    subject,
    through: 'device-record',
  };
};

/** Through the ordinary intake, as its author would send it: the same judgement, the same refusals. */
const send = async (
  parts: RecordImportParts,
  author: Principal,
  { item, command }: GoodItem,
): Promise<ImportedItem> => {
  const about = { operationId: item.operationId, type: item.type };
  const identity = {
    principal: author,
    subject: item.subject,
    credential: `record ${author.actor.id}`,
    byCookie: false,
  };
  const [result] = await parts.engine.apply(author, [judgeCommand(command, identity, false)]);
  if (result === undefined) throw new Error('the intake gave no verdict');
  if (result.problem !== undefined) return { ...about, found: 'refused', problem: result.problem };
  return { ...about, found: 'imported', state: result.operation?.state ?? null };
};

const unknownItem = async (
  parts: RecordImportParts,
  record: GoodRecord,
  read: GoodItem,
  apply: boolean,
): Promise<ImportedItem> => {
  const about = { operationId: read.item.operationId, type: read.item.type };
  const judgement = judgeTakeUp(read, record);
  if (judgement !== 'may-go') return { ...about, found: 'unknown', wouldGo: false, because: judgement };
  // A record is one person's. What stands in it under somebody else's name was put there.
  if (read.item.subject !== record.exportedBy) {
    return { ...about, found: 'unknown', wouldGo: false, because: 'another-person' };
  }
  const author = await authorOf(parts, read.item.subject);
  if (author === undefined) return { ...about, found: 'unknown', wouldGo: false, because: 'not-a-member' };
  return apply ? send(parts, author, read) : { ...about, found: 'unknown', wouldGo: true, because: null };
};

/**
 * Asks about every ID of a device's record. With `apply`, unknown proposals go in under their own authors; a second
 * import finds them known. Items are taken one after another, so that what one refund reserves the next one meets.
 */
export const importRecord = async (
  parts: RecordImportParts,
  record: GoodRecord,
  apply: boolean,
): Promise<RecordImport> => {
  const good = record.items.flatMap((one) => (one.kind === 'read' ? [one.item.operationId] : []));
  const known = await lookUpAll(parts, [...new Set(good)]);
  const items: ImportedItem[] = [];
  for (const read of record.items) {
    if (read.kind === 'set-aside') {
      const { operationId, because, field } = read;
      items.push({ operationId, type: null, found: 'set-aside', because, field });
      continue;
    }
    const operation = known.get(read.item.operationId) ?? null;
    items.push(
      operation === null ? await unknownItem(parts, record, read, apply) : whatIsKnown(read, operation),
    );
  }
  return { exportedAt: record.exportedAt, exportedBy: record.exportedBy, applied: apply, items };
};

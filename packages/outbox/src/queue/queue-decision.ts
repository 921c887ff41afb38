import { commandSchema, protocolVersion } from '@holdfast/operation';
import type { CommandType, Proposal } from '@holdfast/operation';
import type { KeptReason, NotSaved, Queued } from '../outbox-interface.ts';
import { entryKeyOf, historyOf, isUnfinishedEntry, mayHaveBeenSent, nextLogRows } from './entry-history.ts';
import type { Decision } from './queue-store.ts';
import { rowVersion } from './stored-rows.ts';
import type { EntryRow, LogRow } from './stored-rows.ts';
import { notSaved, recordsOf } from './records-of.ts';
import type { RefundRecord, RefundSnapshot } from './refund-rows.ts';

export type CommandWorld = { readonly subject: string; readonly commandId: string; readonly nowMs: number };

/** A command as its JSON text: the same content always gives the same bytes. */
export const commandBody = (
  subject: string,
  command: {
    readonly type: CommandType;
    readonly operationId: string;
    readonly commandId: string;
    readonly content: object;
  },
): string => {
  const { type, operationId, commandId, content } = command;
  return JSON.stringify({ commandId, subject, type, operationId, ...content });
};

/** The next entry of an operation. Its body is written once, here; every attempt sends this text. */
export const newEntry = (
  snapshot: RefundSnapshot,
  world: CommandWorld,
  command: { readonly type: CommandType; readonly operationId: string; readonly content: object },
  bound: { readonly orderId: string | null; readonly supersedes: string | null },
): EntryRow => {
  const { type, operationId, content } = command;
  const earlier = recordsOf(snapshot, operationId);
  const commandId = type === 'propose' ? operationId : world.commandId;
  const ordinal = earlier.filter(({ entry }) => entry.type === type).length + 1;
  return {
    v: rowVersion,
    key: entryKeyOf({ operationId, type, commandId }, ordinal),
    operationId,
    commandId,
    type,
    subject: world.subject,
    orderId: bound.orderId,
    position: earlier.length + 1,
    supersedes: bound.supersedes,
    protocol: protocolVersion,
    body: commandBody(world.subject, { type, operationId, commandId, content }),
    queuedAtMs: world.nowMs,
  };
};

/** What would be stored has to be what the wire allows, or it could never be sent and never be read again. */
export const refusalOf = (entry: EntryRow): NotSaved | null => {
  const read = commandSchema.safeParse(JSON.parse(entry.body));
  if (read.success && read.data.operationId === entry.operationId) return null;
  const issues = read.success
    ? [{ path: 'operationId', message: 'must be a UUIDv7 in lower case' }]
    : read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  return { reason: 'invalid', issues };
};

const sameIntent = (record: RefundRecord, body: string): boolean => record.entry.body === body;

const supersededReason = 'Replaced by a changed proposal.';

/**
 * What becomes of the proposal that a changed one supersedes: never sent, it is dropped; else its cancellation is
 * queued, and the changed one waits for the answer to that.
 */
const supersede = (
  snapshot: RefundSnapshot,
  world: CommandWorld,
  operationId: string,
): { addEntries: EntryRow[]; addLog: LogRow[] } => {
  const records = recordsOf(snapshot, operationId);
  const histories = records.map((record) => ({ record, history: historyOf(record) }));
  const isSent = histories.some(({ history }) => mayHaveBeenSent(history));
  const unfinished = histories.filter(({ history }) => isUnfinishedEntry(history));
  if (!isSent) {
    const dropped = { kind: 'dropped', because: 'superseded' } as const;
    return {
      addEntries: [],
      addLog: unfinished.flatMap(({ record }) => nextLogRows(record, world.nowMs, [dropped])),
    };
  }
  const refused = histories.filter(
    ({ history }) =>
      history.ending?.how === 'verdict' && history.ending.status === 'rejected' && !history.dismissed,
  );
  const addLog = refused.flatMap(({ record }) => nextLogRows(record, world.nowMs, [{ kind: 'dismissed' }]));
  if (unfinished.some(({ record }) => record.entry.type === 'cancel')) return { addEntries: [], addLog };
  const command = { type: 'cancel', operationId, content: { reason: supersededReason } } as const;
  return {
    addEntries: [newEntry(snapshot, world, command, { orderId: null, supersedes: null })],
    addLog,
  };
};

/** A request of this ID that left, or may have, without being stored. `end` is `null` while nobody heard of it. */
export type SentBefore = {
  readonly attemptId: string;
  readonly startedAtMs: number;
  readonly end: {
    readonly atMs: number;
    readonly result: KeptReason | 'verdict';
    readonly status: number | null;
  } | null;
};

/** Its log begins with what happened before it was stored: whoever cancels it now has to say so to the server. */
const sentRows = (entry: EntryRow, sent: SentBefore, sessionEpoch: number): LogRow[] => {
  const { attemptId, startedAtMs, end } = sent;
  const unsent = { entry: { ...entry, command: null }, log: [], logCount: 0 };
  const started = nextLogRows(unsent, startedAtMs, [{ kind: 'attempt-started', attemptId, commandCount: 1 }]);
  if (end === null) return started;
  const { atMs, result, status } = end;
  const ended = { kind: 'attempt-ended', attemptId, result, status, detail: null, retryInMs: null } as const;
  return [
    ...started,
    ...nextLogRows({ ...unsent, log: started, logCount: 1 }, atMs, [{ ...ended, sessionEpoch }]),
  ];
};

/**
 * A filled-in form becomes an item, in the same step that closes the draft everywhere.
 * @param proposal already checked against the wire's schema
 * @param sent what of this ID was sent before anything could be stored
 */
export const decideQueue =
  (world: CommandWorld, operationId: string, proposal: Proposal, sent: SentBefore | null = null) =>
  (snapshot: RefundSnapshot): Decision<Queued> => {
    const draft = snapshot.drafts.find((open) => open.operationId === operationId);
    const entry = newEntry(
      { ...snapshot, records: snapshot.records.filter((record) => record.entry.operationId !== operationId) },
      world,
      { type: 'propose', operationId, content: proposal },
      { orderId: proposal.orderId, supersedes: draft?.supersedes ?? null },
    );
    const earlier = recordsOf(snapshot, operationId);
    const same = earlier.find((record) => sameIntent(record, entry.body));
    if (same) {
      return { writes: {}, answer: { saved: true, again: true, operationId, itemKey: same.entry.key } };
    }
    if (earlier.length > 0) return notSaved({ reason: 'queued-otherwise', operationId });
    if (draft?.subject !== world.subject) return notSaved({ reason: 'draft-closed' });
    if (draft.order.id !== proposal.orderId) {
      const issue = { path: 'orderId', message: 'must be the order that the form was opened on' };
      return notSaved({ reason: 'invalid', issues: [issue] });
    }
    const refusal = refusalOf(entry);
    if (refusal) return notSaved(refusal);
    const replaced =
      draft.supersedes === null
        ? { addEntries: [], addLog: [] }
        : supersede(snapshot, world, draft.supersedes);
    return {
      writes: {
        deleteDrafts: [operationId],
        addEntries: [...replaced.addEntries, entry],
        addLog: [...replaced.addLog, ...(sent === null ? [] : sentRows(entry, sent, snapshot.session.epoch))],
      },
      answer: { saved: true, again: false, operationId, itemKey: entry.key },
    };
  };

/** After `possible-duplicate`: the same proposal under the same ID, with what it is different from. */
export const decideGoOn =
  (world: CommandWorld, operationId: string, differentFrom: readonly string[]) =>
  (snapshot: RefundSnapshot): Decision<Queued> => {
    const latest = recordsOf(snapshot, operationId).findLast(
      ({ entry }) => entry.type === 'propose' && entry.subject === world.subject,
    );
    if (latest?.entry.command.type !== 'propose') return notSaved({ reason: 'nothing-there' });
    const {
      commandId: _id,
      operationId: _operation,
      subject: _subject,
      type: _type,
      ...proposal
    } = latest.entry.command;
    const all = [...new Set([...(proposal.differentFrom ?? []), ...differentFrom])].sort();
    const content: Proposal = { ...proposal, differentFrom: all };
    const bound = { orderId: proposal.orderId, supersedes: latest.entry.supersedes };
    const entry = newEntry(snapshot, world, { type: 'propose', operationId, content }, bound);
    if (sameIntent(latest, entry.body)) {
      return { writes: {}, answer: { saved: true, again: true, operationId, itemKey: latest.entry.key } };
    }
    const { ending } = historyOf(latest);
    if (ending?.how !== 'verdict' || ending.status !== 'rejected')
      return notSaved({ reason: 'nothing-there' });
    const refusal = refusalOf(entry);
    if (refusal) return notSaved(refusal);
    return {
      writes: {
        addEntries: [entry],
        addLog: nextLogRows(latest, world.nowMs, [{ kind: 'dismissed' }]),
      },
      answer: { saved: true, again: false, operationId, itemKey: entry.key },
    };
  };

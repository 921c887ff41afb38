import type { NotSentReason } from '../outbox-interface.ts';
import { historyOf, isHeldBack, isParking, isUnfinishedEntry } from '../queue/entry-history.ts';
import type { EntryHistory } from '../queue/entry-history.ts';
import type { QueueSnapshot } from '../queue/queue-store.ts';
import type { EntryRecord, SessionRow } from '../queue/stored-rows.ts';

/** One entry with what its log says, and why it cannot go now (`null`: it can, when it is due). */
export type PlannedEntry = {
  readonly record: EntryRecord;
  readonly history: EntryHistory;
  readonly blockedBy: NotSentReason | null;
  /** When its pause is over; `null` when it is due now, blocked or parked. */
  readonly dueAtMs: number | null;
  /** It failed by itself at its last try, so it may be what others would suffer from: it goes last, and apart. */
  readonly isSuspect: boolean;
};

type Seen = { readonly record: EntryRecord; readonly history: EntryHistory };

const byOperation = (records: readonly EntryRecord[]): Map<string, Seen[]> => {
  const operations = new Map<string, Seen[]>();
  const ordered = [...records].sort((one, other) => one.entry.position - other.entry.position);
  for (const record of ordered) {
    const seen = { record, history: historyOf(record) };
    const list = operations.get(record.entry.operationId);
    if (list) list.push(seen);
    else operations.set(record.entry.operationId, [seen]);
  }
  return operations;
};

/**
 * In order, except that a cancellation goes before whatever it is meant to stop; that a proposal goes before words about
 * it, which nobody can take before it is known (it may have been refused and changed after they were said); and that a
 * denial goes before an approval of the same person that it takes back: sent first, that approval could let the money
 * go before the denial arrives.
 */
const firstOf = (operation: readonly Seen[]): Seen | undefined => {
  const unfinished = operation.filter(({ history }) => isUnfinishedEntry(history));
  const [first] = unfinished;
  const ofType = (type: string): Seen | undefined =>
    unfinished.find(({ record }) => record.entry.type === type);
  const deny = unfinished.find(
    ({ record }) => record.entry.type === 'deny' && record.entry.subject === first?.record.entry.subject,
  );
  return ofType('cancel') ?? ofType('propose') ?? deny ?? first;
};

const endedStates: readonly (string | null)[] = ['cancelled', 'denied', 'expired', 'failed'];

/** Whether what a proposal supersedes can do nothing any more, as far as this device has heard. */
const supersededBlock = (
  entry: EntryRecord['entry'],
  operations: ReadonlyMap<string, readonly Seen[]>,
): NotSentReason | null => {
  if (entry.supersedes === null) return null;
  const earlier = operations.get(entry.supersedes) ?? [];
  const cancels = earlier.filter(({ record }) => record.entry.type === 'cancel');
  const last = cancels.at(-1);
  if (last === undefined) {
    const allDropped = earlier.every(
      ({ history }) => history.ending?.how === 'dropped' && !history.hasUnreadable,
    );
    return allDropped ? null : 'earlier-not-cancelled';
  }
  const { ending, operationState } = last.history;
  if (ending === null) return 'behind-another';
  if (ending.how === 'verdict' && ending.status !== 'rejected') return null;
  return endedStates.includes(operationState) ? null : 'earlier-not-cancelled';
};

const blockOf = (
  seen: Seen,
  operations: ReadonlyMap<string, readonly Seen[]>,
  unreadable: ReadonlySet<string>,
  session: SessionRow,
): NotSentReason | null => {
  const { entry } = seen.record;
  if (entry.subject !== session.subject) return 'other-subject';
  if (unreadable.has(entry.operationId)) return 'unreadable';
  const first = firstOf(operations.get(entry.operationId) ?? []);
  if (first?.record.entry.key !== entry.key) return 'behind-another';
  // A cancellation of what may have been sent is right whatever the unreadable row says.
  if (isHeldBack(seen.history) && entry.type !== 'cancel') return 'unreadable';
  return supersededBlock(entry, operations);
};

const isParked = (history: EntryHistory, session: SessionRow): boolean =>
  history.lastEnd !== null &&
  isParking(history.lastEnd.result) &&
  history.lastEnd.sessionEpoch === session.epoch;

const dueAt = (record: EntryRecord, history: EntryHistory, nowMs: number): number | null => {
  const pauseMs = history.lastEnd?.retryInMs ?? null;
  if (pauseMs === null || history.openAttempt !== null) return null;
  const endedAtMs = record.log.findLast(({ event }) => event.kind === 'attempt-ended')?.atMs ?? nowMs;
  const dueAtMs = endedAtMs + pauseMs;
  // A clock that was set back would make the pause longer than it was meant to be.
  return dueAtMs <= nowMs || nowMs < endedAtMs ? null : dueAtMs;
};

/** Entries of unreadable rows: nothing later of their operation may overtake them. */
const unreadableOperations = (snapshot: QueueSnapshot): ReadonlySet<string> =>
  new Set(
    snapshot.unreadable
      .filter(({ table, operationId }) => table === 'entries' && operationId !== null)
      .map(({ operationId }) => operationId as string),
  );

/** Every unfinished entry, oldest first, with why it waits. */
export const planEntries = (snapshot: QueueSnapshot, nowMs: number): readonly PlannedEntry[] => {
  const operations = byOperation(snapshot.records);
  const unreadable = unreadableOperations(snapshot);
  return [...operations.values()]
    .flat()
    .filter(({ history }) => isUnfinishedEntry(history))
    .sort((one, other) => one.record.entry.queuedAtMs - other.record.entry.queuedAtMs)
    .map(({ record, history }) => {
      const block = blockOf({ record, history }, operations, unreadable, snapshot.session);
      const parked = block === null && isParked(history, snapshot.session);
      const blockedBy = parked ? (history.lastEnd?.result as NotSentReason) : block;
      return {
        record,
        history,
        blockedBy,
        dueAtMs: blockedBy === null ? dueAt(record, history, nowMs) : null,
        isSuspect: history.failuresAloneInRow > 0,
      };
    });
};

export type NextStep =
  /** Due now, in the order in which they go. */
  | { readonly kind: 'send'; readonly due: readonly PlannedEntry[] }
  /** Nothing to send in this round; `untilMs` is when the first pause ends (in the past: now), `null` when nothing waits. */
  | { readonly kind: 'rest'; readonly untilMs: number | null };

/**
 * How pressing a round is. `pauses-hold`: the timer woke us. `connection-may-be-back`: the browser came online or
 * to the front, so what failed for want of a connection is due, while a server that asked for time gets it.
 * `person-asked`: everything is due, parked entries as well.
 */
export type Urgency = 'pauses-hold' | 'connection-may-be-back' | 'person-asked';

const failedForWantOfConnection: readonly string[] = ['unreachable', 'timed-out', 'network-sign-in'];

const isDue = ({ history, dueAtMs }: PlannedEntry, urgency: Urgency): boolean => {
  if (dueAtMs === null || urgency === 'person-asked') return true;
  const result = history.lastEnd?.result;
  return urgency === 'connection-may-be-back' && failedForWantOfConnection.includes(result ?? '');
};

/** Until when the server asked to be left alone, by what any entry met; `null` when it did not, or that is over. */
const serverAskedUntil = (plan: readonly PlannedEntry[], nowMs: number): number | null => {
  const times = plan.flatMap(({ record, history }) => {
    const waitMs = history.lastEnd?.retryAfterMs;
    const endedAtMs = record.log.findLast(({ event }) => event === history.lastEnd)?.atMs;
    if (waitMs === undefined || endedAtMs === undefined || nowMs < endedAtMs) return [];
    return endedAtMs + waitMs > nowMs ? [endedAtMs + waitMs] : [];
  });
  return times.length === 0 ? null : Math.max(...times);
};

/** Oldest first; what failed by itself goes after the others, and who waited longest for another try goes first. */
const inTurn = (one: PlannedEntry, other: PlannedEntry): number => {
  if (one.isSuspect !== other.isSuspect) return one.isSuspect ? 1 : -1;
  if (!one.isSuspect) return 0;
  return (one.history.lastAttempt?.startedAtMs ?? 0) - (other.history.lastAttempt?.startedAtMs ?? 0);
};

export type StepOptions = {
  readonly urgency: Urgency;
  readonly nowMs: number;
  /** Keys of entries already tried in this round: none is tried twice. */
  readonly tried: ReadonlySet<string>;
  /** Keys of entries whose batch is being parted: they go on in this round, whatever their pause. */
  readonly parted: ReadonlySet<string>;
};

/** All that may go now, or how long to rest. */
export const nextStep = (plan: readonly PlannedEntry[], options: StepOptions): NextStep => {
  const { urgency, tried, parted } = options;
  const askedUntilMs = urgency === 'person-asked' ? null : serverAskedUntil(plan, options.nowMs);
  if (askedUntilMs !== null) return { kind: 'rest', untilMs: askedUntilMs };
  const open = plan.filter(
    ({ blockedBy }) => blockedBy === null || (urgency === 'person-asked' && isParking(blockedBy)),
  );
  const due = open.filter(
    (planned) =>
      parted.has(planned.record.entry.key) ||
      (!tried.has(planned.record.entry.key) && isDue(planned, urgency)),
  );
  if (due.length > 0) return { kind: 'send', due: due.sort(inTurn) };
  // What was tried in this round and is due again already has waited long enough: it must not be forgotten.
  const times = open.map(({ dueAtMs }) => dueAtMs ?? 0);
  return { kind: 'rest', untilMs: times.length === 0 ? null : Math.min(...times) };
};

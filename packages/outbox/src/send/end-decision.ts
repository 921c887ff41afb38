import { historyOf, isParking, isUnfinishedEntry, nextLogRows } from '../queue/entry-history.ts';
import { recordsOf } from '../queue/records-of.ts';
import type { Decision, QueueSnapshot } from '../queue/queue-store.ts';
import type { Entry, EntryRecord, LogEvent, LogRow, SessionRow } from '../queue/stored-rows.ts';
import { pauseAfter } from './backoff.ts';
import type { PauseLimits } from './backoff.ts';
import { kept } from './verdict.ts';
import type { Classified, Kept } from './verdict.ts';
import type { CommandVerdict } from './wire-language.ts';

export type EntryOutcome = { readonly entry: Entry; readonly outcome: Classified };

/** What came of one request: of each entry that went in it, in the same order. */
export type EndedBatch = {
  readonly attemptId: string;
  readonly sessionEpoch: number;
  /** How often the server's history had been restored, as far as was known when the request left. */
  readonly retellCount: number;
  readonly outcomes: readonly EntryOutcome[];
  /** The request as a whole was met so: it says nothing of any one of its entries. */
  readonly isWhole: boolean;
  readonly nowMs: number;
  /** One draw for all, so that what went together is due together. */
  readonly chance: number;
  readonly pauses: PauseLimits;
};

const verdictEvents = (ended: EndedBatch, result: CommandVerdict, status: number): LogEvent[] => [
  {
    kind: 'attempt-ended',
    attemptId: ended.attemptId,
    result: 'verdict',
    status,
    detail: null,
    retryInMs: null,
    sessionEpoch: ended.sessionEpoch,
  },
  {
    kind: 'verdict',
    status: result.status,
    problem: result.problem ?? null,
    operationState: result.operation?.state ?? null,
    operationVersion: result.operation?.version ?? null,
  },
];

const keptEvent = (record: EntryRecord, ended: EndedBatch, outcome: Kept): LogEvent => {
  const isPaused = !isParking(outcome.reason) && outcome.reason !== 'interrupted';
  const commandCount = ended.outcomes.length;
  const isShared = ended.isWhole && commandCount > 1;
  const failures = isShared ? 1 : historyOf(record).failuresInRow + 1;
  return {
    kind: 'attempt-ended',
    attemptId: ended.attemptId,
    result: outcome.reason,
    status: outcome.status,
    detail: outcome.detail,
    retryInMs: isPaused ? pauseAfter(failures, ended.chance, outcome.retryAfterMs, ended.pauses) : null,
    sessionEpoch: ended.sessionEpoch,
    ...(isShared && { sharedBy: commandCount }),
    ...(outcome.retryAfterMs !== null && { retryAfterMs: outcome.retryAfterMs }),
  };
};

/**
 * What was taken and ends an operation has ended what its person said of it before as well, and a cancellation the
 * proposal: no copy of those needs to be sent again, and a late one finds the end in its way.
 */
const endedWithIt = (snapshot: QueueSnapshot, { entry, outcome }: EntryOutcome, nowMs: number): LogRow[] => {
  if (outcome.kind !== 'verdict' || outcome.result.status === 'rejected') return [];
  if (entry.type !== 'cancel' && entry.type !== 'deny') return [];
  const because = entry.type === 'cancel' ? 'cancelled' : 'superseded';
  const isEnded = (record: EntryRecord): boolean => {
    const { entry: other } = record;
    if (!isUnfinishedEntry(historyOf(record))) return false;
    if (other.type === 'propose') return entry.type === 'cancel';
    const isEarlierWord = other.subject === entry.subject && other.position < entry.position;
    return isEarlierWord && ['approve', 'withdraw'].includes(other.type);
  };
  return recordsOf(snapshot, entry.operationId)
    .filter(isEnded)
    .flatMap((other) => nextLogRows(other, nowMs, [{ kind: 'dropped', because }]));
};

const sessionAfter = (session: SessionRow, ended: EndedBatch): SessionRow | undefined => {
  if (session.epoch !== ended.sessionEpoch) return undefined;
  const outcomes = ended.outcomes.map(({ outcome }) => outcome);
  const signInNeeded = outcomes.some((outcome) => outcome.kind === 'kept' && outcome.reason === 'sign-in');
  const isKnown = outcomes.some(({ kind }) => kind === 'verdict');
  if (signInNeeded === session.signInNeeded || (!signInNeeded && !isKnown)) return undefined;
  return { ...session, signInNeeded };
};

/** A verdict that was heard before we knew of a restore may be lost there, and nobody would tell it again. */
const outcomeNow = (snapshot: QueueSnapshot, ended: EndedBatch, outcome: Classified): Classified =>
  outcome.kind === 'verdict' && (snapshot.session.retellCount ?? 0) !== ended.retellCount
    ? kept('interrupted', outcome.status, 'the server was restored meanwhile')
    : outcome;

/**
 * What came of each attempt of a request, kept whoever brings it, in one transaction. A second verdict on an ended
 * entry changes nothing.
 */
export const decideEndBatch =
  (ended: EndedBatch) =>
  (snapshot: QueueSnapshot): Decision<null> => {
    const records = new Map(snapshot.records.map((record) => [record.entry.key, record]));
    const addLog = ended.outcomes.flatMap((one): LogRow[] => {
      const record = records.get(one.entry.key);
      if (!record) return [];
      const outcome = outcomeNow(snapshot, ended, one.outcome);
      if (outcome.kind === 'kept')
        return nextLogRows(record, ended.nowMs, [keptEvent(record, ended, outcome)]);
      const events = verdictEvents(ended, outcome.result, outcome.status);
      const isKnown = historyOf(record).ending?.how === 'verdict';
      const own = nextLogRows(record, ended.nowMs, isKnown ? events.slice(0, 1) : events);
      return [...own, ...endedWithIt(snapshot, { ...one, outcome }, ended.nowMs)];
    });
    const session = sessionAfter(snapshot.session, ended);
    return { writes: { addLog, ...(session && { session }) }, answer: null };
  };

import type { CommandResult } from '@holdfast/operation';
import {
  historyOf,
  isParking,
  isUnfinishedEntry,
  mayHaveBeenSent,
  nextLogRows,
} from '../queue/entry-history.ts';
import { recordsOf } from '../queue/queue-decision.ts';
import type { Decision, QueueSnapshot } from '../queue/queue-store.ts';
import type { EntryRecord, LogEvent, LogRow, SessionRow } from '../queue/stored-rows.ts';
import { pauseAfter } from './backoff.ts';
import type { PauseLimits } from './backoff.ts';
import { holdsLease, takeLease } from './lease.ts';
import type { LeaseRequest } from './lease.ts';
import { nextStep, planEntries } from './send-plan.ts';
import type { Classified } from './verdict.ts';

export type BegunAttempt =
  | {
      readonly kind: 'begun';
      readonly body: string;
      readonly protocol: number;
      readonly sessionEpoch: number;
    }
  /** It was dropped, sent by another, or something has to go before it: plan anew. */
  | { readonly kind: 'plan-again' }
  | { readonly kind: 'lease-lost' };

const unchanged = <Answer>(answer: Answer): Decision<Answer> => ({ writes: {}, answer });

/**
 * Last word before the bytes leave, in one transaction with the attempt's own row: the lease is ours, the entry is
 * still the one to send, and that it may have been sent is stored first.
 */
export const decideBeginAttempt =
  (asked: { entryKey: string; attemptId: string; appVersion?: string | null; lease: LeaseRequest }) =>
  (snapshot: QueueSnapshot): Decision<BegunAttempt> => {
    if (!holdsLease(snapshot.lease, asked.lease.holder)) return unchanged({ kind: 'lease-lost' });
    const lease = takeLease(snapshot.lease, asked.lease);
    const plan = planEntries(snapshot, asked.lease.nowMs);
    const planned = plan.filter(({ record }) => record.entry.key === asked.entryKey);
    const step = nextStep(planned, { urgency: 'person-asked', tried: new Set() });
    if (step.kind !== 'send') return unchanged({ kind: 'plan-again' });
    const { entry } = step.record;
    const started: LogEvent = {
      kind: 'attempt-started',
      attemptId: asked.attemptId,
      commandCount: 1,
      ...(typeof asked.appVersion === 'string' && { appVersion: asked.appVersion }),
    };
    return {
      writes: { lease, addLog: nextLogRows(step.record, asked.lease.nowMs, [started]) },
      answer: {
        kind: 'begun',
        body: entry.body,
        protocol: entry.protocol,
        sessionEpoch: snapshot.session.epoch,
      },
    };
  };

export type EndedAttempt = {
  readonly entryKey: string;
  readonly attemptId: string;
  readonly sessionEpoch: number;
  readonly outcome: Classified;
  readonly nowMs: number;
  readonly chance: number;
  readonly pauses: PauseLimits;
};

const verdictEvents = (ended: EndedAttempt, result: CommandResult, status: number): LogEvent[] => [
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

const keptEvent = (record: EntryRecord, ended: EndedAttempt): LogEvent[] => {
  const { outcome } = ended;
  if (outcome.kind !== 'kept') return [];
  const failures = historyOf(record.log).failuresInRow + 1;
  const isPaused = !isParking(outcome.reason) && outcome.reason !== 'interrupted';
  return [
    {
      kind: 'attempt-ended',
      attemptId: ended.attemptId,
      result: outcome.reason,
      status: outcome.status,
      detail: outcome.detail,
      retryInMs: isPaused ? pauseAfter(failures, ended.chance, outcome.retryAfterMs, ended.pauses) : null,
      sessionEpoch: ended.sessionEpoch,
    },
  ];
};

/** A cancellation that was taken has ended the proposal as well: no copy of it needs to be sent again. */
const cancelledWithIt = (snapshot: QueueSnapshot, record: EntryRecord, ended: EndedAttempt): LogRow[] => {
  const { entry } = record;
  if (entry.type !== 'cancel' || ended.outcome.kind !== 'verdict') return [];
  if (ended.outcome.result.status === 'rejected') return [];
  return recordsOf(snapshot, entry.operationId)
    .filter((other) => other.entry.type === 'propose' && isUnfinishedEntry(historyOf(other.log)))
    .flatMap((other) => nextLogRows(other, ended.nowMs, [{ kind: 'dropped', because: 'cancelled' }]));
};

const sessionAfter = (session: SessionRow, ended: EndedAttempt): SessionRow | undefined => {
  const { outcome, sessionEpoch } = ended;
  if (session.epoch !== sessionEpoch) return undefined;
  const signInNeeded = outcome.kind === 'kept' && outcome.reason === 'sign-in';
  const isKnown = outcome.kind === 'verdict';
  if (signInNeeded === session.signInNeeded || (!signInNeeded && !isKnown)) return undefined;
  return { ...session, signInNeeded };
};

/** What came of an attempt, kept whoever brings it. A second verdict on an ended entry changes nothing. */
export const decideEndAttempt =
  (ended: EndedAttempt) =>
  (snapshot: QueueSnapshot): Decision<null> => {
    const record = snapshot.records.find(({ entry }) => entry.key === ended.entryKey);
    if (!record) return unchanged(null);
    const session = sessionAfter(snapshot.session, ended);
    const { outcome } = ended;
    if (outcome.kind === 'kept') {
      const addLog = nextLogRows(record, ended.nowMs, keptEvent(record, ended));
      return { writes: { addLog, ...(session && { session }) }, answer: null };
    }
    const events = verdictEvents(ended, outcome.result, outcome.status);
    const isKnown = historyOf(record.log).ending?.how === 'verdict';
    const own = nextLogRows(record, ended.nowMs, isKnown ? events.slice(0, 1) : events);
    const addLog = [...own, ...cancelledWithIt(snapshot, record, ended)];
    return { writes: { addLog, ...(session && { session }) }, answer: null };
  };

/**
 * History was restored at the server: what it acknowledged and no longer knows, or knows in an older version than it
 * had told us, is told again. The same bytes, the same IDs: what it does know, it answers as a replay.
 * @param known the server's version of each operation looked up; `null` when it does not know it
 */
export const decideRetell =
  (known: ReadonlyMap<string, number | null>, nowMs: number) =>
  (snapshot: QueueSnapshot): Decision<number> => {
    const gone = snapshot.records.filter(({ entry, log }) => {
      const { ending, operationVersion } = historyOf(log);
      if (ending?.how !== 'verdict' || ending.status === 'rejected') return false;
      const version = known.get(entry.operationId);
      return (
        version === null || (version !== undefined && operationVersion !== null && version < operationVersion)
      );
    });
    const addLog = gone.flatMap((record) => nextLogRows(record, nowMs, [{ kind: 'reopened' }]));
    return { writes: { addLog }, answer: gone.length };
  };

/** Operations that may have reached the server: those are looked up before anything of them is sent again. */
export const operationsToLookUp = (snapshot: QueueSnapshot): readonly string[] => {
  const { subject } = snapshot.session;
  const sent = snapshot.records.filter(({ entry, log }) => {
    const history = historyOf(log);
    const isFirst = entry.type === 'propose' && !mayHaveBeenSent(history);
    return entry.subject === subject && isUnfinishedEntry(history) && !isFirst;
  });
  return [...new Set(sent.map(({ entry }) => entry.operationId))];
};

import type { Ending, KeptReason, LastAttempt, Standing } from '../outbox-interface.ts';
import type { EntryRecord, EntryRow, LogEvent, LogRow } from './stored-rows.ts';
import { rowVersion } from './stored-rows.ts';
import type { Words } from './words.ts';

/** What an entry's log says has become of it. Read from the log alone, so it is the same in every tab. */
export type EntryHistory<W extends Words = Words> = {
  readonly ending: Ending<W['problem']> | null;
  readonly dismissed: boolean;
  readonly attemptCount: number;
  /**
   * Attempts in a row that ended without a verdict and count for the pause. Refusals to listen to us do not, nor does
   * what a whole batch met: the next one is smaller instead.
   */
  readonly failuresInRow: number;
  /** Those in a row that may be this entry's own doing: met by itself, and not for want of a connection. */
  readonly failuresAloneInRow: number;
  readonly lastAttempt: LastAttempt | null;
  readonly openAttempt: { readonly attemptId: string; readonly startedAtMs: number } | null;
  readonly lastEnd: Extract<LogEvent, { kind: 'attempt-ended' }> | null;
  /** Highest version of the operation in a verdict on this entry. */
  readonly operationVersion: number | null;
  readonly operationState: string | null;
  /** Some of its log cannot be read: anything may stand there, an attempt as well. */
  readonly hasUnreadable: boolean;
  /** What its log said last cannot be read: it may have been dropped or answered. */
  readonly isUnsure: boolean;
};

/** Refusals that a sign-in or another person cures: no pause grows by them, and no time passes them. */
export const parkingReasons: readonly KeptReason[] = ['sign-in', 'wrong-subject', 'not-allowed'];

export const isParking = (result: string | null): boolean =>
  (parkingReasons as readonly (string | null)[]).includes(result);

/** Failures that speak of the connection or of the whole server, whatever the request carried. */
const notOfTheEntry: readonly string[] = [
  'unreachable',
  'interrupted',
  'network-sign-in',
  'slow-down',
  'update-needed',
];

const begun = {
  ending: null,
  dismissed: false,
  attemptCount: 0,
  failuresInRow: 0,
  failuresAloneInRow: 0,
  lastAttempt: null,
  openAttempt: null,
  lastEnd: null,
  operationVersion: null,
  operationState: null,
  hasUnreadable: false,
  isUnsure: false,
} as const;

const attemptEnded = <W extends Words>(
  history: EntryHistory<W>,
  event: Extract<LogEvent, { kind: 'attempt-ended' }>,
  atMs: number,
): EntryHistory<W> => {
  const isLatest = history.openAttempt?.attemptId === event.attemptId;
  // The end of an attempt that was given up long ago says nothing about the one that came after it.
  if (!isLatest && history.lastAttempt !== null) return history;
  const failed = event.result !== 'verdict' && !isParking(event.result) && event.sharedBy === undefined;
  const isOwn = failed && !notOfTheEntry.includes(event.result);
  return {
    ...history,
    failuresInRow: failed ? history.failuresInRow + 1 : history.failuresInRow,
    failuresAloneInRow: isOwn ? history.failuresAloneInRow + 1 : history.failuresAloneInRow,
    openAttempt: null,
    lastEnd: event,
    lastAttempt: history.lastAttempt && {
      ...history.lastAttempt,
      endedAtMs: atMs,
      result: event.result,
      status: event.status,
    },
  };
};

const afterEvent = <W extends Words>(
  history: EntryHistory<W>,
  { event, atMs }: LogRow<W>,
): EntryHistory<W> => {
  switch (event.kind) {
    case 'attempt-started':
      return {
        ...history,
        attemptCount: history.attemptCount + 1,
        openAttempt: { attemptId: event.attemptId, startedAtMs: atMs },
        lastAttempt: { startedAtMs: atMs, endedAtMs: null, result: null, status: null },
      };
    case 'attempt-ended':
      return attemptEnded(history, event, atMs);
    case 'verdict':
      return {
        ...history,
        failuresInRow: 0,
        failuresAloneInRow: 0,
        ending: { how: 'verdict', status: event.status, problem: event.problem, atMs },
        operationState: event.operationState ?? history.operationState,
        operationVersion: Math.max(event.operationVersion ?? 0, history.operationVersion ?? 0) || null,
      };
    case 'dropped':
      return { ...history, ending: { how: 'dropped', because: event.because, atMs } };
    case 'reopened':
      return {
        ...history,
        ending: null,
        dismissed: false,
        failuresInRow: 0,
        failuresAloneInRow: 0,
        lastEnd: null,
      };
    case 'dismissed':
      return { ...history, dismissed: true };
  }
};

type Logged<W extends Words = Words> = Pick<EntryRecord<W>, 'log' | 'logCount'>;

const placeOf = ({ id }: LogRow): number => Number(id.slice(id.lastIndexOf('#') + 1));

/** These say how it stands, whatever stood before them. */
const settling: readonly LogEvent['kind'][] = ['verdict', 'dropped', 'reopened'];

/** Places are numbered without a gap, so one that no readable row has is an unreadable row's. */
const isUnsure = ({ log, logCount }: Logged): boolean => {
  const readable = new Set(log.map(placeOf));
  let last = logCount;
  while (last > 0 && readable.has(last)) last -= 1;
  return !log.some((row) => placeOf(row) > last && settling.includes(row.event.kind));
};

export const historyOf = <W extends Words = Words>(record: Logged<W>): EntryHistory<W> => {
  const history = record.log.reduce<EntryHistory<W>>(afterEvent, begun);
  if (record.logCount <= record.log.length) return history;
  return { ...history, hasUnreadable: true, isUnsure: isUnsure(record) };
};

/** Failures in a row after which a person is told, though trying goes on. */
export const failuresUntilNeedsYou = 8;

/** Time cures these and nobody here can: how long such an item has waited is what asks for attention. */
const curedByTime: readonly KeptReason[] = ['unreachable', 'timed-out', 'server-trouble'];

export const standingOf = (history: EntryHistory): Standing => {
  const { ending } = history;
  if (ending?.how === 'dropped') return 'closed';
  if (ending?.how === 'verdict') {
    return ending.status === 'rejected' && !history.dismissed ? 'needs-you' : 'closed';
  }
  const result = history.lastEnd?.result ?? null;
  if (result === 'not-allowed' || result === 'update-needed') return 'needs-you';
  if (result === 'too-large' && history.lastEnd?.sharedBy === undefined) return 'needs-you';
  if ((curedByTime as readonly (string | null)[]).includes(result)) return 'open';
  return history.failuresAloneInRow >= failuresUntilNeedsYou ? 'needs-you' : 'open';
};

/** Before its verdict or drop: still to be sent, whatever its standing. */
export const isUnfinishedEntry = (history: EntryHistory): boolean => history.ending === null;

/** Nobody may say "it was not sent" of a log that cannot be read to its end. */
export const mayHaveBeenSent = (history: EntryHistory): boolean =>
  history.attemptCount > 0 || history.hasUnreadable;

/** Not sent from here until its log is settled: what cannot be read may be that a person dropped it. */
export const isHeldBack = (history: EntryHistory): boolean => history.isUnsure && isUnfinishedEntry(history);

/** The next rows of an entry's log, numbered on from what is there. */
export const nextLogRows = (record: EntryRecord, atMs: number, events: readonly LogEvent[]): LogRow[] =>
  events.map((event, index) => ({
    v: rowVersion,
    id: `${record.entry.key}#${String(record.logCount + index + 1).padStart(6, '0')}`,
    entryKey: record.entry.key,
    atMs,
    event,
  }));

export const entryKeyOf = (
  row: Pick<EntryRow, 'operationId' | 'type' | 'commandId'>,
  ordinal: number,
): string =>
  row.type === 'propose'
    ? `${row.operationId}/propose/${ordinal}`
    : `${row.operationId}/${row.type}/${row.commandId}`;

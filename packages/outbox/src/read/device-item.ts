import type { DeviceItem, NotSentReason, Safety, Standing, StatusSummary } from '../outbox-interface.ts';
import { mayUndoDrop } from '../queue/drop-decision.ts';
import {
  historyOf,
  isParking,
  isUnfinishedEntry,
  mayHaveBeenSent,
  standingOf,
} from '../queue/entry-history.ts';
import type { EntryHistory } from '../queue/entry-history.ts';
import { recordsOf } from '../queue/queue-decision.ts';
import type { QueueSnapshot } from '../queue/queue-store.ts';
import { isReplaceable } from '../queue/replaced-decisions.ts';
import type { EntryRecord } from '../queue/stored-rows.ts';
import { planEntries } from '../send/send-plan.ts';
import type { PlannedEntry } from '../send/send-plan.ts';

/** Results after which the bytes have left this device for all that we can tell, and no verdict was heard. */
const leftTheDevice: readonly (string | null)[] = [
  'timed-out',
  'interrupted',
  'server-trouble',
  'not-understood',
];

/**
 * No label is stronger than its evidence: a request that never got an answer of any kind is only "saved", although
 * it may have arrived (which is why dropping it would send a cancellation).
 */
const safetyOf = (history: EntryHistory): Safety => {
  if (history.ending?.how === 'verdict') return 'received';
  if (history.openAttempt !== null) return 'sent';
  return leftTheDevice.includes(history.lastEnd?.result ?? null) ? 'sent' : 'saved';
};

const reasonOf = (
  history: EntryHistory,
  planned: PlannedEntry | undefined,
  isSending: boolean,
): NotSentReason | null => {
  if (!planned || isSending) return null;
  if (planned.blockedBy !== null) return planned.blockedBy;
  if (history.openAttempt !== null) return 'interrupted';
  const result = history.lastEnd?.result ?? null;
  return result === null || result === 'verdict' ? 'not-tried-yet' : result;
};

const needsYouNow: readonly (NotSentReason | null)[] = ['earlier-not-cancelled', 'unreadable'];

const standingOfPlanned = (history: EntryHistory, planned: PlannedEntry | undefined): Standing =>
  needsYouNow.includes(planned?.blockedBy ?? null) ? 'needs-you' : standingOf(history);

const deviceItem = (
  { entry }: EntryRecord,
  { mayUndo, mayReplace }: { readonly mayUndo: boolean; readonly mayReplace: boolean },
  history: EntryHistory,
  planned: PlannedEntry | undefined,
  isSending: boolean,
): DeviceItem => ({
  key: entry.key,
  operationId: entry.operationId,
  commandId: entry.commandId,
  type: entry.type,
  subject: entry.subject,
  command: entry.command,
  safety: safetyOf(history),
  standing: standingOfPlanned(history, planned),
  sending: isSending,
  mayHaveBeenSent: mayHaveBeenSent(history),
  queuedAtMs: entry.queuedAtMs,
  attemptCount: history.attemptCount,
  lastAttempt: history.lastAttempt,
  notSentBecause: reasonOf(history, planned, isSending),
  nextTryAtMs: planned?.dueAtMs ?? null,
  ending: history.ending,
  mayUndoDrop: mayUndo,
  mayReplace,
});

/** Every item of the snapshot, ended ones too, in the order they were queued. */
export const deviceItems = (snapshot: QueueSnapshot, nowMs: number): readonly DeviceItem[] => {
  const plan = new Map(planEntries(snapshot, nowMs).map((planned) => [planned.record.entry.key, planned]));
  // An attempt without an end is under way only while somebody holds the lease; else its tab is gone.
  const isSomebodySending = snapshot.lease !== null && snapshot.lease.untilMs > nowMs;
  return [...snapshot.records]
    .sort(
      (one, other) =>
        one.entry.queuedAtMs - other.entry.queuedAtMs || one.entry.position - other.entry.position,
    )
    .map((record) => {
      const history = historyOf(record);
      const isSending = isSomebodySending && isUnfinishedEntry(history) && history.openAttempt !== null;
      const mayUndo =
        history.ending?.how === 'dropped' &&
        mayUndoDrop(recordsOf(snapshot, record.entry.operationId), record);
      const mayReplace = record.entry.type !== 'propose' && isReplaceable({ record, history });
      return deviceItem(record, { mayUndo, mayReplace }, history, plan.get(record.entry.key), isSending);
    });
};

export type SyncedCounts = { readonly unknown: number; readonly needsPerson: number };

/** The figures of the status pill, from what is stored and what the server told. */
export const statusSummary = (
  snapshot: QueueSnapshot,
  synced: SyncedCounts,
  nowMs: number,
): StatusSummary => {
  const { subject, signInNeeded } = snapshot.session;
  const items = deviceItems(snapshot, nowMs);
  const unended = items.filter(({ ending }) => ending === null);
  const own = unended.filter((item) => item.subject === subject);
  const needsYou = items.filter((item) => item.standing === 'needs-you' && item.subject === subject);
  const verdicts = items.flatMap(({ ending }) => (ending?.how === 'verdict' ? [ending.atMs] : []));
  const unreadable = snapshot.unreadable.filter(({ table }) => table !== 'log').length;
  return {
    allReceived: own.length === 0 && needsYou.length === 0 && unreadable === 0,
    waiting: own.length,
    oldestWaitingSinceMs: own.length === 0 ? null : Math.min(...own.map(({ queuedAtMs }) => queuedAtMs)),
    needsYou: needsYou.length + unreadable,
    unknown: synced.unknown,
    needsPerson: synced.needsPerson,
    signInToSend: own.filter(({ notSentBecause }) => signInNeeded || isParking(notSentBecause)).length,
    otherSubjects: unended.length - own.length,
    drafts: snapshot.drafts.filter((draft) => draft.subject === subject).length,
    unreadable,
    lastVerdictAtMs: verdicts.length === 0 ? null : Math.max(...verdicts),
  };
};

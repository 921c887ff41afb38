import type { Ending, LastAttempt, NotSentReason, Safety, Standing } from '../outbox-interface.ts';
import { historyOf, isUnfinishedEntry, mayHaveBeenSent, standingOf } from '../queue/entry-history.ts';
import type { EntryHistory } from '../queue/entry-history.ts';
import type { QueueSnapshot } from '../queue/queue-store.ts';
import type { EntryRecord } from '../queue/stored-rows.ts';
import type { Words } from '../queue/words.ts';
import { isLeaseAlive } from '../send/lease.ts';
import { planEntries } from '../send/send-plan.ts';
import type { PlannedEntry } from '../send/send-plan.ts';

/** Results after which the bytes have left this device for all that we can tell, and no verdict was heard. */
const leftTheDevice: readonly (string | null)[] = ['timed-out', 'server-trouble', 'not-understood'];

/**
 * No label is stronger than its evidence: a request that never got an answer of any kind is only "saved", although
 * it may have arrived (which is why dropping it would send a cancellation).
 */
const safetyOf = (history: EntryHistory): Safety => {
  if (history.ending?.how === 'verdict') return 'received';
  const result = history.lastEnd?.result ?? null;
  if (leftTheDevice.includes(result)) return 'sent';
  // An attempt is stored before its first byte leaves, and may be stopped before that.
  return history.openAttempt !== null || result === 'interrupted' ? 'maybe-sent' : 'saved';
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

/** What is proved about an item, whatever it asks for. */
export type ItemEvidence<Problem> = {
  readonly safety: Safety;
  readonly standing: Standing;
  /** A request is under way right now (by this tab or another). */
  readonly sending: boolean;
  /** A request was begun at least once. */
  readonly mayHaveBeenSent: boolean;
  readonly queuedAtMs: number;
  readonly attemptCount: number;
  readonly lastAttempt: LastAttempt | null;
  readonly notSentBecause: NotSentReason | null;
  /** `null` when it is due now, parked, or ended. */
  readonly nextTryAtMs: number | null;
  readonly ending: Ending<Problem> | null;
};

export type EvidentItem<W extends Words> = {
  readonly record: EntryRecord<W>;
  readonly history: EntryHistory<W>;
  readonly evidence: ItemEvidence<W['problem']>;
};

/** Every item of the snapshot, ended ones too, in the order they were queued. */
export const evidentItems = <W extends Words>(
  snapshot: QueueSnapshot<W>,
  nowMs: number,
): readonly EvidentItem<W>[] => {
  const plan = new Map(planEntries(snapshot, nowMs).map((planned) => [planned.record.entry.key, planned]));
  // An attempt without an end is under way only while somebody holds the lease; else its tab is gone.
  const isSomebodySending = snapshot.lease !== null && isLeaseAlive(snapshot.lease, nowMs);
  return [...snapshot.records]
    .sort(
      (one, other) =>
        one.entry.queuedAtMs - other.entry.queuedAtMs || one.entry.position - other.entry.position,
    )
    .map((record) => {
      const history = historyOf<W>(record);
      const planned = plan.get(record.entry.key);
      const isSending = isSomebodySending && isUnfinishedEntry(history) && history.openAttempt !== null;
      const evidence = {
        safety: safetyOf(history),
        standing: standingOfPlanned(history, planned),
        sending: isSending,
        mayHaveBeenSent: mayHaveBeenSent(history),
        queuedAtMs: record.entry.queuedAtMs,
        attemptCount: history.attemptCount,
        lastAttempt: history.lastAttempt,
        notSentBecause: reasonOf(history, planned, isSending),
        nextTryAtMs: planned?.dueAtMs ?? null,
        ending: history.ending,
      };
      return { record, history, evidence };
    });
};

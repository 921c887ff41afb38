import { personOfSubject } from '@holdfast/operation';
import type { DeviceItem, StatusSummary } from '../outbox-interface.ts';
import { mayUndoDrop } from '../queue/drop-decision.ts';
import { isParking } from '../queue/entry-history.ts';
import { recordsOf } from '../queue/records-of.ts';
import type { RefundSnapshot } from '../queue/refund-rows.ts';
import { mayBeAnswered } from '../queue/replaced-decisions.ts';
import { evidentItems } from './item-evidence.ts';

/** Every item of the snapshot, ended ones too, in the order they were queued. */
export const deviceItems = (snapshot: RefundSnapshot, nowMs: number): readonly DeviceItem[] =>
  evidentItems(snapshot, nowMs).map(({ record, history, evidence }) => {
    const { entry } = record;
    return {
      key: entry.key,
      operationId: entry.operationId,
      commandId: entry.commandId,
      type: entry.command.type,
      subject: entry.subject,
      command: entry.command,
      ...evidence,
      mayUndoDrop:
        history.ending?.how === 'dropped' && mayUndoDrop(recordsOf(snapshot, entry.operationId), record),
      mayReplace: entry.type !== 'propose' && mayBeAnswered({ record, history }),
    };
  });

/** By subject, of the same person alone: of other people no name is ever shown. */
const elsewhereOf = (unended: readonly DeviceItem[], subject: string | null): StatusSummary['elsewhere'] => {
  const counts = new Map<string, number>();
  for (const item of unended) {
    const isMine = subject !== null && personOfSubject(item.subject) === personOfSubject(subject);
    if (isMine && item.subject !== subject) counts.set(item.subject, (counts.get(item.subject) ?? 0) + 1);
  }
  return [...counts].map(([ofSubject, waiting]) => ({ subject: ofSubject, waiting }));
};

export type SyncedCounts = { readonly unknown: number; readonly needsPerson: number };

/** The figures of the status pill, from what is stored and what the server told. */
export const statusSummary = (
  snapshot: RefundSnapshot,
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
    elsewhere: elsewhereOf(unended, subject),
    drafts: snapshot.drafts.filter((draft) => draft.subject === subject).length,
    unreadable,
    lastVerdictAtMs: verdicts.length === 0 ? null : Math.max(...verdicts),
  };
};

import type { QueueSnapshot } from '../queue/queue-store.ts';
import { ownUnreadable } from '../read/own-unreadable.ts';

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** One person's actions on this device, as a file. Of other people it holds a number and nothing else. */
export const actionRecordText = (snapshot: QueueSnapshot, nowMs: number): string => {
  const { subject } = snapshot.session;
  if (subject === null) return '';
  const own = snapshot.records.filter(({ entry }) => entry.subject === subject);
  const record = {
    format: 'outbox-actions',
    version: 1,
    exportedAt: iso(nowMs),
    subject,
    actions: own.map(({ entry, log }) => ({
      id: entry.operationId,
      queuedAt: iso(entry.queuedAtMs),
      protocol: entry.protocol,
      text: entry.body,
      events: log.map(({ atMs, event }) => ({ at: iso(atMs), ...event })),
    })),
    setAside: ownUnreadable(snapshot, subject).map(({ table, key, raw }) => ({ table, key, raw })),
    actionsOfOthers: snapshot.records.length - own.length,
  };
  return JSON.stringify(record, null, 2);
};

import type { RecordLine } from '../live-query.ts';
import type { QueueSnapshot } from '../queue/queue-store.ts';
import type { EntryRecord, LogRow } from '../queue/stored-rows.ts';

const lineOf = ({ entry }: EntryRecord, { atMs, event }: LogRow): RecordLine => {
  const about = {
    atMs,
    itemKey: entry.key,
    operationId: entry.operationId,
    subject: entry.subject,
    type: entry.type,
  };
  const silent = { result: null, status: null, detail: null };
  switch (event.kind) {
    case 'attempt-started':
    case 'reopened':
    case 'dismissed':
      return { ...about, event: event.kind, ...silent };
    case 'attempt-ended':
      return {
        ...about,
        event: event.kind,
        result: event.result,
        status: event.status,
        detail: event.detail,
      };
    case 'verdict':
      return {
        ...about,
        event: 'verdict',
        result: 'verdict',
        status: null,
        detail: event.problem?.detail ?? event.status,
      };
    case 'dropped':
      return { ...about, event: 'dropped', result: null, status: null, detail: event.because };
  }
};

const queuedLine = ({ entry }: EntryRecord): RecordLine => ({
  atMs: entry.queuedAtMs,
  itemKey: entry.key,
  operationId: entry.operationId,
  subject: entry.subject,
  type: entry.type,
  event: 'queued',
  result: null,
  status: null,
  detail: null,
});

/** What this device did, newest first. */
export const recordLines = (snapshot: QueueSnapshot, limit: number): readonly RecordLine[] =>
  snapshot.records
    .flatMap((record) => [queuedLine(record), ...record.log.map((row) => lineOf(record, row))])
    .reverse()
    .sort((one, other) => other.atMs - one.atMs)
    .slice(0, limit);

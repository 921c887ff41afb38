import type { RecordLine } from '../live-query.ts';
import type { LogRow } from '../queue/stored-rows.ts';
import type { RefundRecord, RefundSnapshot } from '../queue/refund-rows.ts';

const bare = ({ entry }: RefundRecord, atMs: number) => ({
  atMs,
  itemKey: entry.key,
  operationId: entry.operationId,
  subject: entry.subject,
  type: entry.type,
  result: null,
  status: null,
  detail: null,
  appVersion: null,
  commandCount: null,
});

const lineOf = (record: RefundRecord, { atMs, event }: LogRow): RecordLine => {
  const about = bare(record, atMs);
  switch (event.kind) {
    case 'attempt-started':
      return {
        ...about,
        event: event.kind,
        appVersion: event.appVersion ?? null,
        commandCount: event.commandCount ?? null,
      };
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
        detail: event.problem?.detail ?? event.status,
      };
    case 'dropped':
      return { ...about, event: 'dropped', detail: event.because };
    case 'reopened':
    case 'dismissed':
      return { ...about, event: event.kind };
  }
};

const queuedLine = (record: RefundRecord): RecordLine => ({
  ...bare(record, record.entry.queuedAtMs),
  event: 'queued',
});

/** What this device did with the signed-in person's items, newest first. Nobody sees another person's. */
export const recordLines = ({ records, session }: RefundSnapshot, limit: number): readonly RecordLine[] =>
  records
    .filter(({ entry }) => entry.subject === session.subject)
    .flatMap((record) => [queuedLine(record), ...record.log.map((row) => lineOf(record, row))])
    .reverse()
    .sort((one, other) => other.atMs - one.atMs)
    .slice(0, limit);

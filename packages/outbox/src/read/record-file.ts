import { deviceRecordFormat, deviceRecordVersion, hashOfCommandText } from '@holdfast/operation';
import type { DeviceRecordFile, RecordedItem } from '@holdfast/operation';
import { ownUnreadable } from './own-unreadable.ts';
import type { RefundRecord, RefundSnapshot } from '../queue/refund-rows.ts';

export type ExportWorld = {
  readonly subject: string;
  readonly nowMs: number;
  readonly listSinceMs: number | null;
  readonly appVersion: string | null;
};

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

const recordedItem = ({ entry, log }: RefundRecord): RecordedItem => ({
  key: entry.key,
  operationId: entry.operationId,
  commandId: entry.commandId,
  type: entry.command.type,
  subject: entry.subject,
  supersedes: entry.supersedes,
  protocol: entry.protocol,
  queuedAt: iso(entry.queuedAtMs),
  command: entry.body,
  sha256: hashOfCommandText(entry.body),
  events: log.map(({ atMs, event }) => ({ at: iso(atMs), ...event })),
});

/** The record of one person on this device, as a file. Of other people it holds a number and nothing else. */
export const recordFileOf = (snapshot: RefundSnapshot, world: ExportWorld): DeviceRecordFile => {
  const { subject } = world;
  const own = snapshot.records.filter(({ entry }) => entry.subject === subject);
  return {
    format: deviceRecordFormat,
    version: deviceRecordVersion,
    exportedAt: iso(world.nowMs),
    exportedBy: subject,
    appVersion: world.appVersion,
    listSince: world.listSinceMs === null ? null : iso(world.listSinceMs),
    items: own.map(recordedItem),
    drafts: snapshot.drafts.filter((draft) => draft.subject === subject),
    setAside: ownUnreadable(snapshot, subject).map(({ table, key, raw }) => ({ table, key, raw })),
    itemsOfOthers: snapshot.records.length - own.length,
  };
};

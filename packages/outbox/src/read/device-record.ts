import type { Receipt, RecordFilter, RecordItem, RecordOperation } from '../live-query.ts';
import type { DeviceItem } from '../outbox-interface.ts';
import { historyOf } from '../queue/entry-history.ts';
import type { LogRow } from '../queue/stored-rows.ts';
import { deviceItems } from './device-item.ts';
import type { RefundRecord, RefundSnapshot } from '../queue/refund-rows.ts';

const receiptOf = (log: RefundRecord['log']): Receipt | null => {
  // A receipt from before it was opened again is of a history that is no more.
  const since = log.findLastIndex(({ event }) => event.kind === 'reopened') + 1;
  const row = log.slice(since).findLast(({ event }) => event.kind === 'verdict');
  if (row?.event.kind !== 'verdict') return null;
  const { status, problem, operationState, operationVersion } = row.event;
  return { status, problem, operationState, operationVersion, heardAtMs: row.atMs };
};

const sentByAppOf = (log: readonly LogRow[]): string | null => {
  const row = log.findLast(({ event }) => event.kind === 'attempt-started');
  return row?.event.kind === 'attempt-started' ? (row.event.appVersion ?? null) : null;
};

const recordItem = (item: DeviceItem, record: RefundRecord): RecordItem => ({
  ...item,
  receipt: receiptOf(record.log),
  dismissed: historyOf(record).dismissed,
  takenUp: record.entry.takenUp === true,
  sentByApp: sentByAppOf(record.log),
});

/** The signed-in person's items of the snapshot, by operation, newest first. */
export const recordOperations = (snapshot: RefundSnapshot, nowMs: number): readonly RecordOperation[] => {
  const records = new Map(snapshot.records.map((record) => [record.entry.key, record]));
  const found = new Map<string, { orderId: string | null; items: RecordItem[] }>();
  for (const item of deviceItems(snapshot, nowMs)) {
    const record = records.get(item.key);
    if (record === undefined || item.subject !== snapshot.session.subject) continue;
    const operation = found.get(item.operationId) ?? { orderId: null, items: [] };
    operation.items.unshift(recordItem(item, record));
    operation.orderId = record.entry.orderId ?? operation.orderId;
    found.set(item.operationId, operation);
  }
  return [...found]
    .map(([operationId, operation]) => ({ operationId, ...operation }))
    .sort((one, other) => newestFirst(one.operationId, other.operationId));
};

/** IDs are UUIDv7, so their order is the order in which the intents began. */
export const newestFirst = (one: string, other: string): number => (one < other ? 1 : one > other ? -1 : 0);

/** Of operations with something open: whether they are asked for. `needs-you` is the stronger word. */
export const isOfFilter = ({ items }: RecordOperation, only: RecordFilter): boolean => {
  if (only === 'all') return true;
  const isNeeded = items.some(({ standing }) => standing === 'needs-you');
  const isOpen = items.some(({ standing }) => standing === 'open');
  if (only === 'needs-you') return isNeeded;
  return only === 'open' ? isOpen : !isOpen && !isNeeded;
};

const looksLikeId = /^[0-9a-f-]{4,}$/;

/** Whether an operation's ID is asked for by this text. Short texts are order numbers. */
export const isIdAskedFor = (operationId: string, text: string): boolean => {
  const wanted = text.trim().toLowerCase();
  return looksLikeId.test(wanted) && operationId.includes(wanted);
};

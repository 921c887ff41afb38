import { historyOf, isUnfinishedEntry, standingOf } from './entry-history.ts';
import type { QueueSnapshot, QueueWrites } from './queue-store.ts';
import type { EntryRecord } from './stored-rows.ts';

type Logged = Pick<EntryRecord, 'log' | 'logCount'>;

/** An operation that still has something to send, or a refusal that nobody has read. */
export const isOpenOperation = (records: readonly Logged[]): boolean =>
  records.some((record) => {
    const history = historyOf(record);
    return isUnfinishedEntry(history) || standingOf(history) !== 'closed';
  });

const grouped = <Row, Value>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  valueOf: (row: Row) => Value,
): ReadonlyMap<string, Value[]> => {
  const groups = new Map<string, Value[]>();
  for (const row of rows) {
    const list = groups.get(keyOf(row));
    if (list) list.push(valueOf(row));
    else groups.set(keyOf(row), [valueOf(row)]);
  }
  return groups;
};

/** The operations that these rows are of. */
export const operationsOf = ({ addEntries = [], addLog = [] }: QueueWrites): readonly string[] => [
  ...new Set([
    ...addEntries.map(({ operationId }) => operationId),
    ...addLog.map(({ entryKey }) => entryKey.split('/')[0] ?? ''),
  ]),
];

/**
 * Which of these operations are open once the rows are written.
 * @param seen all rows of these operations as they were before
 */
export const openAfter = (
  ids: readonly string[],
  seen: Pick<QueueSnapshot, 'records' | 'unreadable'>,
  { addEntries = [], addLog = [] }: QueueWrites = {},
): ReadonlySet<string> => {
  const added = grouped(
    addLog,
    ({ entryKey }) => entryKey,
    (row) => row,
  );
  const after = (key: string, log: EntryRecord['log'], logCount: number): Logged => {
    const more = added.get(key) ?? [];
    return { log: [...log, ...more], logCount: logCount + more.length };
  };
  const logged = [
    ...seen.records.map(({ entry, log, logCount }) => ({ entry, logged: after(entry.key, log, logCount) })),
    ...addEntries.map((entry) => ({ entry, logged: after(entry.key, [], 0) })),
  ];
  const records = grouped(
    logged,
    ({ entry }) => entry.operationId,
    (one) => one.logged,
  );
  // A row that names no operation is noted by its own key.
  const aside = new Set(
    seen.unreadable
      .filter(({ table }) => table === 'entries')
      .map(({ operationId, key }) => operationId ?? `key:${key}`),
  );
  return new Set(ids.filter((id) => aside.has(id) || isOpenOperation(records.get(id) ?? [])));
};

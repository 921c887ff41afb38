import type { DeviceRecord, LiveQuery, RecordLine } from '../live-query.ts';
import type { UnreadableRecord } from '../outbox-interface.ts';
import type { Clock } from '../ports.ts';
import { isIdAskedFor, isOfFilter, newestFirst, recordOperations } from '../read/device-record.ts';
import { ownUnreadable } from '../read/own-unreadable.ts';
import { recordLines } from '../read/record-lines.ts';
import type { ConnectivityBoard } from './connectivity-board.ts';
import type { FollowedStores } from './followed-stores.ts';

export type RecordReadPorts = {
  readonly board: ConnectivityBoard;
  readonly clock: Clock;
};

type RecordQuery = Extract<LiveQuery, { of: 'device-record' }>;

const defaultLineLimit = 200;
const defaultPage = 30;

const idOf = (entryKey: string): string => entryKey.split('/')[0] ?? '';

/** The person's operations by their keys alone: a thousand of them are counted without reading one. */
const idsAskedFor = async (
  { store }: FollowedStores,
  subject: string,
  text: string | undefined,
): Promise<readonly string[]> => {
  const keys = await store.entryIndex.keysOf(subject);
  const ids = [...new Set(keys.map(idOf))].sort(newestFirst);
  const wanted = text?.trim() ?? '';
  if (wanted === '') return ids;
  const ofOrder = await store.entryIndex.keysOfOrders(subject, wanted);
  const found = new Set(ofOrder.map(idOf));
  return ids.filter((id) => found.has(id) || isIdAskedFor(id, wanted));
};

const withOrders = async (
  { cache }: FollowedStores,
  operations: DeviceRecord['operations'],
): Promise<DeviceRecord['operations']> =>
  Promise.all(
    operations.map(async (operation) =>
      operation.orderId === null
        ? { ...operation, orderId: (await cache.operation(operation.operationId))?.orderId ?? null }
        : operation,
    ),
  );

const deviceRecord = async (
  { board, clock }: RecordReadPorts,
  query: RecordQuery,
  stores: FollowedStores,
): Promise<DeviceRecord> => {
  const { store } = stores;
  const { session } = await store.read({ operationIds: [] });
  const sinceMs = board.current.listSinceMs;
  const { subject } = session;
  if (subject === null) return { operations: [], total: 0, itemsOfOthers: 0, sinceMs };
  const all = await idsAskedFor(stores, subject, query.text);
  const itemsOfOthers = (await store.entryIndex.count()) - (await store.entryIndex.keysOf(subject)).length;
  const only = query.only ?? 'all';
  const limit = query.limit ?? defaultPage;
  // What has something open is known by an index; everything else is done.
  const open = only === 'all' ? [] : recordOperations(await store.readOpen(), clock.nowMs());
  const openIds = new Set(open.filter((one) => !isOfFilter(one, 'done')).map((one) => one.operationId));
  const asked =
    only === 'open' || only === 'needs-you'
      ? open.filter((one) => isOfFilter(one, only)).map((one) => one.operationId)
      : all;
  const known = new Set(all);
  const ids = asked.filter((id) => known.has(id) && (only !== 'done' || !openIds.has(id)));
  const page = await store.read({ operationIds: ids.slice(0, limit) });
  return {
    operations: await withOrders(stores, recordOperations(page, clock.nowMs())),
    total: ids.length,
    itemsOfOthers,
    sinceMs,
  };
};

type RecordReaders = {
  readonly record: (
    query: Extract<LiveQuery, { of: 'record' }>,
    stores: FollowedStores,
  ) => Promise<readonly RecordLine[]>;
  readonly 'device-record': (query: RecordQuery, stores: FollowedStores) => Promise<DeviceRecord>;
  readonly unreadable: (
    query: Extract<LiveQuery, { of: 'unreadable' }>,
    stores: FollowedStores,
  ) => Promise<readonly UnreadableRecord[]>;
};

export const recordReaders = (ports: RecordReadPorts): RecordReaders => ({
  record: async ({ operationId, limit }, { store }) => {
    const snapshot =
      operationId === undefined ? await store.readAll() : await store.read({ operationIds: [operationId] });
    return recordLines(snapshot, limit ?? defaultLineLimit);
  },
  'device-record': (query, stores) => deviceRecord(ports, query, stores),
  unreadable: async (_query, { store }) => {
    const snapshot = await store.readAll();
    return ownUnreadable(snapshot, snapshot.session.subject);
  },
});

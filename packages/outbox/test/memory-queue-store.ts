import { isOpenOperation } from '../src/queue/open-operations.ts';
import type { Decision, QueueScope, QueueWrites, ReadBack } from '../src/queue/queue-store.ts';
import { rowReaders, snapshotOf } from '../src/queue/snapshot.ts';
import { refundRows } from '../src/queue/refund-rows.ts';
import type { DraftRow, RefundSnapshot, RefundStore } from '../src/queue/refund-rows.ts';
import { readEntryRow } from '../src/queue/stored-rows.ts';
import type { EntryRow, LogRow } from '../src/queue/stored-rows.ts';

type Rows = {
  drafts: Map<string, unknown>;
  entries: Map<string, unknown>;
  log: Map<string, unknown>;
  session: unknown;
  lease: unknown;
};

const frozen = <Value>(value: Value): Value => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
};

/** Stored rows are never changed in their place: each is read once, and whoever was given it can change it no more. */
const readOnce = <Read>(read: (raw: unknown) => Read): ((raw: unknown) => Read) => {
  const known = new WeakMap<object, Read>();
  return (raw) => {
    if (typeof raw !== 'object' || raw === null) return read(raw);
    let row = known.get(raw);
    if (row === undefined) known.set(raw, (row = frozen(read(raw))));
    return row;
  };
};

const plain = rowReaders(refundRows);
const readers: typeof plain = {
  ...{ draft: readOnce(plain.draft), entry: readOnce(plain.entry), log: readOnce(plain.log) },
  ...{ session: readOnce(plain.session), lease: readOnce(plain.lease) },
};

/** The queue in memory, with the promises of the real one. A test may put rows in by hand, and make writing fail. */
export class MemoryQueueStore implements RefundStore {
  readonly rows: Rows = {
    drafts: new Map(),
    entries: new Map(),
    log: new Map(),
    session: undefined,
    lease: undefined,
  };
  failNextWrite: Error | null = null;

  async change<Answer>(
    scope: QueueScope,
    decide: (snapshot: RefundSnapshot) => Decision<Answer>,
  ): Promise<Answer> {
    const { writes, answer } = decide(this.#load(scope));
    if (this.failNextWrite) {
      const error = this.failNextWrite;
      this.failNextWrite = null;
      throw error;
    }
    if (Object.keys(writes).length > 0) this.#write(structuredClone(writes));
    return Promise.resolve(answer);
  }

  async changeAndReadBack<Answer>(
    scope: QueueScope,
    decide: (snapshot: RefundSnapshot) => Decision<Answer>,
    entryKeysOf: (answer: Answer) => readonly string[],
  ): Promise<ReadBack<Answer>> {
    const answer = await this.change(scope, decide);
    const bodies = await Promise.all(entryKeysOf(answer).map((key) => this.readBack(key)));
    return { answer, isThere: bodies.every((body) => body !== null) };
  }

  async read(scope: QueueScope): Promise<RefundSnapshot> {
    return Promise.resolve(this.#load(scope));
  }

  async readOpen(): Promise<RefundSnapshot> {
    const all = await this.readAll();
    const unreadable = new Set(
      all.unreadable.filter(({ table }) => table === 'entries').map(({ operationId }) => operationId),
    );
    const ids = new Set(all.records.map(({ entry }) => entry.operationId));
    const open = [...ids].filter(
      (id) =>
        unreadable.has(id) || isOpenOperation(all.records.filter(({ entry }) => entry.operationId === id)),
    );
    const records = all.records.filter(({ entry }) => open.includes(entry.operationId));
    const wanted = new Set([...open, ...records.flatMap(({ entry }) => entry.supersedes ?? [])]);
    return { ...all, records: all.records.filter(({ entry }) => wanted.has(entry.operationId)) };
  }

  async readSubject(subject: string): Promise<RefundSnapshot> {
    const all = await this.readAll();
    const own = new Set(
      all.records.filter(({ entry }) => entry.subject === subject).map(({ entry }) => entry.operationId),
    );
    return { ...all, drafts: [], records: all.records.filter(({ entry }) => own.has(entry.operationId)) };
  }

  async readAll(): Promise<RefundSnapshot> {
    return Promise.resolve(this.#snapshot(() => true));
  }

  async readBack(entryKey: string): Promise<string | null> {
    const read = readEntryRow(refundRows, this.rows.entries.get(entryKey));
    return Promise.resolve(read.kind === 'read' ? read.row.body : null);
  }

  async forget(operationIds: readonly string[]): Promise<number> {
    const keys = [...this.rows.entries].flatMap(([key, row]) =>
      operationIds.includes((row as EntryRow).operationId) ? [key] : [],
    );
    for (const key of keys) {
      this.rows.entries.delete(key);
      for (const [id, row] of this.rows.log) if ((row as LogRow).entryKey === key) this.rows.log.delete(id);
    }
    return Promise.resolve(keys.length);
  }

  async readEverything(): Promise<Record<string, readonly unknown[]>> {
    const { drafts, entries, log } = this.rows;
    return Promise.resolve({
      drafts: [...drafts.values()],
      entries: [...entries.values()],
      log: [...log.values()],
    });
  }

  #load(scope: QueueScope): RefundSnapshot {
    const { order } = scope;
    const ids = new Set(scope.operationIds);
    for (const row of this.rows.entries.values()) {
      const { subject, orderId, operationId } = row as EntryRow;
      if (order && subject === order.subject && orderId === order.orderId) ids.add(operationId);
    }
    const named = scope.withSuperseded ? scope.operationIds : [];
    for (const id of named) {
      const draft = this.rows.drafts.get(id) as DraftRow | undefined;
      if (typeof draft?.supersedes === 'string') ids.add(draft.supersedes);
    }
    // Who only asks for the session or the lease looks at no row.
    if (ids.size === 0 && order === undefined) return this.#snapshotOf([], []);
    const ofOrder = (row: DraftRow): boolean =>
      order !== undefined && row.subject === order.subject && row.orderId === order.orderId;
    return this.#snapshot(
      ({ operationId }) => ids.has(operationId),
      (row) => ids.has(row.operationId) || ofOrder(row),
    );
  }

  #snapshot(isWanted: (row: EntryRow) => boolean, isWantedDraft: (row: DraftRow) => boolean = () => true) {
    const entries = [...this.rows.entries.values()].filter((row) => isWanted(row as EntryRow));
    const drafts = [...this.rows.drafts.values()].filter((row) => isWantedDraft(row as DraftRow));
    return this.#snapshotOf(drafts, entries);
  }

  #snapshotOf(drafts: readonly unknown[], entries: readonly unknown[]) {
    const keys = new Set(entries.map((row) => (row as EntryRow).key));
    const ofEntries = (row: unknown): boolean => keys.has((row as LogRow).id.split('#')[0] ?? '');
    const log = keys.size === 0 ? [] : [...this.rows.log.values()].filter(ofEntries);
    const { session, lease } = this.rows;
    return snapshotOf(refundRows, { drafts, entries, log, session, lease }, readers);
  }

  #write(writes: QueueWrites): void {
    const { drafts, entries, log } = this.rows;
    const taken = (writes.addEntries ?? []).some(({ key }) => entries.has(key));
    const takenLog = (writes.addLog ?? []).some(({ id }) => log.has(id));
    if (taken || takenLog) throw new Error('ConstraintError: that place is taken');
    for (const id of writes.deleteDrafts ?? []) drafts.delete(id);
    for (const row of writes.putDrafts ?? []) drafts.set(row.operationId, row);
    for (const row of writes.addEntries ?? []) entries.set(row.key, row);
    for (const row of writes.addLog ?? []) log.set(row.id, row);
    if (writes.session) this.rows.session = writes.session;
    if (writes.lease !== undefined) this.rows.lease = writes.lease;
  }
}

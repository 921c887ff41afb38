import type { Decision, QueueScope, QueueSnapshot, QueueStore, QueueWrites } from '../queue/queue-store.ts';
import { isOpenOperation } from '../queue/open-operations.ts';
import { snapshotOf } from '../queue/snapshot.ts';
import { readEntryRow } from '../queue/stored-rows.ts';
import type { QueueDatabase } from './queue-database.ts';

const lostHandle: readonly string[] = [
  'InvalidStateError',
  'UnknownError',
  'DatabaseClosedError',
  'TransactionInactiveError',
];

const textField = (raw: unknown, field: string): string | null => {
  const value = (raw as Record<string, unknown> | null)?.[field];
  return typeof value === 'string' ? value : null;
};

const openIdOf = (raw: unknown): string =>
  textField(raw, 'operationId') ?? `key:${textField(raw, 'key') ?? ''}`;

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** The queue in IndexedDB. See `QueueStore` for what it promises. */
export class DexieQueueStore implements QueueStore {
  readonly #database: QueueDatabase;
  readonly #isGivenUp: () => boolean;

  /** @param isGivenUp whether the database was let go on purpose, for a newer version of the app */
  constructor(database: QueueDatabase, isGivenUp: () => boolean) {
    this.#database = database;
    this.#isGivenUp = isGivenUp;
  }

  change<Answer>(scope: QueueScope, decide: (snapshot: QueueSnapshot) => Decision<Answer>): Promise<Answer> {
    const database = this.#database;
    const tables = [database.drafts, database.entries, database.log, database.unended, database.state];
    return this.#onLiveHandle(() =>
      database.transaction('rw', tables, async () => {
        const snapshot = await this.#load(scope);
        const { writes, answer } = decide(snapshot);
        await this.#write(writes);
        await this.#noteOpen(writes);
        return answer;
      }),
    );
  }

  read(scope: QueueScope): Promise<QueueSnapshot> {
    return this.#onLiveHandle(() => this.#reading(() => this.#load(scope)));
  }

  readOpen(): Promise<QueueSnapshot> {
    return this.#onLiveHandle(() =>
      this.#reading(async () => {
        const ids = await this.#database.unended.toCollection().primaryKeys();
        const keys = ids.flatMap((id) => (id.startsWith('key:') ? [id.slice('key:'.length)] : []));
        const found = await this.#database.entries.where('operationId').anyOf(ids).toArray();
        const superseded = found.flatMap((raw) => textField(raw, 'supersedes') ?? []);
        const drafts = await this.#database.drafts.toArray();
        return this.#snapshot(unique([...ids, ...superseded]), drafts, keys);
      }),
    );
  }

  readSubject(subject: string): Promise<QueueSnapshot> {
    return this.#onLiveHandle(() =>
      this.#reading(async () => {
        const entries = await this.#database.entries.where('subject').equals(subject).toArray();
        const ids = entries.flatMap((raw) => textField(raw, 'operationId') ?? []);
        return this.#snapshot(unique(ids), []);
      }),
    );
  }

  /** Everything, unreadable rows included. */
  readAll(): Promise<QueueSnapshot> {
    const { drafts, entries, log, state } = this.#database;
    return this.#onLiveHandle(() =>
      this.#reading(async () =>
        snapshotOf({
          drafts: await drafts.toArray(),
          entries: await entries.toArray(),
          log: await log.toArray(),
          session: (await state.get('session'))?.value,
          lease: (await state.get('lease'))?.value,
        }),
      ),
    );
  }

  async readBack(entryKey: string): Promise<string | null> {
    const read = readEntryRow(await this.#onLiveHandle(() => this.#database.entries.get(entryKey)));
    return read.kind === 'read' ? read.row.body : null;
  }

  forget(operationIds: readonly string[]): Promise<number> {
    const { entries, log, unended } = this.#database;
    return this.#database.transaction('rw', [entries, log, unended], async () => {
      const keys = await entries
        .where('operationId')
        .anyOf([...operationIds])
        .primaryKeys();
      await log.where('entryKey').anyOf(keys).delete();
      await entries.bulkDelete(keys);
      await unended.bulkDelete([...operationIds]);
      return keys.length;
    });
  }

  async readEverything(): Promise<Record<string, readonly unknown[]>> {
    const { drafts, entries, log, state } = this.#database;
    return this.#reading(async () => ({
      drafts: await drafts.toArray(),
      entries: await entries.toArray(),
      log: await log.toArray(),
      state: await state.toArray(),
    }));
  }

  /** When the list on this device began: now, when there is none. */
  async listSinceMs(nowMs: number): Promise<number> {
    const { state } = this.#database;
    return this.#database.transaction('rw', [state], async () => {
      const known = (await state.get('list-since'))?.value;
      if (typeof known === 'number') return known;
      await state.put({ key: 'list-since', value: nowMs });
      return nowMs;
    });
  }

  /** Puts the index of open operations right, whatever a crash, a fault or another version left of it. */
  async rebuildOpen(): Promise<void> {
    const { drafts, entries, log, unended, state } = this.#database;
    await this.#database.transaction('rw', [drafts, entries, log, unended, state], async () => {
      const ids = unique((await entries.toArray()).map(openIdOf));
      for (const id of ids) await this.#noteOperation(id);
    });
  }

  #reading<Answer>(task: () => Promise<Answer>): Promise<Answer> {
    const { drafts, entries, log, unended, state } = this.#database;
    return this.#database.transaction('r', [drafts, entries, log, unended, state], task);
  }

  async #load(scope: QueueScope): Promise<QueueSnapshot> {
    const { drafts, entries } = this.#database;
    const ids = [...scope.operationIds];
    const ofOperations = (await drafts.bulkGet(ids)).filter((raw) => raw !== undefined);
    if (!scope.order) return this.#snapshot(unique(ids), ofOperations);
    const order = [scope.order.subject, scope.order.orderId];
    const ofOrder = await drafts.where('[subject+orderId]').equals(order).toArray();
    const proposals = await entries.where('[subject+orderId]').equals(order).toArray();
    const more = proposals.flatMap((raw) => textField(raw, 'operationId') ?? []);
    return this.#snapshot(unique([...ids, ...more]), [...ofOperations, ...ofOrder]);
  }

  async #snapshot(
    operationIds: string[],
    drafts: readonly unknown[],
    keys: string[] = [],
  ): Promise<QueueSnapshot> {
    const { entries, log, state } = this.#database;
    const ofOperations =
      operationIds.length === 0 ? [] : await entries.where('operationId').anyOf(operationIds).toArray();
    const byKey = keys.length === 0 ? [] : (await entries.bulkGet(keys)).filter((raw) => raw !== undefined);
    const found = [...ofOperations, ...byKey];
    const entryKeys = found.flatMap((raw) => textField(raw, 'key') ?? []);
    return snapshotOf({
      drafts,
      entries: found,
      log: entryKeys.length === 0 ? [] : await log.where('entryKey').anyOf(entryKeys).toArray(),
      session: (await state.get('session'))?.value,
      lease: (await state.get('lease'))?.value,
    });
  }

  async #write(writes: QueueWrites): Promise<void> {
    const { drafts, entries, log, state } = this.#database;
    if (writes.deleteDrafts) await drafts.bulkDelete([...writes.deleteDrafts]);
    if (writes.putDrafts) await drafts.bulkPut([...writes.putDrafts]);
    // `add`, never `put`: a place that is taken makes the whole step fail.
    if (writes.addEntries) await entries.bulkAdd([...writes.addEntries]);
    if (writes.addLog) await log.bulkAdd([...writes.addLog]);
    if (writes.session) await state.put({ key: 'session', value: writes.session });
    if (writes.lease !== undefined) await state.put({ key: 'lease', value: writes.lease });
  }

  async #noteOpen(writes: QueueWrites): Promise<void> {
    const ofEntries = (writes.addEntries ?? []).map(({ operationId }) => operationId);
    const ofLog = (writes.addLog ?? []).map(({ entryKey }) => entryKey.split('/')[0] ?? '');
    for (const id of unique([...ofEntries, ...ofLog])) await this.#noteOperation(id);
  }

  async #noteOperation(id: string): Promise<void> {
    const keys = id.startsWith('key:') ? [id.slice('key:'.length)] : [];
    const { records, unreadable } = await this.#snapshot([id], [], keys);
    const isOpen = isOpenOperation(records) || unreadable.some(({ table }) => table === 'entries');
    const isNoted = (await this.#database.unended.get(id)) !== undefined;
    // Written only when it changes: tabs wake up by changes of this table.
    if (isOpen === isNoted) return;
    if (isOpen) await this.#database.unended.put({ id });
    else await this.#database.unended.delete(id);
  }

  /** A handle that the browser lost never comes back: a fresh one is opened, and the step is taken again from its read. */
  async #onLiveHandle<Answer>(task: () => PromiseLike<Answer>): Promise<Answer> {
    try {
      return await task();
    } catch (error) {
      const isLost = error instanceof Error && lostHandle.includes(error.name);
      if (!isLost || this.#isGivenUp()) throw error;
      this.#database.close({ disableAutoOpen: false });
      await this.#database.open();
      return await task();
    }
  }
}

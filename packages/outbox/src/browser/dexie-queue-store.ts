import { NewerElsewhere } from '../queue/queue-store.ts';
import type {
  Decision,
  QueueScope,
  QueueSnapshot,
  QueueStore,
  QueueWrites,
  ReadBack,
} from '../queue/queue-store.ts';
import { openAfter, operationsOf } from '../queue/open-operations.ts';
import { snapshotOf } from '../queue/snapshot.ts';
import { readEntryRow } from '../queue/stored-rows.ts';
import type { StoredLanguage, Words } from '../queue/words.ts';
import type { QueueDatabase, StateRow } from './queue-database.ts';
import { isOutOfRoom } from './out-of-room.ts';
import { logRowsOf, rowsOfEach, textField } from './rows-of-each.ts';

export type NoteKey = Exclude<StateRow['key'], 'session' | 'lease' | 'list-since'>;

const lostHandle: readonly string[] = [
  'InvalidStateError',
  'UnknownError',
  'DatabaseClosedError',
  'TransactionInactiveError',
  'AbortError',
];

const isLostHandle = (error: unknown): boolean =>
  error instanceof Error && lostHandle.includes(error.name) && !isOutOfRoom(error);

const openIdOf = (raw: unknown): string =>
  textField(raw, 'operationId') ?? `key:${textField(raw, 'key') ?? ''}`;

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/** The queue in IndexedDB. See `QueueStore` for what it promises. */
export class DexieQueueStore<W extends Words> implements QueueStore<W> {
  readonly #database: QueueDatabase;
  readonly #language: StoredLanguage<W>;
  readonly #isGivenUp: () => boolean;

  /** @param isGivenUp whether the database was let go on purpose, for a newer version of the app */
  constructor(database: QueueDatabase, language: StoredLanguage<W>, isGivenUp: () => boolean) {
    this.#database = database;
    this.#language = language;
    this.#isGivenUp = isGivenUp;
  }

  change<Answer>(
    scope: QueueScope,
    decide: (snapshot: QueueSnapshot<W>) => Decision<Answer>,
  ): Promise<Answer> {
    return this.#writing(() => this.#step(scope, decide));
  }

  changeAndReadBack<Answer>(
    scope: QueueScope,
    decide: (snapshot: QueueSnapshot<W>) => Decision<Answer>,
    entryKeysOf: (answer: Answer) => readonly string[],
  ): Promise<ReadBack<Answer>> {
    return this.#alone(async () => {
      const answer = await this.#onLiveHandle(() => this.#step(scope, decide));
      const bodies = await Promise.all(entryKeysOf(answer).map((key) => this.readBack(key)));
      return { answer, isThere: bodies.every((body) => body !== null) };
    });
  }

  #step<Answer>(
    scope: QueueScope,
    decide: (snapshot: QueueSnapshot<W>) => Decision<Answer>,
  ): PromiseLike<Answer> {
    const { drafts, entries, log, unended, state } = this.#database;
    return this.#database.transaction('rw', [drafts, entries, log, unended, state], async () => {
      const [snapshot, noted] = await Promise.all([this.#load(scope), this.#noted(scope.operationIds)]);
      const { writes, answer } = decide(snapshot);
      await Promise.all([this.#write(writes), this.#noteOpen(writes, snapshot, noted)]);
      return answer;
    });
  }

  read(scope: QueueScope): Promise<QueueSnapshot<W>> {
    return this.#onLiveHandle(() => this.#reading(() => this.#load(scope)));
  }

  readOpen(): Promise<QueueSnapshot<W>> {
    return this.#onLiveHandle(() =>
      this.#reading(async () => {
        const ids = await this.#database.unended.toCollection().primaryKeys();
        const keys = ids.flatMap((id) => (id.startsWith('key:') ? [id.slice('key:'.length)] : []));
        const found = await rowsOfEach(this.#database.entries, 'operationId', ids);
        const superseded = found.flatMap((raw) => textField(raw, 'supersedes') ?? []);
        const drafts = await this.#database.drafts.toArray();
        return this.#snapshot(unique([...ids, ...superseded]), drafts, { keys });
      }),
    );
  }

  readSubject(subject: string): Promise<QueueSnapshot<W>> {
    return this.#onLiveHandle(() =>
      this.#reading(async () => {
        const entries = await this.#database.entries.where('subject').equals(subject).toArray();
        const ids = entries.flatMap((raw) => textField(raw, 'operationId') ?? []);
        return this.#snapshot(unique(ids), []);
      }),
    );
  }

  /** Everything, unreadable rows included. */
  readAll(): Promise<QueueSnapshot<W>> {
    return this.#onLiveHandle(() => this.#reading(() => this.#everything()));
  }

  async readBack(entryKey: string): Promise<string | null> {
    const read = readEntryRow(
      this.#language,
      await this.#onLiveHandle(() => this.#database.entries.get(entryKey)),
    );
    return read.kind === 'read' ? read.row.body : null;
  }

  /** @param stillGoing says in the very step that deletes which of them may go */
  forget(
    operationIds: readonly string[],
    stillGoing: (now: QueueSnapshot<W>) => readonly string[] = () => operationIds,
  ): Promise<number> {
    const { drafts, entries, log, unended, state, setAside } = this.#database;
    return this.#writing(() =>
      this.#database.transaction('rw', [drafts, entries, log, unended, state, setAside], async () => {
        const may = new Set(stillGoing(await this.#everything()));
        const going = operationIds.filter((id) => may.has(id));
        const keys = await entries.where('operationId').anyOf(going).primaryKeys();
        await log.where('entryKey').anyOf(keys).delete();
        await entries.bulkDelete(keys);
        await unended.bulkDelete(going);
        return keys.length;
      }),
    );
  }

  readEverything(): Promise<Record<string, readonly unknown[]>> {
    const { tables } = this.#database;
    return this.#onLiveHandle(() =>
      this.#database.transaction('r', tables, async () => {
        const rows: Record<string, readonly unknown[]> = {};
        for (const table of tables) rows[table.name] = (await table.toArray()) as unknown[];
        return rows;
      }),
    );
  }

  /** Which operations have something open. */
  openIds(): Promise<readonly string[]> {
    return this.#onLiveHandle(() => this.#database.unended.toCollection().primaryKeys());
  }

  /** What the device notes about itself, apart from the queue's own rows. */
  note(key: NoteKey): Promise<unknown> {
    return this.#onLiveHandle(async () => (await this.#database.state.get(key))?.value);
  }

  /** @param change what the note becomes; `undefined` leaves it as it is */
  changeNote(key: NoteKey, change: (known: unknown) => unknown): Promise<void> {
    const { state } = this.#database;
    return this.#writing(() =>
      this.#database.transaction('rw', [state], async () => {
        const value = change((await state.get(key))?.value);
        if (value !== undefined) await state.put({ key, value });
      }),
    );
  }

  /**
   * When the list on this device began: now, when there is none.
   * @param lost what to note of a list that was here before, in the same step as the new one begins
   */
  listSinceMs(nowMs: number, lost: unknown = undefined): Promise<number> {
    const { state } = this.#database;
    return this.#writing(() =>
      this.#database.transaction('rw', [state], async () => {
        const known = (await state.get('list-since'))?.value;
        if (typeof known === 'number') return known;
        await state.put({ key: 'list-since', value: nowMs });
        if (lost !== undefined) await state.put({ key: 'eviction', value: lost });
        return nowMs;
      }),
    );
  }

  /**
   * Puts the index of open operations right, whatever a crash, a fault or another version left of it, and notes since
   * when rows are set aside.
   */
  rebuildOpen(nowMs = Date.now()): Promise<QueueSnapshot<W>> {
    const { drafts, entries, log, unended, state, setAside } = this.#database;
    return this.#writing(() =>
      this.#database.transaction('rw', [drafts, entries, log, unended, state, setAside], async () => {
        const all = await this.#everything();
        await this.#noteOperations(unique((await entries.toArray()).map(openIdOf)), all);
        const known = new Set(await setAside.toCollection().primaryKeys());
        const fresh = all.unreadable
          .map(({ table, key, because }) => ({ id: `${table}:${key}`, firstSeenAtMs: nowMs, because }))
          .filter(({ id }) => !known.has(id));
        if (fresh.length > 0) await setAside.bulkPut(fresh);
        return all;
      }),
    );
  }

  #reading<Answer>(task: () => Promise<Answer>): Promise<Answer> {
    const { drafts, entries, log, unended, state, setAside } = this.#database;
    return this.#database.transaction('r', [drafts, entries, log, unended, state, setAside], task);
  }

  async #everything(): Promise<QueueSnapshot<W>> {
    const { drafts, entries, log, state, setAside } = this.#database;
    const all = snapshotOf(this.#language, {
      drafts: await drafts.toArray(),
      entries: await entries.toArray(),
      log: await log.toArray(),
      session: (await state.get('session'))?.value,
      lease: (await state.get('lease'))?.value,
    });
    if (all.unreadable.length === 0) return all;
    const since = new Map((await setAside.toArray()).map(({ id, firstSeenAtMs }) => [id, firstSeenAtMs]));
    const unreadable = all.unreadable.map((record) => ({
      ...record,
      firstSeenAtMs: since.get(`${record.table}:${record.key}`) ?? null,
    }));
    return { ...all, unreadable };
  }

  async #load(scope: QueueScope): Promise<QueueSnapshot<W>> {
    const { drafts, entries } = this.#database;
    const ids = [...scope.operationIds];
    if (!scope.order) {
      const ofOperations = drafts.bulkGet(ids).then((raws) => raws.filter((raw) => raw !== undefined));
      return this.#snapshot(unique(ids), ofOperations, { withSuperseded: scope.withSuperseded === true });
    }
    const order = [scope.order.subject, scope.order.orderId];
    const [ofOperations, ofOrder, proposals] = await Promise.all([
      drafts.bulkGet(ids),
      drafts.where('[subject+orderId]').equals(order).toArray(),
      entries.where('[subject+orderId]').equals(order).toArray(),
    ]);
    const more = proposals.flatMap((raw) => textField(raw, 'operationId') ?? []);
    const known = [...ofOperations.filter((raw) => raw !== undefined), ...ofOrder];
    return this.#snapshot(unique([...ids, ...more]), known);
  }

  async #snapshot(
    operationIds: string[],
    draftsFound: readonly unknown[] | PromiseLike<readonly unknown[]>,
    { keys = [], withSuperseded = false }: { keys?: string[]; withSuperseded?: boolean } = {},
  ): Promise<QueueSnapshot<W>> {
    const { entries, log, state } = this.#database;
    // All at once: each that waited for the one before would be a way to the browser's storage and back.
    const [drafts, ofOperations, byKey, session, lease] = await Promise.all([
      draftsFound,
      rowsOfEach(entries, 'operationId', operationIds),
      keys.length === 0 ? [] : entries.bulkGet(keys),
      state.get('session'),
      state.get('lease'),
    ]);
    const superseded = withSuperseded ? drafts.flatMap((raw) => textField(raw, 'supersedes') ?? []) : [];
    const ofSuperseded = await rowsOfEach(entries, 'operationId', superseded);
    const found = [...ofOperations, ...byKey.filter((raw) => raw !== undefined), ...ofSuperseded];
    const entryKeys = found.flatMap((raw) => textField(raw, 'key') ?? []);
    return snapshotOf(this.#language, {
      drafts,
      entries: found,
      log: await logRowsOf(log, entryKeys),
      session: session?.value,
      lease: lease?.value,
    });
  }

  /** Asked one after the other and waited for together, in the order of the asking. */
  async #write(writes: QueueWrites): Promise<void> {
    const { drafts, entries, log, state } = this.#database;
    await Promise.all([
      writes.deleteDrafts && drafts.bulkDelete([...writes.deleteDrafts]),
      writes.putDrafts && drafts.bulkPut([...writes.putDrafts]),
      // `add`, never `put`: a place that is taken makes the whole step fail.
      writes.addEntries && entries.bulkAdd([...writes.addEntries]),
      writes.addLog && log.bulkAdd([...writes.addLog]),
      writes.session && state.put({ key: 'session', value: writes.session }),
      writes.lease !== undefined && state.put({ key: 'lease', value: writes.lease }),
    ]);
  }

  /** Which of these operations are noted as open now. */
  async #noted(ids: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
    const rows = await this.#database.unended.bulkGet([...ids]);
    return new Map(ids.map((id, place) => [id, rows[place] !== undefined]));
  }

  /** @param seen as it was before these writes */
  async #noteOpen(
    writes: QueueWrites,
    seen: QueueSnapshot<W>,
    noted: ReadonlyMap<string, boolean>,
  ): Promise<void> {
    const ids = operationsOf(writes);
    if (ids.length === 0) return;
    if (ids.every((id) => noted.has(id))) return this.#noteAs(ids, noted, openAfter(ids, seen, writes));
    // The step wrote on what it had not asked for: read as it is by now, since writes are done in their order.
    await this.#noteOperations(ids, await this.#snapshot([...ids], []));
  }

  async #noteOperations(ids: readonly string[], seen: QueueSnapshot<W>): Promise<void> {
    await this.#noteAs(ids, await this.#noted(ids), openAfter(ids, seen));
  }

  /** Written only where it changes: tabs wake up by changes of this table. */
  async #noteAs(
    ids: readonly string[],
    noted: ReadonlyMap<string, boolean>,
    open: ReadonlySet<string>,
  ): Promise<void> {
    const { unended } = this.#database;
    const opened = ids.filter((id) => noted.get(id) !== true && open.has(id));
    const closed = ids.filter((id) => noted.get(id) === true && !open.has(id));
    await Promise.all([
      opened.length > 0 && unended.bulkPut(opened.map((id) => ({ id }))),
      closed.length > 0 && unended.bulkDelete(closed),
    ]);
  }

  /**
   * A handle that the browser lost never comes back: a fresh one is opened, and the step is taken again from its read,
   * so that what was half done, or done without our hearing of it, is met as it lies there.
   */
  async #onLiveHandle<Answer>(task: () => PromiseLike<Answer>): Promise<Answer> {
    try {
      return await task();
    } catch (error) {
      if (!isLostHandle(error) || this.#isGivenUp()) throw error;
      await this.#database.reopen();
      return await task();
    }
  }

  /** A step that writes: a newer app in another tab waits until it is through. */
  #writing<Answer>(task: () => PromiseLike<Answer>): Promise<Answer> {
    return this.#alone(() => this.#onLiveHandle(task));
  }

  #alone<Answer>(step: () => PromiseLike<Answer>): Promise<Answer> {
    if (this.#isGivenUp()) return Promise.reject(new NewerElsewhere());
    return this.#database.running(step);
  }
}

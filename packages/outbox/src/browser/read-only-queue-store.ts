import { Dexie } from 'dexie';
import { ofOpen, ofScope, ofSubject } from '../queue/snapshot-scope.ts';
import { NewerElsewhere } from '../queue/queue-store.ts';
import type { QueueScope, QueueSnapshot, QueueStore } from '../queue/queue-store.ts';
import { snapshotOf } from '../queue/snapshot.ts';
import { readEntryRow } from '../queue/stored-rows.ts';
import type { StoredLanguage, Words } from '../queue/words.ts';

/**
 * The queue of a newer version of the app, as an older tab may look at it: without naming a version, whatever stores
 * it has, row by row through the tolerant readers. Nothing is written, so nothing is sent either.
 */
export class ReadOnlyQueueStore<W extends Words> implements QueueStore<W> {
  readonly #name: string;
  readonly #language: StoredLanguage<W>;
  #opened: Dexie | null = null;

  constructor(name: string, language: StoredLanguage<W>) {
    this.#name = name;
    this.#language = language;
  }

  change(): Promise<never> {
    return Promise.reject(new NewerElsewhere());
  }

  changeAndReadBack(): Promise<never> {
    return Promise.reject(new NewerElsewhere());
  }

  forget(): Promise<never> {
    return Promise.reject(new NewerElsewhere());
  }

  async read(scope: QueueScope): Promise<QueueSnapshot<W>> {
    return ofScope(await this.readAll(), scope);
  }

  async readOpen(): Promise<QueueSnapshot<W>> {
    return ofOpen(await this.readAll());
  }

  async readSubject(subject: string): Promise<QueueSnapshot<W>> {
    return ofSubject(await this.readAll(), subject);
  }

  async readAll(): Promise<QueueSnapshot<W>> {
    const { drafts = [], entries = [], log = [], state = [] } = await this.readEverything();
    const stateOf = (key: string): unknown =>
      (state as { key?: unknown; value?: unknown }[]).find((row) => row.key === key)?.value;
    return snapshotOf(this.#language, {
      ...{ drafts, entries, log },
      session: stateOf('session'),
      lease: stateOf('lease'),
    });
  }

  async readBack(entryKey: string): Promise<string | null> {
    const { records } = await this.readAll();
    const found = records.find(({ entry }) => entry.key === entryKey);
    const read = readEntryRow(this.#language, found?.entry);
    return read.kind === 'read' ? read.row.body : null;
  }

  /** Every row of every store, also of those that this version has never heard of. */
  async readEverything(): Promise<Record<string, readonly unknown[]>> {
    const database = await this.#open();
    const tables = database.tables;
    return database.transaction('r', tables, async () => {
      const rows: Record<string, readonly unknown[]> = {};
      for (const table of tables) rows[table.name] = (await table.toArray()) as unknown[];
      return rows;
    });
  }

  close(): void {
    this.#opened?.close();
    this.#opened = null;
  }

  async #open(): Promise<Dexie> {
    if (this.#opened?.isOpen() !== true) {
      // No version is declared: the stores are taken as they lie there. A later upgrade makes it close by itself.
      this.#opened = new Dexie(this.#name);
      await this.#opened.open();
    }
    return this.#opened;
  }
}

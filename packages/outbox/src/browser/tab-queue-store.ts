import type { Connectivity } from '../outbox-interface.ts';
import type { Decision, QueueScope, QueueSnapshot, QueueStore, ReadBack } from '../queue/queue-store.ts';
import { NewerElsewhere } from '../queue/queue-store.ts';
import type { Words } from '../queue/words.ts';
import type { DexieQueueStore, NoteKey } from './dexie-queue-store.ts';
import { indexOfRows } from './entry-index.ts';
import type { EntryIndex } from './entry-index.ts';
import { isOutOfRoom } from './out-of-room.ts';
import type { ReadOnlyQueueStore } from './read-only-queue-store.ts';

export type TabQueueStorePorts<W extends Words> = {
  readonly writable: DexieQueueStore<W>;
  readonly index: EntryIndex;
  readonly readOnly: ReadOnlyQueueStore<W>;
  /** How this tab's storage stands. */
  readonly storage: () => Connectivity['storage'];
  /** Resolves at once, or when it is known how storage stands. */
  readonly settled: () => Promise<void>;
  readonly isOpen: () => boolean;
  /** Makes room by dropping what can be had again. Resolves also when it could not. */
  readonly makeRoom: () => Promise<void>;
};

/** Held by an older tab: nothing can be read or written until it lets go, and nobody is kept waiting for that. */
export class StorageBlocked extends Error {
  override readonly name = 'StorageBlocked';
  constructor() {
    super('another tab holds the storage');
  }
}

/** The queue as this tab may use it now: writable, for looking only, or not at all. */
export class TabQueueStore<W extends Words> implements QueueStore<W> {
  readonly #ports: TabQueueStorePorts<W>;

  constructor(ports: TabQueueStorePorts<W>) {
    this.#ports = ports;
  }

  async change<Answer>(
    scope: QueueScope,
    decide: (snapshot: QueueSnapshot<W>) => Decision<Answer>,
  ): Promise<Answer> {
    return this.#withRoom(() => this.#now().change(scope, decide));
  }

  async changeAndReadBack<Answer>(
    scope: QueueScope,
    decide: (snapshot: QueueSnapshot<W>) => Decision<Answer>,
    entryKeysOf: (answer: Answer) => readonly string[],
  ): Promise<ReadBack<Answer>> {
    return this.#withRoom(() => this.#now().changeAndReadBack(scope, decide, entryKeysOf));
  }

  async #withRoom<Answer>(step: () => Promise<Answer>): Promise<Answer> {
    await this.settled();
    try {
      return await step();
    } catch (error) {
      if (!isOutOfRoom(error)) throw error;
      // What the server told can be told again; what a person decided cannot.
      await this.#ports.makeRoom();
      return step();
    }
  }

  /** Resolves at once, or when it is known how storage stands. */
  settled = (): Promise<void> => this.#ports.settled();

  read = async (scope: QueueScope): Promise<QueueSnapshot<W>> => {
    // Not awaited when there is nothing to wait for: a live query follows only its own reads.
    if (!this.#ports.isOpen()) await this.settled();
    return this.#now().read(scope);
  };
  readOpen = async (): Promise<QueueSnapshot<W>> => this.#now().readOpen();
  readSubject = async (subject: string): Promise<QueueSnapshot<W>> => this.#now().readSubject(subject);
  readAll = async (): Promise<QueueSnapshot<W>> => this.#now().readAll();
  readBack = async (entryKey: string): Promise<string | null> => this.#now().readBack(entryKey);
  forget = async (operationIds: readonly string[]): Promise<number> => this.#now().forget(operationIds);
  readEverything = async (): Promise<Record<string, readonly unknown[]>> => this.#now().readEverything();

  /** The operations with something open. Written only when it changes, so a watcher of it wakes for that alone. */
  openIds = async (): Promise<readonly string[]> => {
    if (!this.isForLookingOnly) return this.#ports.writable.openIds();
    const { records } = await this.readOpen();
    return [...new Set(records.map(({ entry }) => entry.operationId))];
  };

  get entryIndex(): EntryIndex {
    return this.isForLookingOnly ? indexOfRows(this.#ports.readOnly) : this.#ports.index;
  }

  /** What this device notes about itself. */
  note = async (key: NoteKey): Promise<unknown> => {
    if (!this.isForLookingOnly) return this.#ports.writable.note(key);
    const { state = [] } = await this.readEverything();
    return (state as { key?: unknown; value?: unknown }[]).find((row) => row.key === key)?.value;
  };

  /** @param change what the note becomes; `undefined` leaves it as it is */
  changeNote = async (key: NoteKey, change: (known: unknown) => unknown): Promise<void> => {
    if (this.isForLookingOnly) throw new NewerElsewhere();
    return this.#ports.writable.changeNote(key, change);
  };

  get isForLookingOnly(): boolean {
    const storage = this.#ports.storage();
    return storage === 'read-only' || storage === 'updated-elsewhere';
  }

  #now(): QueueStore<W> {
    if (this.isForLookingOnly) return this.#ports.readOnly;
    if (this.#ports.storage() === 'blocked') throw new StorageBlocked();
    return this.#ports.writable;
  }
}

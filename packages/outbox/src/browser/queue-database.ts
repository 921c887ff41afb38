import { Dexie } from 'dexie';
import type { Table } from 'dexie';
import type { Connectivity } from '../outbox-interface.ts';
import { NewerElsewhere } from '../queue/queue-store.ts';

export type StateRow = {
  readonly key: 'session' | 'lease' | 'list-since' | 'schema' | 'eviction' | 'persisted';
  readonly value: unknown;
};

/** Since when a stored row has been known to be unreadable. The row itself stays where it is. */
export type SetAsideRow = { readonly id: string; readonly firstSeenAtMs: number; readonly because: string };

/**
 * Raised with each change of the stores; IndexedDB counts it in tens. A step only adds: rows of an older schema stay
 * as they are and stay readable. 2: rows set aside, and what the device notes about itself in `state`.
 */
export const queueSchemaVersion = 2;

/** How long a storage that says nothing is waited for, until it is taken to be held by another tab. */
const silentMs = 1_500;
/** Another tab finishes a write before it lets go: that is not worth an alarm. */
const lettingGoMs = 300;

const ownFactory = (): IDBFactory | undefined => {
  try {
    return globalThis.indexedDB;
  } catch {
    // Some browsers throw where storage is forbidden.
    return undefined;
  }
};

/**
 * Dexie goes on in silence with a database of a later version, and even "repairs" it by raising its version again:
 * it opens it without naming a version. Here that is where it ends.
 */
const refusingNewer = (factory: IDBFactory): IDBFactory => ({
  open(name: string, version?: number) {
    if (version === undefined) throw new NewerElsewhere();
    if (version !== queueSchemaVersion * 10) throw new Error('the stores are not those of their version');
    return factory.open(name, version);
  },
  deleteDatabase: (name) => factory.deleteDatabase(name),
  databases: () => factory.databases(),
  cmp: (one, other) => factory.cmp(one, other),
});

/**
 * The queue's own database. Keys are text that we made; auto-increment keys fail in WebKit. Rows are read as
 * `unknown`, since an older or newer version of the app may have written them.
 */
export class QueueDatabase extends Dexie {
  declare readonly drafts: Table<unknown, string>;
  declare readonly entries: Table<unknown, string>;
  declare readonly log: Table<unknown, string>;
  /** Which operations have something open: an index only, rebuilt from the others at each start. */
  declare readonly unended: Table<{ readonly id: string }, string>;
  declare readonly state: Table<StateRow, string>;
  declare readonly setAside: Table<SetAsideRow, string>;
  readonly #report: (storage: Connectivity['storage']) => void;
  readonly #running = new Set<Promise<unknown>>();
  #isSaidBlocked = false;
  #settle: () => void = () => undefined;
  #settled: Promise<void> = Promise.resolve();
  #blockedTimer: ReturnType<typeof setTimeout> | undefined;
  #opening: Promise<void> | null = null;
  #reopening: Promise<void> | null = null;

  constructor(name: string, report: (storage: Connectivity['storage']) => void) {
    const factory = ownFactory();
    super(name, {
      // Without this "saved" would mean "handed to the operating system".
      chromeTransactionDurability: 'strict',
      ...(factory !== undefined && { indexedDB: refusingNewer(factory) }),
    });
    this.#report = report;
    this.version(1).stores({
      drafts: 'operationId, [subject+orderId]',
      entries: 'key, operationId, subject, [subject+orderId]',
      log: 'id, entryKey',
      unended: 'id',
      state: 'key',
    });
    this.version(queueSchemaVersion)
      .stores({ setAside: 'id' })
      .upgrade(async (transaction) => {
        this.#isHeard();
        await transaction.table('state').put({ key: 'schema', value: { from: 1, atMs: Date.now() } });
      });
    this.on('blocked', () => this.#reportBlockedIn(lettingGoMs));
    // Dexie's own listener would cut a write off in the middle.
    this.on(
      'ready',
      () => {
        this.backendDB().onversionchange = () => void this.#letGo();
      },
      true,
    );
  }

  /**
   * Opens, or rejects: `NewerElsewhere` where what is stored is of a newer version. Says `blocked` while it waits, and
   * takes that back. Asked again meanwhile, it is the same opening: whoever waits is told.
   */
  openQueue(): Promise<void> {
    this.#opening ??= this.#open().finally(() => (this.#opening = null));
    return this.#opening;
  }

  /** Resolves when it is open, failed to open, or is known to be held by another tab. */
  get settled(): Promise<void> {
    return this.#settled;
  }

  /** The handle was lost: a fresh one. Several steps lose it at once, and there is one fresh one for all of them. */
  reopen(): Promise<void> {
    this.#reopening ??= this.#openAfresh().finally(() => (this.#reopening = null));
    return this.#reopening;
  }

  async #openAfresh(): Promise<void> {
    // Somebody is at it already: closing would only cut that off.
    if (this.#opening === null) this.close({ disableAutoOpen: false });
    try {
      await this.openQueue();
      if (this.#isSaidBlocked) this.#report('ready');
    } catch (error) {
      // Not "held by another tab" for ever: what failed is tried again.
      if (this.#isSaidBlocked) this.#report(error instanceof NewerElsewhere ? 'read-only' : 'failed');
      throw error;
    }
  }

  async #open(): Promise<void> {
    this.#settled = new Promise((resolve) => (this.#settle = resolve));
    this.#isSaidBlocked = false;
    this.#reportBlockedIn(silentMs);
    try {
      await this.open();
      if (this.#isSaidBlocked) this.#report('opening');
    } finally {
      this.#isHeard();
      this.#settle();
    }
  }

  /** Runs a step that a newer app in another tab has to wait for. */
  async running<Answer>(step: () => PromiseLike<Answer>): Promise<Answer> {
    const promise = Promise.resolve(step());
    this.#running.add(promise);
    try {
      return await promise;
    } finally {
      this.#running.delete(promise);
    }
  }

  #reportBlockedIn(afterMs: number): void {
    clearTimeout(this.#blockedTimer);
    // A second waiting tab gets no event of its own, so silence counts as well.
    this.#blockedTimer = setTimeout(() => {
      this.#isSaidBlocked = true;
      this.#report('blocked');
      this.#settle();
    }, afterMs);
  }

  #isHeard(): void {
    clearTimeout(this.#blockedTimer);
  }

  /** A newer app in another tab: from here on nothing is written; what is being written is finished. */
  async #letGo(): Promise<void> {
    this.#report('updated-elsewhere');
    await Promise.allSettled([...this.#running]);
    this.close();
  }
}

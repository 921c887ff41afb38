import type { CacheDatabase } from './cache-database.ts';

/** How long the caches are waited for before everybody does without them. */
const patienceMs = 1_000;

/** The caches could not be opened, at least not yet: another tab may hold them. What needs them does without. */
export class CacheAway extends Error {
  override readonly name = 'CacheAway';
  constructor() {
    super('the caches are not at hand');
  }
}

/** Keeps what can do without the caches from waiting for them. */
export class CacheAtHand {
  readonly #database: CacheDatabase;
  #waiting: Promise<void> | null = null;
  #isAway = false;

  constructor(database: CacheDatabase) {
    this.#database = database;
    database.on('ready', () => void (this.#isAway = false), true);
  }

  get isOpen(): boolean {
    return this.#database.isOpen();
  }

  /** Runs the step, or rejects with `CacheAway` when the caches do not open in time. */
  async during<Answer>(step: () => PromiseLike<Answer>): Promise<Answer> {
    if (!this.isOpen) await this.settled();
    if (!this.isOpen) throw new CacheAway();
    return step();
  }

  /** Resolves when they are open, could not be opened, or let wait for too long. They go on being opened. */
  async settled(): Promise<void> {
    if (this.isOpen) return;
    const opening = this.#database.open().then(
      () => undefined,
      () => undefined,
    );
    if (this.#isAway) return;
    this.#waiting ??= new Promise<void>((resolve) => {
      const late = setTimeout(() => {
        this.#isAway = true;
        resolve();
      }, patienceMs);
      void opening.then(() => {
        clearTimeout(late);
        resolve();
      });
    });
    await this.#waiting;
    this.#waiting = null;
  }

  /** Calls the listener once, when they are open. */
  onBack(listener: () => void): void {
    this.#database.on('ready', listener, false);
  }
}

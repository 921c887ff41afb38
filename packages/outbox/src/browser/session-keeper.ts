import { liveQuery } from 'dexie';
import type { Unsubscribe } from '../outbox-interface.ts';
import type { Decision, QueueSnapshot } from '../queue/queue-store.ts';
import { decideSignedIn } from '../queue/session-decision.ts';
import { noSession, sessionRowSchema } from '../queue/stored-rows.ts';
import type { SessionRow } from '../queue/stored-rows.ts';
import type { BrowserParts } from './browser-parts.ts';

const nothing = { operationIds: [] };

/** What this tab knows of the session, which is the whole browser's: another tab may sign in or out. */
export class SessionKeeper {
  readonly #parts: BrowserParts;
  #session: SessionRow = noSession;

  constructor(parts: BrowserParts) {
    this.#parts = parts;
  }

  get current(): SessionRow {
    return this.#session;
  }

  async read(): Promise<void> {
    this.#session = (await this.#parts.store.read(nothing)).session;
  }

  async change(decide: (snapshot: QueueSnapshot) => Decision<SessionRow>): Promise<void> {
    this.#took(await this.#parts.store.change(nothing, decide));
  }

  /** The caches belong to who is signed in here: another person starts with empty ones. */
  async enter(subject: string): Promise<void> {
    const before = (await this.#parts.store.read(nothing)).session.subject;
    // Dropped first, so that a tab which hears of the new session begins its stream with nothing.
    if (before !== null && before !== subject) await this.#parts.cache.reset().catch(() => undefined);
    await this.change(decideSignedIn(subject));
  }

  /** @param changed called with each change by whichever tab; `isNewEpoch` after a sign-in or sign-out */
  follow(changed: (isNewEpoch: boolean) => void, failed: (error: unknown) => void): Unsubscribe {
    const { database } = this.#parts;
    const subscription = liveQuery(() => database.state.get('session')).subscribe({
      next: (row) => {
        const read = sessionRowSchema.safeParse(row?.value);
        if (!read.success) return;
        const isNewEpoch = read.data.epoch !== this.#session.epoch;
        this.#took(read.data);
        changed(isNewEpoch);
      },
      error: failed,
    });
    return () => subscription.unsubscribe();
  }

  #took(session: SessionRow): void {
    this.#session = session;
    this.#parts.board.change({ signInNeeded: session.signInNeeded });
  }
}

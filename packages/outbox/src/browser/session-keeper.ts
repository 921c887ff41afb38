import type { DeviceSession } from '../live-query.ts';
import type { Unsubscribe } from '../outbox-interface.ts';
import type { Decision, QueueSnapshot } from '../queue/queue-store.ts';
import { decideSignedIn, decideStartedAs } from '../queue/session-decision.ts';
import { noSession } from '../queue/stored-rows.ts';
import type { SessionRow } from '../queue/stored-rows.ts';
import type { QueueParts } from './queue-parts.ts';

const nothing = { operationIds: [] };

/** As decided, unless whoever it is about has left: asked in the transaction itself, so that no sign-out is undone. */
const whileHere =
  (isHere: () => boolean, decide: (snapshot: QueueSnapshot) => Decision<SessionRow>) =>
  (snapshot: QueueSnapshot): Decision<SessionRow> =>
    isHere() ? decide(snapshot) : { writes: {}, answer: snapshot.session };

export type SessionParts = Pick<QueueParts, 'store' | 'board' | 'followQueue'> & {
  /** What belongs to whoever is signed in. */
  readonly cache: { belongTo(subject: string): Promise<void> };
};

/** What this tab knows of the session, which is the whole browser's: another tab may sign in or out. */
export class SessionKeeper {
  readonly #parts: SessionParts;
  readonly #listeners = new Set<(session: DeviceSession) => void>();
  #session: SessionRow = noSession;
  #isKnown = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** What screens are told of it. */
  get shown(): DeviceSession {
    const { subject, signInNeeded, signOutOwed } = this.#session;
    return { subject, signInNeeded, signOutOwed };
  }

  /** Tells the session as soon as it is known, then each change by whichever tab. */
  listen(listener: (session: DeviceSession) => void): Unsubscribe {
    this.#listeners.add(listener);
    if (this.#isKnown) listener(this.shown);
    return () => this.#listeners.delete(listener);
  }

  /** Whether it was read at all: storage may not have been able to say. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get current(): SessionRow {
    return this.#session;
  }

  async read(): Promise<void> {
    this.#took((await this.#parts.store.read(nothing)).session);
  }

  async change(decide: (snapshot: QueueSnapshot) => Decision<SessionRow>): Promise<void> {
    this.#took(await this.#parts.store.change(nothing, decide));
  }

  /**
   * The caches belong to who is signed in here: another person starts with empty ones.
   *
   * @param isHere whether they still are: somebody may leave while the caches of the one before are dropped, and is not
   * let in again after it
   */
  async enter(subject: string, isHere: () => boolean): Promise<void> {
    // Dropped first, so that a tab which hears of the new session begins its stream with nothing.
    await this.#parts.cache.belongTo(subject);
    await this.change(whileHere(isHere, decideSignedIn(subject)));
  }

  /** The app starts, and believes that this person is here. Somebody who signed out is not let in by that. */
  async startAs(subject: string, isHere: () => boolean): Promise<void> {
    const before = (await this.#parts.store.read(nothing)).session;
    if (before.signOutOwed) return this.#took(before);
    await this.#parts.cache.belongTo(subject);
    await this.change(whileHere(isHere, decideStartedAs(subject)));
  }

  /** Whoever was here has left, whether or not storage could be told. */
  left(): void {
    this.#took({ ...this.#session, subject: null, signInNeeded: false });
  }

  /** @param changed called with each change by whichever tab; `isNewEpoch` after a sign-in or sign-out */
  follow(changed: (isNewEpoch: boolean) => void, failed: (error: unknown) => void): Unsubscribe {
    return this.#parts.followQueue({
      read: async (store) => (await store.read(nothing)).session,
      next: (session) => {
        // A read that was under way when this tab changed the session brings what was before.
        if (session.epoch < this.#session.epoch || session === noSession) return;
        const isNewEpoch = session.epoch !== this.#session.epoch;
        this.#took(session);
        changed(isNewEpoch);
      },
      failed,
    });
  }

  #took(session: SessionRow): void {
    this.#session = session;
    this.#isKnown = true;
    for (const listener of [...this.#listeners]) listener(this.shown);
    this.#parts.board.change({ signInNeeded: session.signInNeeded });
  }
}

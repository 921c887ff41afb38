import { FeedReader } from '../feed/feed-reader.ts';
import type { FeedPorts, FeedWake } from '../feed/feed-reader.ts';
import { createCanceller, pause } from '../ports.ts';
import type { Canceller, Clock } from '../ports.ts';
import type { ConnectivityBoard, TabWord } from './connectivity-board.ts';
import { areLocksThere, holdInTurn } from './web-lock.ts';

export type FeedHolderPorts = {
  readonly lockName: string;
  readonly useLocks: boolean;
  readonly board: ConnectivityBoard;
  readonly clock: Clock;
  /** Whether this tab's screen is looked at. */
  readonly isVisible: () => boolean;
  readonly feed: Omit<FeedPorts, 'heard' | 'isWatched'>;
};

type Role = 'holder' | 'stand-in';

/** How long a tab without locks waits for whoever reads to say so. */
const answerMs = 500;
/** How long a follower's word that it is looked at counts. */
const watchedForMs = 15_000;

/**
 * One stream for the whole browser, which has only six connections to a server without HTTP/2: the tab that holds the
 * lock reads the feed into the shared database, from where every tab's live reads follow. A tab that waits and hears
 * nothing of the holder for too long reads for itself: a frozen page may keep its lock. Without locks the tabs agree
 * by talking. Two readers are harmless, since what is stored only ever moves forward.
 */
export class FeedHolder {
  readonly #ports: FeedHolderPorts;
  readonly #readers: Record<Role, FeedReader>;
  #stop: Canceller | null = null;
  #standIn: Canceller | null = null;
  #watching: Canceller | null = null;
  #isHolder = false;
  #watchedAtMs = Number.NEGATIVE_INFINITY;
  #running: Promise<unknown> = Promise.resolve();

  constructor(ports: FeedHolderPorts) {
    this.#ports = ports;
    this.#readers = { holder: this.#createReader('holder'), 'stand-in': this.#createReader('stand-in') };
  }

  start(): void {
    if (this.#stop) return;
    const { board, useLocks } = this.#ports;
    const stop = createCanceller();
    this.#stop = stop;
    board.change({ feed: 'follower' });
    board.say({ kind: 'who-reads' });
    const unlisten = board.onWord((word) => this.#told(word));
    const tasks = areLocksThere(useLocks) ? [this.#takeTurn(stop)] : [];
    this.#running = Promise.all([...tasks, this.#watchTheReader(stop)])
      .catch(() => board.change({ feed: 'waiting' }))
      .finally(unlisten);
  }

  async stop(): Promise<void> {
    const { board } = this.#ports;
    if (this.#role !== null) board.say({ kind: 'reader-left' });
    this.#stop?.cancel();
    this.#stop = null;
    await this.#running;
    board.change({ feed: 'stopped' });
  }

  /** Whoever reads in this browser looks now. */
  wake(wake: FeedWake): void {
    if (this.#role !== null) this.#readers[this.#role].wake(wake);
    else this.#ports.board.say({ kind: 'feed-wanted', person: wake.person ?? false });
  }

  get #role(): Role | null {
    if (this.#isHolder) return 'holder';
    return this.#standIn === null ? null : 'stand-in';
  }

  #createReader(role: Role): FeedReader {
    const { feed, board, isVisible, clock } = this.#ports;
    return new FeedReader({
      ...feed,
      report: (state, trouble) => {
        feed.report(state, trouble);
        if (state !== 'stopped') board.say({ kind: 'reading', role });
      },
      heard: (by) => board.feedHeard(role, by),
      isWatched: () => isVisible() || Math.abs(clock.nowMs() - this.#watchedAtMs) < watchedForMs,
    });
  }

  #told(word: TabWord): void {
    const { board, clock, isVisible } = this.#ports;
    switch (word.kind) {
      case 'feed-heard':
      case 'reading':
        if (word.kind === 'feed-heard' && word.by === 'poll' && isVisible()) board.say({ kind: 'watching' });
        // Of two stand-ins one goes on; the holder is always the one.
        if (word.role !== 'stand-in' || word.holder < board.holder) this.#standIn?.cancel();
        break;
      case 'who-reads':
        if (this.#role !== null) board.say({ kind: 'reading', role: this.#role });
        break;
      case 'feed-wanted':
        this.#watchedAtMs = clock.nowMs();
        if (this.#role !== null) this.#readers[this.#role].wake({ reconnect: false, person: word.person });
        break;
      case 'watching':
        this.#watchedAtMs = clock.nowMs();
        break;
      case 'reader-left':
        if (!areLocksThere(this.#ports.useLocks)) this.#watching?.cancel();
        break;
      case 'heard':
        break;
    }
  }

  async #takeTurn(stop: Canceller): Promise<void> {
    const { lockName, useLocks } = this.#ports;
    await holdInTurn(lockName, useLocks, stop, async () => {
      this.#isHolder = true;
      this.#standIn?.cancel();
      try {
        await this.#readers.holder.run(stop);
      } finally {
        this.#isHolder = false;
      }
    });
  }

  async #watchTheReader(stop: Canceller): Promise<void> {
    const { board, useLocks, feed } = this.#ports;
    let waitMs = areLocksThere(useLocks) ? 2 * feed.limits.silenceMs : answerMs;
    while (!stop.requested) {
      const since = board.lastSightingMs;
      await this.#waitForSighting(waitMs, stop);
      waitMs = 2 * feed.limits.silenceMs;
      if (stop.requested || this.#isHolder || board.lastSightingMs !== since) continue;
      const standIn = createCanceller();
      this.#standIn = standIn;
      const unlisten = stop.onRequested(() => standIn.cancel());
      await this.#readers['stand-in'].run(standIn);
      unlisten();
      this.#standIn = null;
      if (!stop.requested && !this.#isHolder) board.change({ feed: 'follower' });
    }
  }

  /** Not all tabs may lose patience in the same moment. */
  async #waitForSighting(meanMs: number, stop: Canceller): Promise<void> {
    const { timer, chance } = this.#ports.feed;
    const watching = createCanceller();
    this.#watching = watching;
    const unlisten = stop.onRequested(() => watching.cancel());
    await pause(timer, meanMs * (1 + chance() / 2), watching);
    unlisten();
    this.#watching = null;
  }
}

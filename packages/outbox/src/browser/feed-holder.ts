import { FeedReader } from '../feed/feed-reader.ts';
import type { FeedPorts } from '../feed/feed-reader.ts';
import { createCanceller, pause } from '../ports.ts';
import type { Cancellation, Canceller, Timer } from '../ports.ts';
import type { ConnectivityBoard } from './connectivity-board.ts';
import { holdInTurn } from './web-lock.ts';

export type FeedHolderPorts = {
  readonly lockName: string;
  readonly useLocks: boolean;
  readonly silenceMs: number;
  readonly timer: Timer;
  readonly board: ConnectivityBoard;
  readonly feed: FeedPorts;
};

/**
 * One stream for the whole browser: the tab that holds the lock reads it into the shared database, from where every
 * tab's live reads follow. A tab that waits and hears nothing of the holder for too long reads for itself: a frozen
 * page may keep its lock. Two readers are harmless, since what is stored only ever moves forward.
 */
export class FeedHolder {
  readonly #ports: FeedHolderPorts;
  readonly #reader: FeedReader;
  #stop: Canceller | null = null;
  #standIn: Canceller | null = null;
  #isHolder = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(ports: FeedHolderPorts) {
    this.#ports = ports;
    this.#reader = new FeedReader(ports.feed);
  }

  start(): void {
    if (this.#stop) return;
    const stop = createCanceller();
    this.#stop = stop;
    this.#ports.board.change({ feed: 'follower' });
    this.#running = Promise.all([this.#takeTurn(stop), this.#watchTheHolder(stop)]).catch(() =>
      this.#ports.board.change({ feed: 'waiting' }),
    );
  }

  async stop(): Promise<void> {
    this.#stop?.cancel();
    this.#stop = null;
    await this.#running;
    this.#ports.board.change({ feed: 'stopped' });
  }

  wake(options: { readonly reconnect: boolean }): void {
    this.#reader.wake(options);
  }

  async #takeTurn(stop: Cancellation): Promise<void> {
    const { lockName, useLocks } = this.#ports;
    await holdInTurn(lockName, useLocks, stop, async () => {
      this.#isHolder = true;
      this.#standIn?.cancel();
      try {
        await this.#reader.run(stop);
      } finally {
        this.#isHolder = false;
      }
    });
  }

  async #watchTheHolder(stop: Canceller): Promise<void> {
    const { timer, silenceMs, board, feed } = this.#ports;
    while (!stop.requested) {
      const since = board.lastSightingMs;
      await pause(timer, 2 * silenceMs, stop);
      if (stop.requested || this.#isHolder || board.lastSightingMs !== since) continue;
      const standIn = createCanceller();
      this.#standIn = standIn;
      const unlisten = [stop.onRequested(() => standIn.cancel()), board.onSighting(() => standIn.cancel())];
      await new FeedReader(feed).run(standIn);
      for (const off of unlisten) off();
      this.#standIn = null;
      if (!stop.requested && !this.#isHolder) board.change({ feed: 'follower' });
    }
  }
}

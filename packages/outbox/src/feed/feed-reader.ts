import type { Connectivity, KeptReason } from '../outbox-interface.ts';
import { createCanceller, pause } from '../ports.ts';
import type { Cancellation, Canceller, Chance, Timer } from '../ports.ts';
import { pauseAfter } from '../send/backoff.ts';
import type { PauseLimits } from '../send/backoff.ts';
import type { Kept } from '../send/verdict.ts';
import type { CacheStore } from './cache-store.ts';
import { createEventStreamParser } from './event-stream.ts';
import { batchOf } from './feed-batch.ts';
import type { FeedBatch } from './feed-batch.ts';

/** The open stream: pieces of decoded text until it ends; iterating rejects when the connection breaks. */
export type OpenedFeed = { readonly kind: 'open'; readonly pieces: AsyncIterable<string> } | Kept;

export type FeedConnection = {
  /** Opens `GET /v1/feed` from the cursor (`null`: from the beginning). Never rejects. */
  open(cursor: string | null, cancellation: Cancellation): Promise<OpenedFeed>;
};

export type FeedPorts = {
  readonly connection: FeedConnection;
  readonly cache: CacheStore;
  readonly timer: Timer;
  readonly chance: Chance;
  readonly pauses: PauseLimits;
  /** Silence after which a connection is taken to be dead; the server says something every 15 s. */
  readonly silenceMs: number;
  readonly report: (state: Connectivity['feed'], trouble: KeptReason | null) => void;
  /** Any sign of life of the stream. */
  readonly heard: () => void;
  /** Called before the caches are dropped: the queue has to know first, or a crash in between loses it. */
  readonly beforeReset: (reason: string) => Promise<void>;
};

/** `stalled`: it broke, ended, fell silent, or what it said could not be stored. */
type StreamEnd = { readonly kind: 'stalled' | 'reset' } | Kept;

type Reading = { readonly current: Canceller; readonly epoch: number; readonly isResumed: boolean };

/** Reads the feed until cancelled, and from its cursor again after each break. */
export class FeedReader {
  readonly #ports: FeedPorts;
  #connection: Canceller | null = null;
  #waiting: Canceller | null = null;
  #hasStoredSomething = false;

  constructor(ports: FeedPorts) {
    this.#ports = ports;
  }

  /** Ends a pause, and a connection that may be dead without knowing: the browser came online or to the front. */
  wake(options: { readonly reconnect: boolean }): void {
    this.#waiting?.cancel();
    if (options.reconnect) this.#connection?.cancel();
  }

  async run(cancellation: Cancellation): Promise<void> {
    let failures = 0;
    let last: StreamEnd['kind'] | null = null;
    while (!cancellation.requested) {
      this.#hasStoredSomething = false;
      const end = await this.#readOnce(cancellation).catch((): StreamEnd => ({ kind: 'stalled' }));
      if (cancellation.requested) break;
      // A first reset is followed at once; resets in a row are paced like failures.
      if (end.kind === 'reset') failures = last === 'reset' ? failures + 1 : 0;
      else failures = this.#hasStoredSomething ? 1 : failures + 1;
      last = end.kind;
      this.#ports.report('waiting', end.kind === 'kept' ? end.reason : null);
      const retryAfterMs = end.kind === 'kept' ? end.retryAfterMs : null;
      const { chance, pauses } = this.#ports;
      await this.#wait(
        failures === 0 ? 0 : pauseAfter(failures, chance(), retryAfterMs, pauses),
        cancellation,
      );
    }
    this.#ports.report('stopped', null);
  }

  async #wait(ms: number, cancellation: Cancellation): Promise<void> {
    const waiting = createCanceller();
    this.#waiting = waiting;
    const unlisten = cancellation.onRequested(() => waiting.cancel());
    await pause(this.#ports.timer, ms, waiting);
    unlisten();
    this.#waiting = null;
  }

  async #readOnce(cancellation: Cancellation): Promise<StreamEnd> {
    const { cache, connection, report } = this.#ports;
    const { cursor, epoch, isComplete } = await cache.state();
    report('connecting', null);
    const current = createCanceller();
    this.#connection = current;
    const unlisten = cancellation.onRequested(() => current.cancel());
    // The time for an answer counts as silence, too.
    const quiet = this.#watchSilence(current);
    try {
      const opened = await connection.open(cursor, current);
      if (opened.kind === 'kept') return opened;
      quiet();
      const isResumed = cursor !== null && isComplete;
      return await this.#readPieces(opened.pieces, { current, epoch, isResumed });
    } finally {
      quiet();
      unlisten();
      current.cancel();
      this.#connection = null;
    }
  }

  async #readPieces(pieces: AsyncIterable<string>, reading: Reading): Promise<StreamEnd> {
    const { report, heard } = this.#ports;
    report(reading.isResumed ? 'live' : 'catching-up', null);
    const parser = createEventStreamParser();
    let quiet = this.#watchSilence(reading.current);
    try {
      for await (const piece of pieces) {
        quiet();
        quiet = this.#watchSilence(reading.current);
        heard();
        const events = parser.push(piece);
        if (events.length === 0) continue;
        if ((await this.#store(batchOf(events), reading.epoch)) === 'reset') return { kind: 'reset' };
        this.#hasStoredSomething = true;
      }
      return { kind: 'stalled' };
    } finally {
      quiet();
    }
  }

  #watchSilence(current: Canceller): () => void {
    return this.#ports.timer(this.#ports.silenceMs, () => current.cancel());
  }

  async #store(batch: FeedBatch, epoch: number): Promise<'stored' | 'reset'> {
    const { cache, report, beforeReset } = this.#ports;
    // What stands before a reset in the same piece is old history: it is dropped with the rest.
    if (batch.reset === null) {
      const applied = await cache.applyBatch(batch, epoch);
      if (applied.kind === 'dropped-meanwhile') return 'reset';
      if (applied.kind === 'applied') {
        if (batch.live !== null) report('live', null);
        return 'stored';
      }
    }
    await beforeReset(batch.reset?.reason ?? 'history-restored');
    await cache.reset();
    return 'reset';
  }
}

import type { Connectivity, KeptReason } from '../outbox-interface.ts';
import { createCanceller, pause } from '../ports.ts';
import type { Cancellation, Canceller, Chance, Clock, Timer } from '../ports.ts';
import { pauseAfter } from '../send/backoff.ts';
import type { PauseLimits } from '../send/backoff.ts';
import type { Kept } from '../send/verdict.ts';
import type { CacheStore } from './cache-store.ts';
import type { FeedLimits } from './feed-limits.ts';
import { takeIn } from './feed-intake.ts';
import type { IntakeEnd } from './feed-intake.ts';
import { afterFeedEnd, freshFeedMode, nextFeedStep } from './feed-mode.ts';
import type { FeedEnd, FeedMode, FeedPause } from './feed-mode.ts';

/** The open answer: pieces of decoded text until it ends; iterating rejects when the connection breaks. */
export type OpenedFeed = { readonly kind: 'open'; readonly pieces: AsyncIterable<string> } | Kept;

export type FeedConnection = {
  /**
   * Opens `GET /v1/feed` from the cursor (`null`: from the beginning). Never rejects.
   * @param by `poll`: the answer ends once it has told everything
   */
  open(cursor: string | null, by: 'stream' | 'poll', cancellation: Cancellation): Promise<OpenedFeed>;
};

export type FeedPorts = {
  readonly connection: FeedConnection;
  readonly cache: CacheStore;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly pauses: PauseLimits;
  readonly limits: FeedLimits;
  /** Somebody looks at a screen of this browser: polls come faster. */
  readonly isWatched: () => boolean;
  readonly report: (state: Connectivity['feed'], trouble: KeptReason | null) => void;
  /** Any sign of life of the feed. */
  readonly heard: (by: 'stream' | 'poll') => void;
  /** Called before the caches are dropped: the queue has to know first, or a crash in between loses it. */
  readonly beforeReset: (reason: string) => Promise<void>;
};

/** `person`: someone asked for it, which goes before the server's wish to be left alone. */
export type FeedWake = { readonly reconnect: boolean; readonly person?: boolean };

/** How much a stream that ended well waits before it goes on, at most: everybody's may have ended with it. */
const goOnSpreadMs = 250;

/** A request to the feed that is under way. */
type Asking = {
  readonly by: 'stream' | 'poll';
  readonly current: Canceller;
  /** A stream that has to prove itself while polling goes on beside it; called once it has. */
  readonly proved: (() => void) | null;
  readonly beganMs: number;
  lastWordAfterMs: number | null;
  /** Why we ended it, when we did. */
  cut: 'silent' | 'woken' | null;
};

const saidToWork: readonly Connectivity['feed'][] = ['live', 'polling', 'catching-up'];

const howItEnded = ({ by, cut }: Asking, end: IntakeEnd): Exclude<FeedEnd['how']['kind'], 'kept'> => {
  if (end.kind === 'reset' || end.kind === 'not-stored') return end.kind;
  // Its last word was said, whatever became of the connection.
  if (by === 'poll' && end.saidLive) return 'caught-up';
  return cut ?? (end.kind === 'silent' ? 'silent' : 'broke');
};

/** Reads the feed until cancelled, and from its cursor again after each break; by polls where no stream comes through. */
export class FeedReader {
  readonly #ports: FeedPorts;
  #mode: FeedMode = freshFeedMode;
  #main: Asking | null = null;
  #waiting: Canceller | null = null;
  #isServersWish = false;
  #reported: Connectivity['feed'] = 'stopped';

  constructor(ports: FeedPorts) {
    this.#ports = ports;
  }

  /** Ends a pause, and a connection that may be dead without knowing: the browser came online or to the front. */
  wake({ reconnect, person = false }: FeedWake): void {
    if (person || !this.#isServersWish) this.#waiting?.cancel();
    if (!reconnect) return;
    // Another network may let a stream through.
    this.#mode = { ...this.#mode, streamTriedAtMs: null };
    if (this.#main) this.#cut(this.#main, 'woken');
  }

  async run(cancellation: Cancellation): Promise<void> {
    const { clock, limits } = this.#ports;
    this.#mode = freshFeedMode;
    while (!cancellation.requested) {
      const end = await this.#step(cancellation);
      if (cancellation.requested) break;
      const after = afterFeedEnd(this.#mode, end, limits, clock.nowMs());
      this.#mode = after.mode;
      // What goes on at once was never away: a proxy that cuts every half minute is nobody's news.
      if (after.pause.kind === 'back-off') {
        this.#report('waiting', end.how.kind === 'kept' ? end.how.reason : null);
      }
      await this.#wait(after.pause, cancellation);
    }
    this.#report('stopped');
  }

  #step(cancellation: Cancellation): Promise<FeedEnd> {
    const step = nextFeedStep(this.#mode, this.#ports.limits, this.#ports.clock.nowMs());
    return step === 'try-stream' ? this.#tryStream(cancellation) : this.#ask(step, cancellation);
  }

  /** Polling goes on beside the stream until it has said more than what a proxy may let slip. */
  async #tryStream(cancellation: Cancellation): Promise<FeedEnd> {
    const isOver = createCanceller();
    const unlisten = cancellation.onRequested(() => isOver.cancel());
    const pollBeside = async (): Promise<void> => {
      for (;;) {
        await pause(this.#ports.timer, this.#pollPauseMs(), isOver);
        if (isOver.requested) return;
        await this.#ask('poll', isOver);
      }
    };
    const polling = pollBeside();
    const end = await this.#ask('stream', cancellation, () => isOver.cancel());
    isOver.cancel();
    unlisten();
    await polling;
    return end;
  }

  async #ask(
    by: Asking['by'],
    cancellation: Cancellation,
    proved: Asking['proved'] = null,
  ): Promise<FeedEnd> {
    const { timer, clock, limits } = this.#ports;
    const current = createCanceller();
    const beganMs = clock.nowMs();
    const asking: Asking = { by, current, proved, beganMs, lastWordAfterMs: null, cut: null };
    const unlisten = cancellation.onRequested(() => current.cancel());
    const stopTimer = by === 'poll' ? timer(limits.longestPollMs, () => this.#cut(asking, 'silent')) : null;
    // A stream on probation is what a wake ends, not the poll beside it.
    const isMain = this.#main === null;
    if (isMain) this.#main = asking;
    try {
      const { how, advanced } = await this.#read(asking);
      return { by, how, advanced, lastWordAfterMs: asking.lastWordAfterMs };
    } catch {
      return { by, how: { kind: 'not-stored' }, advanced: false, lastWordAfterMs: asking.lastWordAfterMs };
    } finally {
      stopTimer?.();
      unlisten();
      current.cancel();
      if (isMain) this.#main = null;
    }
  }

  async #read(asking: Asking): Promise<Pick<FeedEnd, 'how' | 'advanced'>> {
    const { cache, connection, timer, limits, beforeReset } = this.#ports;
    const { by, current } = asking;
    const { cursor, epoch, isComplete } = await cache.state();
    if (!saidToWork.includes(this.#reported)) this.#report('connecting');
    const firstWordsMs = by === 'poll' ? limits.pollSilenceMs : limits.firstWordsMs;
    const spoke = timer(firstWordsMs, () => this.#cut(asking, 'silent'));
    try {
      const opened = await connection.open(cursor, by, current);
      if (opened.kind === 'kept') {
        return { how: asking.cut === null ? opened : { kind: asking.cut }, advanced: false };
      }
      const silenceMs = by === 'poll' ? limits.pollSilenceMs : limits.silenceMs;
      const word = (): void => {
        spoke();
        this.#heard(asking, cursor !== null && isComplete);
      };
      const live = (): void => this.#report(by === 'poll' ? 'polling' : 'live');
      const intake = { pieces: opened.pieces, cursor, epoch, current, silenceMs };
      const end = await takeIn(intake, { cache, timer, beforeReset, word, live });
      return { how: { kind: howItEnded(asking, end) }, advanced: end.advanced };
    } finally {
      spoke();
    }
  }

  #heard(asking: Asking, isResumed: boolean): void {
    const { clock, limits, heard } = this.#ports;
    const afterMs = Math.max(0, clock.nowMs() - asking.beganMs);
    const isFirst = asking.lastWordAfterMs === null;
    const provesItself = asking.proved !== null && afterMs > limits.firstWordsMs;
    asking.lastWordAfterMs = afterMs;
    heard(asking.by);
    if (provesItself) asking.proved();
    const isNews = asking.by === 'stream' && (asking.proved === null ? isFirst : provesItself);
    if (isNews) this.#report(isResumed ? 'live' : 'catching-up');
  }

  #cut(asking: Asking, because: 'silent' | 'woken'): void {
    asking.cut ??= because;
    asking.current.cancel();
  }

  #pollPauseMs(): number {
    const { limits, isWatched, chance } = this.#ports;
    const meanMs = isWatched() ? limits.pollMs : limits.hiddenPollMs;
    // Devices that began together must not ask in step.
    return meanMs * (0.75 + chance() / 2);
  }

  #pauseMs(after: FeedPause): number {
    const { chance, pauses } = this.#ports;
    if (after.kind === 'back-off') {
      return pauseAfter(this.#mode.failuresInRow, chance(), after.retryAfterMs, pauses);
    }
    if (after.kind === 'until-next-poll') return this.#pollPauseMs();
    return chance() * Math.min(goOnSpreadMs, pauses.firstMs);
  }

  async #wait(after: FeedPause, cancellation: Cancellation): Promise<void> {
    const waiting = createCanceller();
    this.#waiting = waiting;
    this.#isServersWish = after.kind === 'back-off' && after.retryAfterMs !== null;
    const unlisten = cancellation.onRequested(() => waiting.cancel());
    await pause(this.#ports.timer, this.#pauseMs(after), waiting);
    unlisten();
    this.#waiting = null;
    this.#isServersWish = false;
  }

  #report(state: Connectivity['feed'], trouble: KeptReason | null = null): void {
    // Each poll that went well says the same; a stream that is back is told again, for what it may have missed.
    if (state === 'polling' && this.#reported === 'polling') return;
    this.#reported = state;
    this.#ports.report(state, trouble);
  }
}

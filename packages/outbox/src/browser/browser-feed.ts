import type { Connectivity, KeptReason } from '../outbox-interface.ts';
import { decideKnownAgain, decideRetellNeeded, decideSignInNeeded } from '../queue/session-decision.ts';
import type { BrowserParts, BrowserSettings } from './browser-parts.ts';
import { browserChance, browserTimer } from './browser-world.ts';
import type { FeedWake } from '../feed/feed-reader.ts';
import { FeedHolder } from './feed-holder.ts';
import { createFetchFeed } from './fetch-feed.ts';
import type { SessionKeeper } from './session-keeper.ts';

export type BrowserFeedPorts = {
  readonly parts: BrowserParts;
  readonly settings: BrowserSettings;
  readonly session: SessionKeeper;
  /** The feed is back: what failed for want of a connection is due. */
  readonly live: () => void;
  readonly storageTrouble: (error: unknown) => void;
};

/** The feed of this tab, and what the queue makes of what it reports. */
export class BrowserFeed {
  readonly #ports: BrowserFeedPorts;
  readonly #holder: FeedHolder;
  #subject: string | null = null;

  constructor(ports: BrowserFeedPorts) {
    this.#ports = ports;
    this.#holder = this.#createHolder();
  }

  /** Reads for whoever is signed in now, or not at all. */
  follow(): void {
    const { settings, session, storageTrouble } = this.#ports;
    if (!settings.readFeed) return;
    const { subject } = session.current;
    // The stream that is open was opened by someone else's session.
    if (this.#subject !== null && subject !== this.#subject)
      this.#holder.wake({ reconnect: true, person: true });
    this.#subject = subject;
    if (subject !== null) this.#holder.start();
    else this.#holder.stop().catch(storageTrouble);
  }

  stop(): Promise<void> {
    return this.#holder.stop();
  }

  wake(wake: FeedWake): void {
    this.#holder.wake(wake);
  }

  #createHolder(): FeedHolder {
    const { parts, settings, session } = this.#ports;
    const { name, baseUrl, useLocks, feedLimits, pauses, clock } = settings;
    const { board, cache, sender } = parts;
    return new FeedHolder({
      lockName: `${name}-feed`,
      useLocks,
      board,
      clock,
      isVisible: () => document.visibilityState === 'visible',
      feed: {
        connection: createFetchFeed(baseUrl, () => session.current.subject),
        cache,
        timer: browserTimer,
        clock,
        chance: browserChance,
        pauses,
        limits: feedLimits,
        report: (feed, trouble) => this.#reported(feed, trouble),
        beforeReset: async () => {
          await session.change(decideRetellNeeded);
          sender.lookUpFirst();
        },
      },
    });
  }

  #reported(feed: Connectivity['feed'], trouble: KeptReason | null): void {
    const { parts, session, live, storageTrouble } = this.#ports;
    parts.board.change({ feed });
    if (trouble !== null) parts.board.heard(trouble);
    if (trouble === 'sign-in') session.change(decideSignInNeeded).catch(storageTrouble);
    if (feed !== 'live' && feed !== 'polling') return;
    parts.board.heard(null);
    // The feed is back: what it may have missed is asked for.
    parts.sender.lookUpFirst();
    session.change(decideKnownAgain).then(live).catch(storageTrouble);
  }
}

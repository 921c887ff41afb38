import type { FeedLimits } from '../feed/feed-limits.ts';
import type { Clock } from '../ports.ts';

/** What `createBrowserOutbox` may be told. Everything has a default that suits the app served by Holdfast. */
export type BrowserOutboxOptions = {
  /** Where Holdfast is, e.g. `http://localhost:4780`. Default: the page's own origin. */
  readonly baseUrl?: string;
  /** Prefix of the names of databases, locks and channels. Default `holdfast`. */
  readonly name?: string;
  /** Absolute deadline of one request. Default 20 000. */
  readonly requestTimeoutMs?: number;
  /** Silence on the feed after which it is taken to be dead. Default 40 000 (a comment comes every 15 s). */
  readonly feedSilenceMs?: number;
  /** The feed's other times, for tests and odd networks. */
  readonly feedLimits?: Partial<FeedLimits>;
  /** First and longest pause between tries. Default 1 000 and 60 000. */
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
  /** Switch for tests and odd browsers: do without Web Locks. Default: used where they exist. */
  readonly useLocks?: boolean;
  /** The app's own version; the device's record keeps it with each attempt. */
  readonly appVersion?: string;
  /** Whether this outbox reads the feed. Default `true`. */
  readonly readFeed?: boolean;
  /** The device's clock as the outbox sees it. Default: the browser's. The demo shifts it by a day. */
  readonly clock?: Clock;
};

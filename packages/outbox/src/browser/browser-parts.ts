import { protocolHeader, protocolVersion } from '@holdfast/operation';
import { feedLimitsOf } from '../feed/feed-limits.ts';
import type { FeedLimits } from '../feed/feed-limits.ts';
import { refundRows } from '../queue/refund-rows.ts';
import type { RefundWords } from '../queue/refund-rows.ts';
import { defaultPauses } from '../send/backoff.ts';
import { refundWire } from '../send/refund-wire.ts';
import type { ServerTold } from '../send/transport.ts';
import { neverCancelled } from '../ports.ts';
import type { BrowserOutboxOptions } from './browser-outbox-options.ts';
import { browserClock, browserMintId } from './browser-world.ts';
import { CacheDatabase } from './cache-database.ts';
import { DexieCacheStore } from './dexie-cache-store.ts';
import { createFollow } from './followed-stores.ts';
import type { Follow } from './followed-stores.ts';
import { createQueueParts } from './queue-parts.ts';
import type { QueueParts, QueueSettings } from './queue-parts.ts';
import { settleByNote, settleSignOuts } from './sign-outs.ts';
import { SignOutNotes } from './sign-out-note.ts';
import { createTurns } from './turns.ts';

export type BrowserSettings = QueueSettings & {
  readonly feedLimits: FeedLimits;
  readonly readFeed: boolean;
};

export const settingsOf = (options: BrowserOutboxOptions): BrowserSettings => ({
  baseUrl: options.baseUrl ?? location.origin,
  name: options.name ?? 'holdfast',
  requestTimeoutMs: options.requestTimeoutMs ?? 20_000,
  feedLimits: feedLimitsOf(options.feedSilenceMs ?? 40_000, options.feedLimits),
  pauses: {
    firstMs: options.firstPauseMs ?? defaultPauses.firstMs,
    longestMs: options.longestPauseMs ?? defaultPauses.longestMs,
  },
  useLocks: options.useLocks ?? true,
  appVersion: options.appVersion ?? null,
  readFeed: options.readFeed ?? true,
  clock: options.clock ?? browserClock,
});

/** Somebody stands before the sign-in form meanwhile: a page that is frozen with its turn must not hold them up. */
const longestTurnWaitMs = 4_000;

/** What a page and a service worker have in common: the queue, and the cache of what Holdfast told. */
export type BrowserParts = QueueParts<RefundWords> & {
  readonly cacheDatabase: CacheDatabase;
  readonly cache: DexieCacheStore;
  /** Every live read goes through this. */
  readonly follow: Follow;
  readonly signOutNotes: SignOutNotes;
  /** Settles an owed sign-out where storage cannot say whether there is one. */
  readonly settleByNote: () => ReturnType<typeof settleByNote>;
};

export const createBrowserParts = (settings: BrowserSettings): BrowserParts => {
  const { name, useLocks, requestTimeoutMs } = settings;
  const cacheDatabase = new CacheDatabase(`${name}-cache`);
  const cache = new DexieCacheStore(cacheDatabase, browserMintId);
  const told: ServerTold<RefundWords> = {
    epoch: async () => (await cache.state()).epoch,
    applyOperations: (operations, epoch) => cache.applyOperations(operations, epoch),
  };
  const alone = createTurns(`${name}-sign-out`, useLocks, Math.min(requestTimeoutMs, longestTurnWaitMs));
  const notes = new SignOutNotes(name);
  const asking = { timeoutMs: requestTimeoutMs, protocol: protocolVersion, notes };
  const parts = createQueueParts<RefundWords>(settings, {
    stored: refundRows,
    wire: refundWire,
    protocolHeader,
    told,
    makeRoom: () => cache.reset().catch(() => undefined),
    settleSignOut: ({ store, transport }, cancellation) =>
      settleSignOuts({ ...asking, store, transport, alone }, cancellation),
  });
  const follow = createFollow(parts.store, parts.database.name, cacheDatabase);
  return {
    ...parts,
    ...{ cacheDatabase, cache, follow },
    signOutNotes: notes,
    settleByNote: () => settleByNote({ ...asking, transport: parts.transport }, neverCancelled),
  };
};

import { protocolVersion } from '@holdfast/operation';
import { feedLimitsOf } from '../feed/feed-limits.ts';
import type { FeedLimits } from '../feed/feed-limits.ts';
import type { Cancellation, Clock } from '../ports.ts';
import { defaultPauses } from '../send/backoff.ts';
import type { PauseLimits } from '../send/backoff.ts';
import { settleOwedSignOut } from '../send/owed-sign-out.ts';
import type { SignOutStanding } from '../send/owed-sign-out.ts';
import { Sender } from '../send/sender.ts';
import type { ServerTold, Transport } from '../send/transport.ts';
import type { BrowserOutboxOptions } from './browser-outbox-options.ts';
import { browserChance, browserClock, browserHolder, browserMintId, mintIdBy } from './browser-world.ts';
import { CacheDatabase } from './cache-database.ts';
import { ConnectivityBoard } from './connectivity-board.ts';
import { DexieCacheStore } from './dexie-cache-store.ts';
import { DexieQueueStore } from './dexie-queue-store.ts';
import { indexOfDatabase } from './entry-index.ts';
import { createFetchTransport } from './fetch-transport.ts';
import { createFollow } from './followed-stores.ts';
import type { Follow } from './followed-stores.ts';
import { QueueDatabase } from './queue-database.ts';
import { ReadOnlyQueueStore } from './read-only-queue-store.ts';
import { TabQueueStore } from './tab-queue-store.ts';
import { createTurns } from './turns.ts';
import { createSenderLock } from './web-lock.ts';

export type BrowserSettings = {
  readonly baseUrl: string;
  readonly name: string;
  readonly requestTimeoutMs: number;
  readonly feedLimits: FeedLimits;
  readonly pauses: PauseLimits;
  readonly useLocks: boolean;
  readonly appVersion: string | null;
  readonly readFeed: boolean;
  readonly clock: Clock;
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

/** What a page and a service worker have in common: the databases, the sender, and the board for what was heard. */
export type BrowserParts = {
  readonly database: QueueDatabase;
  /** The queue as this tab may use it now; everything but the opening of storage goes through it. */
  readonly store: TabQueueStore;
  /** The writable queue itself. */
  readonly queue: DexieQueueStore;
  readonly cacheDatabase: CacheDatabase;
  readonly cache: DexieCacheStore;
  /** Every live read goes through this. */
  readonly follow: Follow;
  readonly board: ConnectivityBoard;
  readonly transport: Transport;
  readonly told: ServerTold;
  readonly sender: Sender;
  readonly settleSignOut: (cancellation: Cancellation) => Promise<SignOutStanding>;
};

const toldTo = (cache: DexieCacheStore): ServerTold => ({
  epoch: async () => (await cache.state()).epoch,
  applyOperations: (operations, epoch) => cache.applyOperations(operations, epoch),
});

export const createBrowserParts = (settings: BrowserSettings): BrowserParts => {
  const holder = browserHolder();
  const board = new ConnectivityBoard({
    channelName: `${settings.name}-connectivity`,
    holder,
    clock: settings.clock,
    requestTimeoutMs: settings.requestTimeoutMs,
  });
  const database = new QueueDatabase(`${settings.name}-queue`, (storage) => board.change({ storage }));
  const queue = new DexieQueueStore(database, () => store.isForLookingOnly);
  const cacheDatabase = new CacheDatabase(`${settings.name}-cache`);
  const cache = new DexieCacheStore(cacheDatabase, browserMintId);
  const store: TabQueueStore = new TabQueueStore({
    writable: queue,
    index: indexOfDatabase(database),
    readOnly: new ReadOnlyQueueStore(`${settings.name}-queue`),
    storage: () => board.current.storage,
    settled: () => database.settled,
    isOpen: () => database.isOpen(),
    makeRoom: () => cache.reset().catch(() => undefined),
  });
  const follow = createFollow(store, database.name, cacheDatabase);
  const transport = createFetchTransport(settings.baseUrl);
  const told = toldTo(cache);
  const settleSignOut = (cancellation: Cancellation): Promise<SignOutStanding> =>
    settleOwedSignOut(
      {
        store,
        transport,
        timeoutMs: settings.requestTimeoutMs,
        protocol: protocolVersion,
        alone: createTurns(`${settings.name}-sign-out`, settings.useLocks, settings.requestTimeoutMs),
      },
      cancellation,
    );
  const sender = new Sender({
    store,
    transport,
    settleSignOut,
    told,
    lock: createSenderLock(settings.name, holder, settings.useLocks),
    clock: settings.clock,
    chance: browserChance,
    mintId: mintIdBy(settings.clock),
    holder,
    appVersion: settings.appVersion,
    requestTimeoutMs: settings.requestTimeoutMs,
    pauses: settings.pauses,
    heard: (trouble) => board.heard(trouble),
  });
  return {
    database,
    store,
    queue,
    cacheDatabase,
    cache,
    follow,
    board,
    transport,
    told,
    sender,
    settleSignOut,
  };
};

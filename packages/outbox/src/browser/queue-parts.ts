import type { StoredLanguage, Words } from '../queue/words.ts';
import type { Cancellation, Clock } from '../ports.ts';
import type { PauseLimits } from '../send/backoff.ts';
import type { SignOutStanding } from '../send/owed-sign-out.ts';
import { Sender } from '../send/sender.ts';
import type { ServerTold, Transport } from '../send/transport.ts';
import type { WireLanguage } from '../send/wire-language.ts';
import { browserChance, browserHolder, mintIdBy } from './browser-world.ts';
import { ConnectivityBoard } from './connectivity-board.ts';
import { DexieQueueStore } from './dexie-queue-store.ts';
import { indexOfDatabase } from './entry-index.ts';
import { createFetchTransport } from './fetch-transport.ts';
import { createFollowQueue } from './followed-queue.ts';
import type { FollowQueue } from './followed-queue.ts';
import { QueueDatabase } from './queue-database.ts';
import { ReadOnlyQueueStore } from './read-only-queue-store.ts';
import { TabQueueStore } from './tab-queue-store.ts';
import { createSenderLock } from './web-lock.ts';

export type QueueSettings = {
  readonly baseUrl: string;
  readonly name: string;
  readonly requestTimeoutMs: number;
  readonly pauses: PauseLimits;
  readonly useLocks: boolean;
  readonly appVersion: string | null;
  readonly clock: Clock;
};

/** What the queue speaks, and what it may ask of whoever uses it. */
export type QueueUse<W extends Words> = {
  readonly stored: StoredLanguage<W>;
  readonly wire: WireLanguage<W>;
  /** Names the version of the wire in each request. */
  readonly protocolHeader: string;
  readonly told: ServerTold<W>;
  /** Makes room by dropping what can be had again. Resolves also when it could not. */
  readonly makeRoom: () => Promise<void>;
  /** What has to go before everything else. */
  readonly settleSignOut: (
    parts: { readonly store: TabQueueStore<W>; readonly transport: Transport },
    cancellation: Cancellation,
  ) => Promise<SignOutStanding>;
};

/** A queue in this browser: its database, its sender, and the board for what was heard. Whatever it carries. */
export type QueueParts<W extends Words = Words> = {
  readonly database: QueueDatabase;
  /** The queue as this tab may use it now; everything but the opening of storage goes through it. */
  readonly store: TabQueueStore<W>;
  /** The writable queue itself. */
  readonly queue: DexieQueueStore<W>;
  /** Every live read of the queue goes through this. */
  readonly followQueue: FollowQueue<W>;
  readonly board: ConnectivityBoard;
  readonly transport: Transport;
  readonly told: ServerTold<W>;
  readonly sender: Sender<W>;
  readonly settleSignOut: (cancellation: Cancellation) => Promise<SignOutStanding>;
};

export const createQueueParts = <W extends Words>(
  settings: QueueSettings,
  use: QueueUse<W>,
): QueueParts<W> => {
  const { name, clock, requestTimeoutMs, pauses, useLocks, appVersion } = settings;
  const { told, wire } = use;
  const holder = browserHolder();
  const board = new ConnectivityBoard({
    channelName: `${name}-connectivity`,
    ...{ holder, clock, requestTimeoutMs },
  });
  const database = new QueueDatabase(`${name}-queue`, (storage) => board.change({ storage }));
  const queue = new DexieQueueStore<W>(database, use.stored, () => store.isForLookingOnly);
  const store: TabQueueStore<W> = new TabQueueStore<W>({
    writable: queue,
    index: indexOfDatabase(database),
    readOnly: new ReadOnlyQueueStore<W>(`${name}-queue`, use.stored),
    storage: () => board.current.storage,
    settled: () => database.settled,
    isOpen: () => database.isOpen(),
    makeRoom: use.makeRoom,
  });
  const followQueue = createFollowQueue(store, database.name);
  const transport = createFetchTransport(settings.baseUrl, use.protocolHeader);
  const settleSignOut = (cancellation: Cancellation): Promise<SignOutStanding> =>
    use.settleSignOut({ store, transport }, cancellation);
  const sender = new Sender<W>({
    ...{ store, wire, transport, settleSignOut, told, clock, holder, appVersion, requestTimeoutMs, pauses },
    lock: createSenderLock(name, holder, useLocks),
    chance: browserChance,
    mintId: mintIdBy(clock),
    heard: (trouble) => board.heard(trouble),
  });
  return { database, store, queue, followQueue, board, transport, told, sender, settleSignOut };
};

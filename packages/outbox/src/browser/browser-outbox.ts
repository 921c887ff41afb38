import { liveQuery } from 'dexie';
import type { LiveQuery, LiveRead, LiveValue } from '../live-query.ts';
import type { Connectivity, DecisionIntent, KeptReason, Outbox, Unsubscribe } from '../outbox-interface.ts';
import type { DraftContent, OrderSeen } from '../outbox-interface.ts';
import { operationsToForget } from '../queue/forget-decision.ts';
import { Intents } from '../queue/intents.ts';
import type { Decision, QueueSnapshot } from '../queue/queue-store.ts';
import {
  decideKnownAgain,
  decideRetellNeeded,
  decideSignedIn,
  decideSignedOut,
  decideSignInNeeded,
} from '../queue/session-decision.ts';
import { noSession, sessionRowSchema } from '../queue/stored-rows.ts';
import type { SessionRow } from '../queue/stored-rows.ts';
import { returnDelayMs } from '../send/return-spread.ts';
import { SendSchedule } from '../send/send-schedule.ts';
import { askForBackgroundSync, askToPersist } from './background-sync.ts';
import { createBrowserParts } from './browser-parts.ts';
import type { BrowserParts, BrowserSettings } from './browser-parts.ts';
import { browserChance, browserClock, browserMintId, browserTimer } from './browser-world.ts';
import { CacheReads } from './cache-reads.ts';
import { FeedHolder } from './feed-holder.ts';
import { createFetchFeed } from './fetch-feed.ts';
import { LiveReads } from './live-reads.ts';
import { listenForWakes } from './wake-triggers.ts';
import type { Wake } from './wake-triggers.ts';

const nothing = { operationIds: [] };

/** The outbox of one tab: wires decisions to this browser's storage, network, locks and events. */
export class BrowserOutbox implements Outbox {
  readonly #parts: BrowserParts;
  readonly #settings: BrowserSettings;
  readonly #intents: Intents;
  readonly #reads: LiveReads;
  readonly #schedule: SendSchedule;
  readonly #feed: FeedHolder;
  #session: SessionRow = noSession;
  #feedSubject: string | null = null;
  #unlisten: Unsubscribe[] = [];
  #offlineSinceMs: number | null = null;
  #stopReturn: () => void = () => undefined;

  constructor(settings: BrowserSettings) {
    this.#settings = settings;
    this.#parts = createBrowserParts(settings);
    const { database, store, cache, cacheDatabase, board, sender } = this.#parts;
    this.#intents = new Intents({ store, cache, clock: browserClock, mintId: browserMintId });
    this.#reads = new LiveReads({ database, store, board, cache: new CacheReads(cacheDatabase) });
    this.#schedule = new SendSchedule(sender, browserTimer, (error) => this.#storageTrouble(error));
    this.#feed = this.#createFeed();
  }

  subject(): string | null {
    return this.#session.subject;
  }

  async start(options: { subject?: string | null } = {}): Promise<void> {
    const { board } = this.#parts;
    board.open();
    try {
      await this.#openStorage();
      if (options.subject === null) await this.#changeSession(decideSignedOut);
      else if (options.subject !== undefined) await this.#enter(options.subject);
      else this.#session = (await this.#parts.store.read(nothing)).session;
    } catch (error) {
      this.#storageTrouble(error);
      return;
    }
    board.change({ storage: 'ready', signInNeeded: this.#session.signInNeeded });
    this.#schedule.start();
    this.#unlisten = [
      listenForWakes(
        (because) => this.#woken(because),
        () => this.#wentOffline(),
      ),
      this.#followSession(),
      this.#followQueue(),
    ];
    this.#followFeed();
    void this.#schedule.wake('connection-may-be-back');
  }

  async stop(): Promise<void> {
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    this.#stopReturn();
    await this.#schedule.stop();
    await this.#feed.stop();
    this.#parts.board.close();
    this.#parts.database.close();
    this.#parts.cacheDatabase.close();
  }

  async signedIn(subject: string): Promise<void> {
    await this.#enter(subject);
    this.#followFeed();
    this.#parts.sender.lookUpFirst();
    void this.#schedule.wake('connection-may-be-back');
  }

  async signedOut(): Promise<void> {
    await this.#changeSession(decideSignedOut);
    await this.#feed.stop();
    await this.#parts.cache.reset();
  }

  begin = (order: OrderSeen) => this.#intents.begin(order);
  beginAnother = (order: OrderSeen, otherThan: string) => this.#intents.beginAnother(order, otherThan);
  revise = (operationId: string, order: OrderSeen) => this.#intents.revise(operationId, order);
  saveDraft = (operationId: string, content: DraftContent) => this.#intents.saveDraft(operationId, content);
  discardDraft = (operationId: string) => this.#intents.discardDraft(operationId);
  queue: Outbox['queue'] = (operationId, proposal) =>
    this.#thenSend(this.#intents.queue(operationId, proposal));
  goOn: Outbox['goOn'] = (operationId, differentFrom) =>
    this.#thenSend(this.#intents.goOn(operationId, differentFrom));
  decide = (intent: DecisionIntent) => this.#thenSend(this.#intents.decide(intent));
  dismiss = (itemKey: string) => this.#thenSend(this.#intents.dismiss(itemKey));

  sendNow(): Promise<void> {
    this.#parts.sender.lookUpFirst();
    this.#feed.wake({ reconnect: false });
    return this.#schedule.wake('person-asked');
  }

  watch<Query extends LiveQuery>(
    query: Query,
    listener: (read: LiveRead<LiveValue<Query>>) => void,
  ): Unsubscribe {
    return this.#reads.watch(query, listener);
  }

  async exportRecord(): Promise<string> {
    return JSON.stringify(await this.#parts.store.readEverything(), null, 2);
  }

  async #openStorage(): Promise<void> {
    const { database, store } = this.#parts;
    await database.open();
    this.#parts.board.change({ listSinceMs: await store.listSinceMs(browserClock.nowMs()) });
    await store.rebuildOpen();
    await store.forget(operationsToForget(await store.readAll(), browserClock.nowMs()));
  }

  /** The caches belong to who is signed in here: another person starts with empty ones. */
  async #enter(subject: string): Promise<void> {
    const before = (await this.#parts.store.read(nothing)).session.subject;
    // Dropped first, so that a tab which hears of the new session begins its stream with nothing.
    if (before !== null && before !== subject) await this.#parts.cache.reset().catch(() => undefined);
    await this.#changeSession(decideSignedIn(subject));
  }

  async #changeSession(decide: (snapshot: QueueSnapshot) => Decision<SessionRow>): Promise<void> {
    this.#took(await this.#parts.store.change(nothing, decide));
  }

  #took(session: SessionRow): void {
    this.#session = session;
    this.#parts.board.change({ signInNeeded: session.signInNeeded });
  }

  /** Sends what was just stored; the answer does not wait for that. */
  async #thenSend<Answer extends { readonly saved: boolean }>(storing: Promise<Answer>): Promise<Answer> {
    const answer = await storing;
    if (answer.saved) {
      void this.#schedule.wake('connection-may-be-back');
      this.#afterSave().catch(() => undefined);
    }
    return answer;
  }

  async #afterSave(): Promise<void> {
    const { board } = this.#parts;
    if (board.current.storagePersisted === null) board.change({ storagePersisted: await askToPersist() });
    await askForBackgroundSync();
  }

  #woken(because: Wake): void {
    if (because === 'online') {
      this.#cameOnline();
      return;
    }
    if (because === 'back') this.#parts.sender.lookUpFirst();
    this.#feed.wake({ reconnect: because === 'back' });
    void this.#schedule.wake('connection-may-be-back');
  }

  #wentOffline(): void {
    this.#stopReturn();
    this.#offlineSinceMs ??= browserClock.nowMs();
  }

  /** All devices around hear it at once, so each waits its share; what a person asks for meanwhile goes at once. */
  #cameOnline(): void {
    const nowMs = browserClock.nowMs();
    const outForMs = nowMs - (this.#offlineSinceMs ?? nowMs);
    this.#offlineSinceMs = null;
    this.#stopReturn();
    this.#stopReturn = browserTimer(returnDelayMs(outForMs, browserChance()), () => {
      this.#feed.wake({ reconnect: true });
      void this.#schedule.wake('connection-may-be-back');
    });
  }

  /** The session is the whole browser's: another tab may sign in or out. */
  #followSession(): Unsubscribe {
    const { database } = this.#parts;
    const subscription = liveQuery(() => database.state.get('session')).subscribe({
      next: (row) => {
        const read = sessionRowSchema.safeParse(row?.value);
        if (!read.success) return;
        const isNewEpoch = read.data.epoch !== this.#session.epoch;
        this.#took(read.data);
        this.#followFeed();
        if (isNewEpoch) void this.#schedule.wake('pauses-hold');
      },
      error: (error: unknown) => this.#storageTrouble(error),
    });
    return () => subscription.unsubscribe();
  }

  /** What another tab queued must go out although that tab is closed. */
  #followQueue(): Unsubscribe {
    const { database } = this.#parts;
    const subscription = liveQuery(() => database.unended.toCollection().primaryKeys()).subscribe({
      next: () => void this.#schedule.wake('pauses-hold'),
      error: (error: unknown) => this.#storageTrouble(error),
    });
    return () => subscription.unsubscribe();
  }

  #storageTrouble(_error: unknown): void {
    const { board } = this.#parts;
    // A newer app took the database: that says more than that we cannot use it.
    if (board.current.storage !== 'updated-elsewhere') board.change({ storage: 'failed' });
  }

  #followFeed(): void {
    if (!this.#settings.readFeed) return;
    const { subject } = this.#session;
    // The stream that is open was opened by someone else's session.
    if (this.#feedSubject !== null && subject !== this.#feedSubject) this.#feed.wake({ reconnect: true });
    this.#feedSubject = subject;
    if (subject !== null) this.#feed.start();
    else this.#feed.stop().catch((error: unknown) => this.#storageTrouble(error));
  }

  #createFeed(): FeedHolder {
    const { name, baseUrl, useLocks, feedSilenceMs, pauses } = this.#settings;
    const { board, cache } = this.#parts;
    return new FeedHolder({
      lockName: `${name}-feed`,
      useLocks,
      silenceMs: feedSilenceMs,
      timer: browserTimer,
      board,
      feed: {
        connection: createFetchFeed(baseUrl),
        cache,
        timer: browserTimer,
        chance: browserChance,
        pauses,
        silenceMs: feedSilenceMs,
        report: (feed, trouble) => this.#feedReported(feed, trouble),
        heard: () => board.feedHeard(),
        beforeReset: async () => {
          await this.#changeSession(decideRetellNeeded);
          this.#parts.sender.lookUpFirst();
        },
      },
    });
  }

  #feedReported(feed: Connectivity['feed'], trouble: KeptReason | null): void {
    const { board, sender } = this.#parts;
    board.change({ feed });
    if (trouble !== null) board.heard(trouble);
    if (trouble === 'sign-in') {
      this.#changeSession(decideSignInNeeded).catch((error: unknown) => this.#storageTrouble(error));
    }
    if (feed !== 'live') return;
    board.heard(null);
    // The stream is back: what it may have missed is asked for, and what failed for want of a connection is due.
    sender.lookUpFirst();
    this.#changeSession(decideKnownAgain)
      .then(() => this.#schedule.wake('connection-may-be-back'))
      .catch((error: unknown) => this.#storageTrouble(error));
  }
}

import type { LiveQuery, LiveRead, LiveValue } from '../live-query.ts';
import type { DecisionIntent, Outbox, Saved, Unsubscribe } from '../outbox-interface.ts';
import type { DraftContent, OrderSeen } from '../outbox-interface.ts';
import { neverCancelled } from '../ports.ts';
import type { Clock } from '../ports.ts';
import { Intents } from '../queue/intents.ts';
import { decideNobodyHere, decideSignedOut } from '../queue/session-decision.ts';
import { takeUp } from '../queue/take-up.ts';
import { recordFileOf } from '../read/record-file.ts';
import { probeReach } from '../send/reach-probe.ts';
import { refundWire } from '../send/refund-wire.ts';
import { askForBackgroundSync } from './background-sync.ts';
import { BrowserFeed } from './browser-feed.ts';
import { createBrowserParts } from './browser-parts.ts';
import type { BrowserParts, BrowserSettings } from './browser-parts.ts';
import { browserChance, browserTimer, mintIdBy } from './browser-world.ts';
import { ListKeeper } from './list-keeper.ts';
import { LiveReads } from './live-reads.ts';
import { isOfStorage } from './of-storage.ts';
import { OfflineRest } from './offline-rest.ts';
import { SendingTab } from './sending-tab.ts';
import { SessionKeeper } from './session-keeper.ts';
import { StorageOpening } from './storage-opening.ts';
import { UnsavedForms } from './unsaved-forms.ts';

/** The outbox of one tab: wires decisions to this browser's storage, network, locks and events. */
export class BrowserOutbox implements Outbox {
  readonly #parts: BrowserParts;
  readonly #session: SessionKeeper;
  readonly #intents: Intents;
  readonly #reads: LiveReads;
  readonly #sending: SendingTab;
  readonly #feed: BrowserFeed;
  readonly #rest: OfflineRest;
  readonly #clock: Clock;
  readonly #unsaved: UnsavedForms;
  /** Who the app says is here, for a screen whose storage cannot say it. */
  #subjectOfScreen: string | null = null;
  /** They signed in while storage could not be used. */
  #isEntryOwed = false;
  /** Resolves once it is known how storage stands. */
  #opened: Promise<void> = Promise.resolve();
  #startedAs: string | null | undefined;
  /** A session was ended by this tab before they signed in, without storage's word. */
  #hasEndedSession = false;
  readonly #list: ListKeeper;
  readonly #opening: StorageOpening;
  readonly #appVersion: string | null;
  #unlisten: Unsubscribe[] = [];

  constructor(settings: BrowserSettings) {
    this.#parts = createBrowserParts(settings);
    const { store, cache, board, follow } = this.#parts;
    const storageTrouble = (error: unknown): void => this.#storageTrouble(error);
    const connectionMayBeBack = (): void => void this.#sending.wake('connection-may-be-back');
    this.#session = new SessionKeeper(this.#parts);
    this.#clock = settings.clock;
    this.#appVersion = settings.appVersion;
    this.#intents = new Intents({
      ...{ store, cache, clock: settings.clock, mintId: mintIdBy(settings.clock) },
      added: () => this.#reads.savedNow(),
    });
    this.#reads = new LiveReads({
      follow,
      board,
      session: this.#session,
      clock: settings.clock,
    });
    this.#rest = new OfflineRest({
      probe: (cancellation) =>
        probeReach(
          { ...this.#parts, ...settings, wire: refundWire, heard: (trouble) => board.heard(trouble) },
          cancellation,
        ),
      clock: settings.clock,
      chance: browserChance,
      pauses: settings.pauses,
    });
    this.#sending = new SendingTab({
      parts: this.#parts,
      clock: settings.clock,
      rest: this.#rest,
      alsoWake: (reconnect) => this.#feed.wake({ reconnect }),
      queueChanged: () => this.#list.changed(),
      storageTrouble,
    });
    this.#feed = new BrowserFeed({
      parts: this.#parts,
      settings,
      session: this.#session,
      live: () => {
        this.#rest.feedIsLive();
        connectionMayBeBack();
      },
      storageTrouble,
    });
    board.listen(({ storage }) => {
      // A newer app has taken over: this tab only shows from here on.
      if (storage !== 'updated-elsewhere') return;
      void this.#sending.stop();
      this.#list.stop();
    });
    this.#list = new ListKeeper(this.#parts, settings, browserTimer);
    this.#opening = new StorageOpening({
      parts: this.#parts,
      list: this.#list,
      clock: settings.clock,
      timer: browserTimer,
      usable: () => this.#begun(),
      forLookingOnly: () => this.#forLookingOnly(),
    });
    this.#unsaved = new UnsavedForms(this.#parts, settings, this.#intents, () => this.subject());
  }

  subject(): string | null {
    return this.#session.isKnown ? this.#session.current.subject : this.#subjectOfScreen;
  }

  async start(options: { subject?: string | null } = {}): Promise<void> {
    const { board } = this.#parts;
    board.open();
    this.#subjectOfScreen = options.subject ?? null;
    this.#startedAs = options.subject;
    this.#recallHeard();
    this.#opened = this.#opening.open();
    await this.#opened;
  }

  /** Who is here is stored first: a screen may be shown, and pressed, while storage is still being opened. */
  async #onceOpen<Answer>(intent: () => Promise<Answer>): Promise<Answer> {
    await this.#opened;
    return intent();
  }

  /** Not knowing when Holdfast was last heard from must not keep anything from being saved. */
  #recallHeard(): void {
    const { cache, board } = this.#parts;
    const remember = (atMs: number): void => void cache.rememberHeard(atMs).catch(() => undefined);
    cache
      .lastHeardAtMs()
      .then((atMs) => board.recall(atMs, remember))
      .catch(() => undefined);
  }

  /** The queue can be used: from here on it is sent, and followed. */
  async #begun(): Promise<void> {
    const { board } = this.#parts;
    // Storage may have been held by another tab for long; whoever signed in meanwhile is who is here.
    const subject = this.#startedAs;
    const entered = this.#isEntryOwed ? this.#subjectOfScreen : null;
    const isHere = (): boolean => this.#subjectOfScreen === (entered ?? subject);
    if (entered !== null && this.#hasEndedSession) await this.#session.enter(entered, isHere);
    // Storage may tell only now that whoever was here had signed out: then nobody is let in by what was believed.
    else if (entered !== null) await this.#session.startAs(entered, isHere);
    else if (subject === null) await this.#session.change(decideNobodyHere);
    else if (subject !== undefined) await this.#session.startAs(subject, isHere);
    else await this.#session.read();
    board.change({ storage: 'ready', signInNeeded: this.#session.current.signInNeeded });
    this.#sending.start();
    this.#unlisten.push(this.#followSession());
    this.#list.follow(() => this.subject());
    this.#feed.follow();
    void this.#sending.wake('connection-may-be-back');
  }

  /** What lies here is of a newer app: it is shown, and this tab neither writes nor sends. */
  async #forLookingOnly(): Promise<void> {
    await this.#session.read();
    this.#unlisten.push(this.#followSession());
  }

  #followSession(): Unsubscribe {
    return this.#session.follow(
      (isNewEpoch) => this.#sessionChanged(isNewEpoch),
      (error) => this.#storageTrouble(error),
    );
  }

  async stop(): Promise<void> {
    this.#reads.stop();
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    this.#opening.stop();
    this.#list.stop();
    await this.#sending.stop();
    await this.#feed.stop();
    this.#parts.board.close();
    this.#parts.database.close();
    this.#parts.cacheDatabase.close();
  }

  async signedIn(subject: string): Promise<void> {
    this.#subjectOfScreen = subject;
    // Storage that is still being opened must not take back, once it is open, who came in meanwhile.
    this.#startedAs = subject;
    try {
      await this.#session.enter(subject, () => this.#subjectOfScreen === subject);
    } catch (error) {
      // Whoever can store nothing can still look, and send what stands on the screen.
      this.#isEntryOwed = true;
      this.#storageTrouble(error);
      return;
    }
    if (this.#subjectOfScreen !== subject) return;
    this.#feed.follow();
    this.#parts.sender.lookUpFirst();
    void this.#sending.wake('connection-may-be-back');
  }

  async signedOut(): Promise<void> {
    this.#subjectOfScreen = null;
    this.#startedAs = null;
    this.#isEntryOwed = false;
    // First where nothing holds it up: what storage cannot take now, it takes when it can.
    this.#parts.signOutNotes.write('only-here');
    try {
      await this.#session.change(decideSignedOut);
      this.#parts.signOutNotes.write('in-the-queue');
    } finally {
      this.#session.left();
      await this.#feed.stop();
      await this.#parts.cache.reset().catch(() => undefined);
    }
    void this.#sending.wake('connection-may-be-back');
    // It must go out also when this was the last tab.
    await askForBackgroundSync().catch(() => undefined);
  }

  async settleSignOut(): Promise<boolean> {
    try {
      return (await this.#parts.settleSignOut(neverCancelled)) !== 'still-owed';
    } catch (error) {
      this.#storageTrouble(error);
      const { settled, ended } = await this.#parts.settleByNote();
      if (ended) this.#hasEndedSession = true;
      return settled;
    }
  }

  begin = (order: OrderSeen) =>
    this.#unsaved.noted(
      this.#onceOpen(() => this.#intents.begin(order)),
      null,
    );
  beginAnother: Outbox['beginAnother'] = (order, otherThan) =>
    this.#unsaved.noted(
      this.#onceOpen(() => this.#intents.beginAnother(order, otherThan)),
      null,
    );
  revise: Outbox['revise'] = (operationId, order) =>
    this.#unsaved.noted(
      this.#onceOpen(() => this.#intents.revise(operationId, order)),
      operationId,
    );
  saveDraft = (operationId: string, content: DraftContent) => this.#intents.saveDraft(operationId, content);
  discardDraft = (operationId: string) => this.#intents.discardDraft(operationId);
  queue: Outbox['queue'] = (operationId, proposal) =>
    this.#thenSend(this.#intents.queue(operationId, proposal, this.#unsaved.sentBefore(operationId)));
  goOn: Outbox['goOn'] = (operationId, differentFrom) =>
    this.#thenSend(this.#intents.goOn(operationId, differentFrom));
  sendUnsaved: Outbox['sendUnsaved'] = (operationId, proposal) => this.#unsaved.send(operationId, proposal);
  evictionRead = (): Promise<Saved> => this.#list.read();
  decide = (intent: DecisionIntent) => this.#thenSend(this.#onceOpen(() => this.#intents.decide(intent)));
  dismiss = (itemKey: string) => this.#thenSend(this.#intents.dismiss(itemKey));
  takeUpRecord: Outbox['takeUpRecord'] = (proposals) =>
    this.#thenSend(takeUp(this.#parts.store, { nowMs: this.#clock.nowMs() }, proposals));
  drop = (itemKey: string) => this.#thenSend(this.#intents.drop(itemKey));
  undoDrop = (itemKey: string) => this.#thenSend(this.#intents.undoDrop(itemKey));

  sendNow(): Promise<void> {
    this.#parts.sender.lookUpFirst();
    this.#feed.wake({ reconnect: false, person: true });
    return this.#sending.wake('person-asked');
  }

  watch<Query extends LiveQuery>(
    query: Query,
    listener: (read: LiveRead<LiveValue<Query>>) => void,
  ): Unsubscribe {
    return this.#reads.watch(query, listener);
  }

  async exportRecord(): Promise<string> {
    const { store, board } = this.#parts;
    const snapshot = await store.readAll();
    const { subject } = snapshot.session;
    if (subject === null) return '';
    const world = {
      subject,
      nowMs: this.#clock.nowMs(),
      listSinceMs: board.current.listSinceMs,
      appVersion: this.#appVersion,
    };
    return JSON.stringify(recordFileOf(snapshot, world), null, 2);
  }

  /** Sends what was just stored; the answer does not wait for that. */
  async #thenSend<Answer extends { readonly saved: boolean }>(storing: Promise<Answer>): Promise<Answer> {
    const answer = await storing;
    if (answer.saved) {
      // Where no stream comes through, what became of it is asked for as soon as it was sent.
      void this.#sending.wake('connection-may-be-back').then(() => this.#feed.wake({ reconnect: false }));
      this.#afterSave().catch(() => undefined);
    }
    return answer;
  }

  async #afterSave(): Promise<void> {
    await this.#list.persist().catch(() => undefined);
    await askForBackgroundSync();
  }

  #sessionChanged(isNewEpoch: boolean): void {
    if (this.#parts.store.isForLookingOnly) return;
    this.#feed.follow();
    if (isNewEpoch) void this.#sending.wake('pauses-hold');
  }

  #storageTrouble(error: unknown): void {
    if (isOfStorage(error)) this.#opening.troubled();
    // Nobody waits for it here: it is shown as what nobody caught, and what is queued stays.
    else globalThis.reportError(error);
  }
}

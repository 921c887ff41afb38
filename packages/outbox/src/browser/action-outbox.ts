import { parseOperationId } from '@holdfast/operation/id';
import { decideAct, decideQueueAction, actionKey } from '../actions/action-decision.ts';
import type { PersonsAct } from '../actions/action-decision.ts';
import type {
  ActionCancelled,
  ActionOutbox,
  ActionOutboxState,
  ActionSaved,
  QueuedAction,
} from '../actions/action-interface.ts';
import { actionRecordText } from '../actions/action-record.ts';
import { actionText, checkAction } from '../actions/action-words.ts';
import type { ActionWords } from '../actions/action-words.ts';
import type { NotSaved, Unsubscribe } from '../outbox-interface.ts';
import { NewerElsewhere } from '../queue/queue-store.ts';
import { decideNobodyHere } from '../queue/session-decision.ts';
import { evidentItems } from '../read/item-evidence.ts';
import { probeReach } from '../send/reach-probe.ts';
import { createActionParts } from './action-parts.ts';
import type { ActionSettings } from './action-parts.ts';
import { askForBackgroundSync, askToPersist } from './background-sync.ts';
import { browserChance, browserTimer, mintIdBy } from './browser-world.ts';
import { isOfStorage } from './of-storage.ts';
import { OfflineRest } from './offline-rest.ts';
import type { QueueParts } from './queue-parts.ts';
import { SendingTab } from './sending-tab.ts';
import { SessionKeeper } from './session-keeper.ts';
import { StorageOpening } from './storage-opening.ts';

const mostShown = 100;

const idOf = (entryKey: string): string => entryKey.split('/')[0] ?? '';

const notStored = (error: unknown): NotSaved =>
  error instanceof NewerElsewhere
    ? { reason: 'newer-elsewhere' }
    : {
        reason: 'storage-failed',
        detail: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      };

/** Plain actions of one tab: the same queue, stores and sender as everything else that this package sends. */
export class BrowserActionOutbox<Action> implements ActionOutbox<Action> {
  readonly #settings: ActionSettings<Action>;
  readonly #parts: QueueParts<ActionWords<Action>>;
  readonly #session: SessionKeeper;
  readonly #sending: SendingTab;
  readonly #opening: StorageOpening;
  readonly newId: () => string;
  #subject: string | null;
  #unlisten: Unsubscribe[] = [];

  constructor(settings: ActionSettings<Action>) {
    this.#settings = settings;
    this.#subject = settings.subject;
    this.newId = mintIdBy(settings.clock);
    this.#parts = createActionParts(settings);
    const { board, queue } = this.#parts;
    const nothingCached = { belongTo: () => Promise.resolve() };
    this.#session = new SessionKeeper({ ...this.#parts, cache: nothingCached });
    const { clock, pauses } = settings;
    const probed = { ...this.#parts, ...settings, heard: () => board.heard(null) };
    const rest = new OfflineRest({
      probe: (cancellation) => probeReach(probed, cancellation),
      chance: browserChance,
      ...{ clock, pauses },
    });
    this.#sending = new SendingTab({
      parts: this.#parts,
      ...{ clock, rest },
      alsoWake: () => undefined,
      queueChanged: () => undefined,
      storageTrouble: (error) => this.#storageTrouble(error),
    });
    this.#opening = new StorageOpening({
      parts: this.#parts,
      list: {
        open: async () => board.change({ listSinceMs: await queue.listSinceMs(clock.nowMs()) }),
      },
      ...{ clock, timer: browserTimer },
      usable: () => this.#begun(),
      forLookingOnly: () => this.#session.read(),
    });
  }

  start(): Promise<void> {
    this.#parts.board.open();
    return this.#opening.open();
  }

  async stop(): Promise<void> {
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    this.#opening.stop();
    await this.#sending.stop();
    this.#parts.board.close();
    this.#parts.database.close();
  }

  async queue(action: Action, { id = this.newId() }: { readonly id?: string } = {}): Promise<ActionSaved> {
    const subject = this.#subject;
    if (subject === null) return { saved: false, because: { reason: 'signed-out' } };
    if (parseOperationId(id) !== id) {
      const issue = { path: 'id', message: 'must be a UUIDv7 in lower case' };
      return { saved: false, because: { reason: 'invalid', issues: [issue] } };
    }
    const { schema, clock, protocol } = this.#settings;
    const checked = checkAction(schema, action);
    if (!checked.ok) return { saved: false, because: { reason: 'invalid', issues: checked.issues } };
    const body = actionText(id, subject, checked.action);
    // What could not be read again could never be sent.
    const again = checkAction(schema, (JSON.parse(body) as { action?: unknown }).action);
    if (!again.ok) return { saved: false, because: { reason: 'invalid', issues: again.issues } };
    const { store } = this.#parts;
    try {
      const asked = { id, body, subject, protocol, nowMs: clock.nowMs() };
      const saved = await store.change<ActionSaved>({ operationIds: [id] }, decideQueueAction(asked));
      if (!saved.saved) return saved;
      if ((await store.readBack(actionKey(id))) !== body) {
        const detail = 'it was written and is not there';
        return { saved: false, because: { reason: 'storage-failed', detail } };
      }
      this.#afterSave();
      return saved;
    } catch (error) {
      return { saved: false, because: notStored(error) };
    }
  }

  cancel = (id: string): Promise<ActionCancelled> => this.#act('cancel', id);
  giveUp = (id: string): Promise<ActionCancelled> => this.#act('give-up', id);
  dismiss = (id: string): Promise<ActionCancelled> => this.#act('dismiss', id);

  sendNow(): Promise<void> {
    return this.#sending.wake('person-asked');
  }

  watch(listener: (actions: readonly QueuedAction<Action>[]) => void): Unsubscribe {
    const unfollow = this.#parts.followQueue({
      read: async (store) => {
        const { subject } = (await store.read({ operationIds: [] })).session;
        if (subject === null) return [];
        // UUIDv7: their order is the order in which they were made.
        const ids = (await store.entryIndex.keysOf(subject)).map(idOf).sort().slice(-mostShown);
        const snapshot = await store.read({ operationIds: ids });
        return evidentItems(snapshot, this.#settings.clock.nowMs())
          .map(({ record, evidence }) => ({
            ...evidence,
            id: record.entry.operationId,
            subject: record.entry.subject,
            action: record.entry.command,
          }))
          .reverse();
      },
      next: listener,
      failed: (error) => this.#storageTrouble(error),
    });
    this.#unlisten.push(unfollow);
    return unfollow;
  }

  watchState(listener: (state: ActionOutboxState) => void): Unsubscribe {
    const { board } = this.#parts;
    const tell = (): void => {
      const { holdfast, trouble, lastHeardAtMs, signInNeeded, storage, storagePersisted } = board.current;
      listener({ server: holdfast, trouble, lastHeardAtMs, signInNeeded, storage, storagePersisted });
    };
    tell();
    return board.listen(tell);
  }

  async signedIn(subject: string): Promise<void> {
    this.#subject = subject;
    await this.#session.enter(subject, () => this.#subject === subject);
    void this.#sending.wake('connection-may-be-back');
  }

  async signedOut(): Promise<void> {
    this.#subject = null;
    await this.#session.change(decideNobodyHere);
  }

  async exportRecord(): Promise<string> {
    return actionRecordText(await this.#parts.store.readAll(), this.#settings.clock.nowMs());
  }

  async #begun(): Promise<void> {
    const subject = this.#subject;
    if (subject === null) await this.#session.change(decideNobodyHere);
    else await this.#session.startAs(subject, () => this.#subject === subject);
    this.#parts.board.change({ storage: 'ready' });
    this.#sending.start();
    this.#unlisten.push(
      this.#session.follow(
        (isNewEpoch) => {
          if (isNewEpoch) void this.#sending.wake('pauses-hold');
        },
        (error) => this.#storageTrouble(error),
      ),
    );
    void this.#sending.wake('connection-may-be-back');
  }

  async #act(act: PersonsAct, id: string): Promise<ActionCancelled> {
    try {
      const decide = decideAct(act, id, this.#settings.clock.nowMs());
      return await this.#parts.store.change<ActionCancelled>({ operationIds: [id] }, decide);
    } catch (error) {
      return { cancelled: false, because: notStored(error) };
    }
  }

  /** Nobody waits for this. */
  #afterSave(): void {
    void this.#sending.wake('connection-may-be-back');
    askToPersist()
      .then((storagePersisted) => this.#parts.board.change({ storagePersisted }))
      .then(askForBackgroundSync)
      .catch(() => undefined);
  }

  #storageTrouble(error: unknown): void {
    if (isOfStorage(error)) this.#opening.troubled();
    else globalThis.reportError(error);
  }
}

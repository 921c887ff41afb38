import type { Connectivity, Saved, Unsubscribe } from '../outbox-interface.ts';
import { neverCancelled } from '../ports.ts';
import type { Clock, Timer } from '../ports.ts';
import { afterAsking, canaryOf, idsToAsk, lostListOf, readLostList } from '../queue/list-canary.ts';
import { lookUp } from '../send/look-up.ts';
import { refundWire } from '../send/refund-wire.ts';
import { askToPersist } from './background-sync.ts';
import type { BrowserParts } from './browser-parts.ts';
import { CanaryCookie } from './canary-cookie.ts';

/** The canary follows a change at once, then at most this often: a queue that drains must not be slowed by it. */
const restMs = 500;
/** How often Holdfast is asked about lost items that it could not tell of before. */
const askAgainMs = 30_000;

/**
 * What this device knows of its own list: since when it is here, whether one before it was lost, and
 * whether the browser promised to keep it.
 */
export class ListKeeper {
  readonly #parts: BrowserParts;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #timeoutMs: number;
  readonly #cookie: CanaryCookie;
  #sinceMs: number | null = null;
  #resting: (() => void) | null = null;
  #isChanged = false;
  #isAsking = false;
  #askedAtMs = 0;
  #unlisten: Unsubscribe = () => undefined;

  constructor(
    parts: BrowserParts,
    settings: { readonly name: string; readonly clock: Clock; readonly requestTimeoutMs: number },
    timer: Timer,
  ) {
    this.#parts = parts;
    this.#clock = settings.clock;
    this.#timer = timer;
    this.#timeoutMs = settings.requestTimeoutMs;
    this.#cookie = new CanaryCookie(settings.name);
  }

  /** Begins this device's list or finds it, in one step with what is to be noted of a lost one. */
  async open(): Promise<void> {
    const { queue, board } = this.#parts;
    const nowMs = this.#clock.nowMs();
    const canary = this.#cookie.read();
    const lost = canary === null ? undefined : lostListOf(canary, nowMs);
    this.#sinceMs = await queue.listSinceMs(nowMs, lost);
    const persisted = await queue.note('persisted');
    board.change({
      listSinceMs: this.#sinceMs,
      ...(typeof persisted === 'boolean' && { storagePersisted: persisted }),
    });
  }

  follow(subject: () => string | null): void {
    this.#unlisten = this.#parts.board.listen((connectivity) => this.#heard(connectivity, subject()));
    void this.ask(subject());
  }

  stop(): void {
    this.#unlisten();
    this.#resting?.();
    this.#resting = null;
  }

  /** Something was saved, or has its verdict. Nobody waits for this. */
  changed(): void {
    this.#isChanged = true;
    if (this.#resting !== null) return;
    this.#resting = this.#timer(restMs, () => {
      this.#resting = null;
      if (this.#isChanged) this.changed();
    });
    this.#isChanged = false;
    this.#write().catch(() => undefined);
  }

  /** Asks the browser to keep what is stored here, and keeps its answer. */
  async persist(): Promise<void> {
    const { board, queue } = this.#parts;
    // A promise lasts; a refusal may become one when the app is used more.
    if (board.current.storagePersisted === true) return;
    const storagePersisted = await askToPersist();
    board.change({ storagePersisted });
    if (storagePersisted !== null) await queue.changeNote('persisted', () => storagePersisted);
  }

  async read(): Promise<Saved> {
    try {
      await this.#parts.store.changeNote('eviction', (note) => {
        const lost = readLostList(note);
        return lost === null ? undefined : { ...lost, readAtMs: lost.readAtMs ?? this.#clock.nowMs() };
      });
      return { saved: true };
    } catch (error) {
      const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      return { saved: false, because: { reason: 'storage-failed', detail } };
    }
  }

  /** Asks Holdfast which of the lost ones it has. Only their own author may know, so only under them. */
  async ask(subject: string | null): Promise<void> {
    if (subject === null || this.#isAsking) return;
    this.#isAsking = true;
    const { store, transport } = this.#parts;
    try {
      const ids = idsToAsk(readLostList(await store.note('eviction')), subject);
      if (ids.length === 0) return;
      const world = {
        wire: refundWire,
        transport,
        subject,
        timeoutMs: this.#timeoutMs,
        nowMs: () => this.#clock.nowMs(),
        cancellation: neverCancelled,
      };
      const answer = await lookUp(world, ids);
      if (answer.kind === 'kept') return;
      const known = new Map([...answer.operations].map(([id, operation]) => [id, operation !== null]));
      await store.changeNote('eviction', (note) => {
        const lost = readLostList(note);
        return lost === null ? undefined : afterAsking(lost, known);
      });
    } catch {
      // Asked again with the next word from Holdfast.
    } finally {
      this.#isAsking = false;
    }
  }

  async #write(): Promise<void> {
    if (this.#sinceMs === null || typeof document === 'undefined') return;
    this.#cookie.write(canaryOf(await this.#parts.store.readOpen(), this.#sinceMs, this.#clock.nowMs()));
  }

  #heard({ holdfast, trouble, lastHeardAtMs }: Connectivity, subject: string | null): void {
    if (holdfast !== 'reached' || trouble !== null || lastHeardAtMs === null) return;
    if (Math.abs(lastHeardAtMs - this.#askedAtMs) < askAgainMs) return;
    this.#askedAtMs = lastHeardAtMs;
    void this.ask(subject);
  }
}

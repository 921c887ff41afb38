import type { Connectivity, KeptReason, Unsubscribe } from '../outbox-interface.ts';
import type { Clock } from '../ports.ts';
import { afterHearing } from '../read/connectivity-decision.ts';

type Listener = (connectivity: Connectivity) => void;

/**
 * What the tabs of one browser tell each other about the connection.
 * `feed-heard`: the sender's feed is alive. `reading`: the sender reads it, or tries to. `heard`: what came of an exchange. `who-reads`: whoever reads the feed
 * says so. `feed-wanted`: whoever reads should look now. `watching`: a screen follows what is read elsewhere.
 * `reader-left`: the feed is not read any more.
 */
export type TabWord = { readonly holder: string } & (
  | {
      readonly kind: 'feed-heard';
      readonly role?: 'holder' | 'stand-in';
      readonly by?: 'stream' | 'poll';
    }
  | { readonly kind: 'reading'; readonly role: 'holder' | 'stand-in' }
  | { readonly kind: 'heard'; readonly trouble: KeptReason | null }
  | { readonly kind: 'feed-wanted'; readonly person: boolean }
  | { readonly kind: 'who-reads' | 'watching' | 'reader-left' }
);

type OwnWord<Word = TabWord> = Word extends TabWord ? Omit<Word, 'holder'> : never;

export type BoardPorts = {
  readonly channelName: string;
  /** Names this tab. */
  readonly holder: string;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
};

/** How often what was last heard is written down. */
const rememberEveryMs = 10_000;

/** Where this tab keeps what it knows about the connection, and hears what the other tabs know. */
export class ConnectivityBoard {
  #current: Connectivity = {
    holdfast: 'unknown',
    trouble: null,
    sinceMs: null,
    lastHeardAtMs: null,
    feed: 'stopped',
    signInNeeded: false,
    storage: 'opening',
    storagePersisted: null,
    listSinceMs: null,
  };
  readonly #ports: BoardPorts;
  readonly #listeners = new Set<Listener>();
  readonly #wordListeners = new Set<(word: TabWord) => void>();
  #lastSightingMs: number | null = null;
  #channel: BroadcastChannel | null = null;
  #remember: (atMs: number) => void = () => undefined;
  #rememberedAtMs: number | null = null;

  constructor(ports: BoardPorts) {
    this.#ports = ports;
  }

  get current(): Connectivity {
    return this.#current;
  }

  /** Names this tab among the others. */
  get holder(): string {
    return this.#ports.holder;
  }

  /** When another tab last said that it reads the feed. */
  get lastSightingMs(): number | null {
    return this.#lastSightingMs;
  }

  open(): void {
    if (this.#channel !== null || typeof BroadcastChannel === 'undefined') return;
    this.#channel = new BroadcastChannel(this.#ports.channelName);
    this.#channel.onmessage = ({ data }: MessageEvent<TabWord>) => this.#told(data);
  }

  close(): void {
    this.#channel?.close();
    this.#channel = null;
  }

  /** What was known before this tab was opened, and how to write down what is heard from now on. */
  recall(lastHeardAtMs: number | null, remember: (atMs: number) => void): void {
    this.#remember = remember;
    if (this.#current.lastHeardAtMs === null && lastHeardAtMs !== null) this.change({ lastHeardAtMs });
  }

  listen(listener: Listener): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onWord(listener: (word: TabWord) => void): Unsubscribe {
    this.#wordListeners.add(listener);
    return () => this.#wordListeners.delete(listener);
  }

  say(word: OwnWord): void {
    const said = { ...word, holder: this.#ports.holder };
    this.#channel?.postMessage(said);
  }

  change(changed: Partial<Connectivity>): void {
    const isSame = Object.entries(changed).every(
      ([field, value]) => this.#current[field as keyof Connectivity] === value,
    );
    if (isSame) return;
    this.#current = { ...this.#current, ...changed };
    for (const listener of [...this.#listeners]) listener(this.#current);
  }

  /** An exchange of this tab with Holdfast: `null` when it went as it should. The other tabs hear of it. */
  heard(trouble: KeptReason | null): void {
    this.#hear(trouble);
    this.say({ kind: 'heard', trouble });
    this.#writeDown();
  }

  /** A sign of life of the feed that this tab reads. */
  feedHeard(role: 'holder' | 'stand-in', by: 'stream' | 'poll'): void {
    this.#hear(null);
    this.say({ kind: 'feed-heard', role, by });
    this.#writeDown();
  }

  #hear(trouble: KeptReason | null): void {
    const { clock, requestTimeoutMs } = this.#ports;
    this.change(afterHearing(this.#current, { trouble, nowMs: clock.nowMs(), requestTimeoutMs }));
  }

  #told(word: TabWord): void {
    if (word.holder === this.#ports.holder) return;
    if (word.kind === 'feed-heard' || word.kind === 'reading') {
      this.#lastSightingMs = this.#ports.clock.nowMs();
    }
    if (word.kind === 'feed-heard') this.#hear(null);
    if (word.kind === 'heard') this.#hear(word.trouble);
    for (const listener of [...this.#wordListeners]) listener(word);
  }

  #writeDown(): void {
    const { lastHeardAtMs } = this.#current;
    if (lastHeardAtMs === null) return;
    const sinceMs = lastHeardAtMs - (this.#rememberedAtMs ?? Number.NEGATIVE_INFINITY);
    if (sinceMs >= 0 && sinceMs < rememberEveryMs) return;
    this.#rememberedAtMs = lastHeardAtMs;
    this.#remember(lastHeardAtMs);
  }
}

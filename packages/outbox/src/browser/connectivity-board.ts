import type { Connectivity, KeptReason, Unsubscribe } from '../outbox-interface.ts';
import type { Clock } from '../ports.ts';

type Listener = (connectivity: Connectivity) => void;

/** What a tab tells the others about its stream. */
type Sighting = { readonly kind: 'feed-heard'; readonly holder: string };

/** Where this tab keeps what it knows about the connection, and hears what the tab with the stream knows. */
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
  readonly #listeners = new Set<Listener>();
  readonly #holder: string;
  readonly #sightingListeners = new Set<() => void>();
  #lastSightingMs: number | null = null;
  #channel: BroadcastChannel | null = null;
  readonly #channelName: string;
  readonly #clock: Clock;

  constructor(channelName: string, holder: string, clock: Clock) {
    this.#clock = clock;
    this.#channelName = channelName;
    this.#holder = holder;
  }

  get current(): Connectivity {
    return this.#current;
  }

  open(): void {
    if (this.#channel !== null || typeof BroadcastChannel === 'undefined') return;
    this.#channel = new BroadcastChannel(this.#channelName);
    this.#channel.onmessage = ({ data }: MessageEvent<Sighting>) => {
      if (data.kind !== 'feed-heard' || data.holder === this.#holder) return;
      this.#lastSightingMs = this.#clock.nowMs();
      for (const listener of [...this.#sightingListeners]) listener();
      this.heard(null);
    };
  }

  /** When another tab last said that its stream is alive. */
  get lastSightingMs(): number | null {
    return this.#lastSightingMs;
  }

  onSighting(listener: () => void): Unsubscribe {
    this.#sightingListeners.add(listener);
    return () => this.#sightingListeners.delete(listener);
  }

  close(): void {
    this.#channel?.close();
    this.#channel = null;
  }

  listen(listener: Listener): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(changed: Partial<Connectivity>): void {
    const isSame = Object.entries(changed).every(
      ([field, value]) => this.#current[field as keyof Connectivity] === value,
    );
    if (isSame) return;
    this.#current = { ...this.#current, ...changed };
    for (const listener of [...this.#listeners]) listener(this.#current);
  }

  /** An exchange with Holdfast: `null` when it went as it should. */
  heard(trouble: KeptReason | null): void {
    const nowMs = this.#clock.nowMs();
    // These say that nobody we know answered; the other troubles are Holdfast's own words.
    const notReached: readonly (KeptReason | null)[] = [
      'unreachable',
      'timed-out',
      'interrupted',
      'network-sign-in',
      'foreign-answer',
    ];
    const holdfast = notReached.includes(trouble) ? 'not-reached' : 'reached';
    const isChange = holdfast !== this.#current.holdfast || trouble !== this.#current.trouble;
    this.change({
      holdfast,
      trouble,
      ...(isChange && { sinceMs: nowMs }),
      ...(holdfast === 'reached' && { lastHeardAtMs: nowMs }),
    });
  }

  /** A sign of life of this tab's stream, passed on to the tabs that have none. */
  feedHeard(): void {
    this.heard(null);
    const sighting: Sighting = { kind: 'feed-heard', holder: this.#holder };
    this.#channel?.postMessage(sighting);
  }
}

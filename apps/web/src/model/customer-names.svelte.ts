import type { Outbox, Unsubscribe } from '@holdfast/outbox';

/**
 * Whose order is whose. A name is looked up once, when a row first needs it: a list of a thousand rows neither asks
 * again at each change nor reads orders that it does not show.
 */
export class CustomerNames {
  #names = $state.raw<ReadonlyMap<string, string>>(new Map());
  readonly #asked = new Set<string>();
  readonly #outbox: Outbox;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** `null` until it is known, or where this device does not know the order. */
  of(orderId: string | null): string | null {
    if (orderId === null) return null;
    const name = this.#names.get(orderId);
    if (name === undefined) this.#ask(orderId);
    return name ?? null;
  }

  #ask(orderId: string): void {
    if (this.#asked.has(orderId)) return;
    this.#asked.add(orderId);
    // Later, since whoever asks is being drawn right now and must not change what it is drawn from.
    queueMicrotask(() => {
      const stop: { watching: Unsubscribe | null; known: boolean } = { watching: null, known: false };
      stop.watching = this.#outbox.watch({ of: 'order', orderId }, (read) => {
        if (read.state !== 'ready' || stop.known) return;
        stop.known = true;
        this.#names = new Map(this.#names).set(orderId, read.value.customer.name);
        stop.watching?.();
      });
      if (stop.known) stop.watching();
    });
  }

  /** After a sign-out nothing of what the last person saw may stay in memory. */
  forget(): void {
    this.#names = new Map();
    this.#asked.clear();
  }
}

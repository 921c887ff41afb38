import type { Outbox, Unsubscribe } from '@holdfast/outbox';
import { SvelteMap } from 'svelte/reactivity';

/**
 * Whose order is whose. A name is looked up once, when a row first needs it: a list of a thousand rows neither asks
 * again at each change nor reads orders that it does not show.
 */
export class CustomerNames {
  /** `null`: asked for, not known yet. */
  readonly #names = new SvelteMap<string, string | null>();
  readonly #outbox: Outbox;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** `null` until it is known, or where this device does not know the order. */
  of(orderId: string | null): string | null {
    if (orderId === null) return null;
    const name = this.#names.get(orderId);
    // Later, since whoever asks is being drawn right now and must not change what it is drawn from.
    if (name === undefined) queueMicrotask(() => this.#ask(orderId));
    return name ?? null;
  }

  #ask(orderId: string): void {
    if (this.#names.has(orderId)) return;
    this.#names.set(orderId, null);
    const found: { stop: Unsubscribe | null; done: boolean } = { stop: null, done: false };
    found.stop = this.#outbox.watch({ of: 'order', orderId }, (read) => {
      if (read.state !== 'ready' || found.done) return;
      found.done = true;
      this.#names.set(orderId, read.value.customer.name);
      found.stop?.();
    });
    if (found.done) found.stop();
  }

  /** After a sign-out nothing of what the last person saw may stay in memory. */
  forget(): void {
    this.#names.clear();
  }
}

import type { Outbox, Unsubscribe } from '@holdfast/outbox';

/** Whose order is whose: one shared read, so that a list of a thousand rows asks once. */
export class CustomerNames {
  #names = $state.raw<ReadonlyMap<string, string>>(new Map());

  follow(outbox: Outbox): Unsubscribe {
    return outbox.watch({ of: 'orders' }, (read) => {
      if (read.state !== 'ready') return;
      this.#names = new Map(read.value.map((order) => [order.id, order.customer.name]));
    });
  }

  of(orderId: string | null): string | null {
    return orderId === null ? null : (this.#names.get(orderId) ?? null);
  }
}

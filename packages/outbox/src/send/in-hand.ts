import type { QueueStore } from '../queue/queue-store.ts';
import { scopeOfEntries } from './begin-decision.ts';
import { decideEndBatch } from './end-decision.ts';
import type { EndedBatch } from './end-decision.ts';

/**
 * What was heard and is not stored yet. While there is any, nothing more may be sent: a sender that cannot store
 * verdicts would only collect more of them. It is in memory alone, and may be: should this tab end first, the same
 * commands are asked about again and answered the same.
 */
export class InHand {
  readonly #store: QueueStore;
  readonly #ended: EndedBatch[] = [];

  constructor(store: QueueStore) {
    this.#store = store;
  }

  take(ended: EndedBatch): void {
    this.#ended.push(ended);
  }

  /** Stores all, the oldest first. Rejects with the store's error; what is not stored then stays in hand. */
  async storeAll(): Promise<void> {
    for (let [first] = this.#ended; first !== undefined; [first] = this.#ended) {
      const scope = scopeOfEntries(first.outcomes.map(({ entry }) => entry));
      await this.#store.change(scope, decideEndBatch(first));
      if (this.#ended[0] === first) this.#ended.shift();
    }
  }
}

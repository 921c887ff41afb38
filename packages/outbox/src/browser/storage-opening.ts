import type { Connectivity } from '../outbox-interface.ts';
import { createCanceller, pause } from '../ports.ts';
import type { Clock, Timer } from '../ports.ts';
import { operationsToForget } from '../queue/forget-decision.ts';
import { NewerElsewhere } from '../queue/queue-store.ts';
import type { QueueParts } from './queue-parts.ts';

export type StorageOpeningPorts = {
  readonly parts: Pick<QueueParts, 'board' | 'store' | 'database' | 'queue'>;
  /** Finds when this device's list began. */
  readonly list: { open(): Promise<void> };
  readonly clock: Clock;
  readonly timer: Timer;
  /** The queue can be used. Rejects where even that fails after all. */
  readonly usable: () => Promise<void>;
  /** The queue can be looked at only. */
  readonly forLookingOnly: () => Promise<void>;
};

/** How soon a storage that failed is tried again. */
const againMs = 3_000;

/** While storage stands so, nobody waits for it: the app opens and says so. */
const isToldAlready = ({ storage }: Connectivity): boolean =>
  storage === 'blocked' || storage === 'failed' || storage === 'read-only';

/** Opens this device's storage, however long it takes: held by an older tab, failing, or of a newer app. */
export class StorageOpening {
  readonly #ports: StorageOpeningPorts;
  readonly #stop = createCanceller();
  #checking: (() => void) | null = null;

  constructor(ports: StorageOpeningPorts) {
    this.#ports = ports;
  }

  /** Resolves as soon as it is known how storage stands; goes on by itself where it is not usable yet. */
  open(): Promise<void> {
    const { board } = this.#ports.parts;
    return new Promise((resolve) => {
      const unlisten = board.listen((connectivity) => {
        if (isToldAlready(connectivity)) resolve();
      });
      void this.#openUntilUsable().finally(() => {
        unlisten();
        resolve();
      });
    });
  }

  /** Something could not be read or stored: it is said, and taken back when storage works again. */
  troubled(): void {
    const { parts, timer } = this.#ports;
    // A newer app took the database: that says more than that we cannot use it.
    const { storage } = parts.board.current;
    if (parts.store.isForLookingOnly || storage === 'blocked' || storage === 'opening') return;
    parts.board.change({ storage: 'failed' });
    this.#checking ??= timer(againMs, () => {
      this.#checking = null;
      parts.store.read({ operationIds: [] }).then(
        () => {
          if (parts.board.current.storage === 'failed') parts.board.change({ storage: 'ready' });
        },
        () => this.troubled(),
      );
    });
  }

  stop(): void {
    this.#stop.cancel();
    this.#checking?.();
  }

  async #openUntilUsable(): Promise<void> {
    const { parts, timer, usable, forLookingOnly } = this.#ports;
    while (!this.#stop.requested) {
      try {
        await this.#openOnce();
        await usable();
        return;
      } catch (error) {
        if (error instanceof NewerElsewhere || parts.store.isForLookingOnly) {
          parts.board.change({ storage: 'read-only' });
          await forLookingOnly().catch(() => undefined);
          return;
        }
        parts.board.change({ storage: 'failed' });
        await pause(timer, againMs, this.#stop);
      }
    }
  }

  async #openOnce(): Promise<void> {
    const { parts, list, clock } = this.#ports;
    await parts.database.openQueue();
    // It may have been blocked until now.
    if (!parts.store.isForLookingOnly) parts.board.change({ storage: 'opening' });
    await list.open();
    const all = await parts.queue.rebuildOpen(clock.nowMs());
    const old = operationsToForget(all, clock.nowMs());
    // Judged once more in the step that deletes: another tab may have taken one up again meanwhile.
    if (old.length > 0) {
      await parts.queue.forget(old, (now) => operationsToForget(now, clock.nowMs()));
    }
  }
}

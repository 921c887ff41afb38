import type { Unsubscribe } from '../outbox-interface.ts';
import type { Clock } from '../ports.ts';
import type { Urgency } from '../send/send-plan.ts';
import { SendSchedule } from '../send/send-schedule.ts';
import { browserTimer } from './browser-world.ts';
import type { OfflineRest } from './offline-rest.ts';
import type { QueueParts } from './queue-parts.ts';
import { ReturnFromOutage } from './return-from-outage.ts';
import { listenForFreeze, listenForWakes, watchForTimeJumps } from './wake-triggers.ts';
import type { Wake } from './wake-triggers.ts';

export type SendingTabPorts = {
  readonly parts: Pick<QueueParts, 'sender' | 'followQueue'>;
  readonly clock: Clock;
  readonly rest: OfflineRest;
  /** The connection may be back, for whoever else uses it. `reconnect`: what is open of it is not to be trusted. */
  readonly alsoWake: (reconnect: boolean) => void;
  /** Something was saved or has its end, by whichever tab. */
  readonly queueChanged: () => void;
  readonly storageTrouble: (error: unknown) => void;
};

/** When this tab sends: what wakes it, what stops it, and what other tabs queue. */
export class SendingTab {
  readonly #ports: SendingTabPorts;
  readonly #schedule: SendSchedule;
  readonly #outage: ReturnFromOutage;
  #unlisten: Unsubscribe[] = [];

  constructor(ports: SendingTabPorts) {
    this.#ports = ports;
    const { parts, rest, alsoWake, storageTrouble } = ports;
    this.#schedule = new SendSchedule(rest.over(parts.sender), browserTimer, storageTrouble);
    this.#outage = new ReturnFromOutage(() => {
      alsoWake(true);
      void this.wake('connection-may-be-back');
    });
  }

  start(): void {
    const { clock, rest } = this.#ports;
    this.#schedule.start();
    this.#unlisten.push(
      listenForWakes(
        (because) => this.#woken(because),
        () => {
          rest.wentOffline();
          this.#outage.wentOffline();
        },
      ),
      listenForFreeze(() => this.#schedule.interrupt()),
      watchForTimeJumps(clock, () => this.#woken('back')),
      this.#followQueue(),
    );
  }

  /** Resolves when a round that began after this call is over. */
  wake(urgency: Urgency): Promise<void> {
    return this.#schedule.wake(urgency);
  }

  async stop(): Promise<void> {
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
    this.#outage.stop();
    await this.#schedule.stop();
  }

  #woken(because: Wake): void {
    if (because === 'online') {
      this.#outage.cameOnline();
      return;
    }
    if (because === 'back') this.#ports.parts.sender.lookUpFirst();
    this.#ports.alsoWake(because === 'back');
    void this.wake('connection-may-be-back');
  }

  /** What another tab queued must go out although that tab is closed. */
  #followQueue(): Unsubscribe {
    const { parts, queueChanged, storageTrouble } = this.#ports;
    return parts.followQueue({
      read: (store) => store.openIds(),
      next: () => {
        queueChanged();
        void this.wake('pauses-hold');
      },
      failed: storageTrouble,
    });
  }
}

import { createCanceller } from '../ports.ts';
import type { Canceller, Timer } from '../ports.ts';
import type { Urgency } from './send-plan.ts';
import type { RoundEnd, Sender } from './sender.ts';

const urgencies: readonly Urgency[] = ['pauses-hold', 'connection-may-be-back', 'person-asked'];

const moreUrgent = (one: Urgency | null, other: Urgency): Urgency =>
  one !== null && urgencies.indexOf(one) > urgencies.indexOf(other) ? one : other;

/** How soon after a failure of our own storage the next round is tried. */
const afterStorageTroubleMs = 5_000;

/**
 * When rounds run: one at a time in this tab, again at once when something was asked for meanwhile, else when the
 * first pause ends. A wake during a round is never lost.
 */
export class SendSchedule {
  readonly #sender: Pick<Sender, 'runRound'>;
  readonly #timer: Timer;
  readonly #storageTrouble: (error: unknown) => void;
  #stop: Canceller = createCanceller();
  #asked: Urgency | null = null;
  #running: Promise<void> | null = null;
  #stopTimer: () => void = () => undefined;
  #isStarted = false;

  constructor(sender: Pick<Sender, 'runRound'>, timer: Timer, storageTrouble: (error: unknown) => void) {
    this.#sender = sender;
    this.#timer = timer;
    this.#storageTrouble = storageTrouble;
  }

  start(): void {
    this.#stop = createCanceller();
    this.#isStarted = true;
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#stopTimer();
    this.#stop.cancel();
    await this.#running;
  }

  /** Resolves when a round that began after this call is over. */
  async wake(urgency: Urgency): Promise<void> {
    if (!this.#isStarted) return;
    this.#asked = moreUrgent(this.#asked, urgency);
    // A run that is under way looks for what was asked before it ends.
    this.#running ??= this.#runAll();
    await this.#running;
  }

  async #runAll(): Promise<void> {
    this.#stopTimer();
    let end: RoundEnd | null = null;
    let isTrouble = false;
    while (this.#asked !== null && !this.#stop.requested) {
      const urgency = this.#asked;
      this.#asked = null;
      try {
        end = await this.#sender.runRound({ urgency, cancellation: this.#stop });
        isTrouble = false;
      } catch (error) {
        isTrouble = true;
        this.#storageTrouble(error);
      }
    }
    this.#running = null;
    const nextMs = isTrouble ? afterStorageTroubleMs : (end?.nextTryInMs ?? null);
    if (nextMs === null || this.#stop.requested) return;
    this.#stopTimer = this.#timer(nextMs, () => void this.wake('pauses-hold'));
  }
}

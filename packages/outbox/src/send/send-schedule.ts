import { createCanceller } from '../ports.ts';
import type { Cancellation, Canceller, Timer } from '../ports.ts';
import type { Urgency } from './send-plan.ts';
import type { Sender } from './sender.ts';

const urgencies: readonly Urgency[] = ['pauses-hold', 'connection-may-be-back', 'person-asked'];

const moreUrgent = (one: Urgency | null, other: Urgency): Urgency =>
  one !== null && urgencies.indexOf(one) > urgencies.indexOf(other) ? one : other;

/** How soon after a round that threw the next one is tried: storage failed, or a promise of our own was broken. */
const afterThrowingMs = 5_000;

/**
 * When rounds run: one at a time in this tab, again at once when something was asked for meanwhile, else when the
 * first pause ends. A wake during a round is never lost.
 */
export class SendSchedule {
  readonly #sender: Pick<Sender, 'runRound'>;
  readonly #timer: Timer;
  readonly #threw: (error: unknown) => void;
  #run: Canceller = createCanceller();
  #asked: Urgency | null = null;
  #running: Promise<void> | null = null;
  #stopTimer: () => void = () => undefined;
  #isStarted = false;

  constructor(sender: Pick<Sender, 'runRound'>, timer: Timer, threw: (error: unknown) => void) {
    this.#sender = sender;
    this.#timer = timer;
    this.#threw = threw;
  }

  start(): void {
    this.#isStarted = true;
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#stopTimer();
    this.interrupt();
    await this.#running;
  }

  /**
   * The page is about to be frozen: the request is given up, the lock and the lease are given back while there is
   * time, and nothing more is begun. The next wake goes on.
   */
  interrupt(): void {
    this.#asked = null;
    this.#run.cancel();
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
    let nextMs: number | null = null;
    while (this.#asked !== null) {
      const urgency = this.#asked;
      this.#asked = null;
      // One for each round: what interrupts one says nothing about those that are asked for later.
      this.#run = createCanceller();
      nextMs = await this.#round(urgency, this.#run);
    }
    this.#running = null;
    if (nextMs !== null && this.#isStarted) {
      this.#stopTimer = this.#timer(nextMs, () => void this.wake('pauses-hold'));
    }
  }

  /** @returns when the next round is due; `null` when nothing waits for time */
  async #round(urgency: Urgency, cancellation: Cancellation): Promise<number | null> {
    try {
      return (await this.#sender.runRound({ urgency, cancellation })).nextTryInMs;
    } catch (error) {
      this.#threw(error);
      return afterThrowingMs;
    }
  }
}

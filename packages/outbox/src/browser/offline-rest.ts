import type { Cancellation, Chance, Clock } from '../ports.ts';
import { pauseAfter } from '../send/backoff.ts';
import type { PauseLimits } from '../send/backoff.ts';
import type { Reach } from '../send/reach-probe.ts';
import type { RoundEnd, Sender } from '../send/sender.ts';

type Runs = Pick<Sender, 'runRound'>;

export type OfflineRestPorts = {
  /** Whether anybody answers, asked without sending anything of the queue. */
  readonly probe: (cancellation: Cancellation) => Promise<Reach>;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly pauses: PauseLimits;
  readonly saysOffline?: () => boolean;
};

const browserSaysOffline = (): boolean => globalThis.navigator?.onLine === false;

const rested = (nextTryInMs: number | null): RoundEnd => ({ kind: 'rested', sent: 0, nextTryInMs });

/**
 * While the browser says that there is no network, nothing is begun by itself: so what is taken back meanwhile was
 * never sent, and needs no word to anybody. But a browser may say so wrongly, for hours: so somebody is asked, at
 * growing pauses of a minute at most, and any answer ends the rest. A person's own
 * tap goes out whatever the browser says.
 */
export class OfflineRest {
  #isHeard = false;
  /** The probes in a row that nobody answered. */
  #silences = 0;
  #lastProbe: { readonly atMs: number; readonly pauseMs: number } | null = null;
  readonly #ports: OfflineRestPorts;

  constructor(ports: OfflineRestPorts) {
    this.#ports = ports;
  }

  /** Holdfast was heard, whatever the browser says of its network. */
  heard(): void {
    this.#isHeard = true;
  }

  /** The feed is up to date: by what may have come before the browser lost its network, so it says nothing against it. */
  feedIsLive(): void {
    const { saysOffline = browserSaysOffline } = this.#ports;
    if (!saysOffline()) this.#isHeard = true;
  }

  wentOffline(): void {
    this.#isHeard = false;
    this.#silences = 0;
    this.#lastProbe = null;
  }

  over(sender: Runs): Runs {
    return {
      runRound: async (options) => {
        const { saysOffline = browserSaysOffline } = this.#ports;
        if (!saysOffline() || this.#isHeard || options.urgency === 'person-asked') {
          return sender.runRound(options);
        }
        const untilProbeMs = this.#untilProbeMs();
        if (untilProbeMs > 0) return rested(untilProbeMs);
        const reach = await this.#ports.probe(options.cancellation);
        // What is queued next wakes it.
        if (reach === 'nothing-waits') return rested(null);
        if (reach === 'silent' && !this.#isHeard) return rested(this.#pauseAfterSilence());
        if (reach === 'heard') this.heard();
        return sender.runRound(options);
      },
    };
  }

  #untilProbeMs(): number {
    if (this.#lastProbe === null) return 0;
    const sinceMs = this.#ports.clock.nowMs() - this.#lastProbe.atMs;
    // A clock that was set back must not make the pause longer.
    return sinceMs < 0 ? 0 : this.#lastProbe.pauseMs - sinceMs;
  }

  #pauseAfterSilence(): number {
    const { clock, chance, pauses } = this.#ports;
    this.#silences += 1;
    const pauseMs = Math.max(pauses.firstMs, pauseAfter(this.#silences, chance(), null, pauses));
    this.#lastProbe = { atMs: clock.nowMs(), pauseMs };
    return pauseMs;
  }
}

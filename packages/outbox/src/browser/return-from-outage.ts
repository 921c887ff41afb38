import { returnDelayMs } from '../send/return-spread.ts';
import { browserChance, browserClock, browserTimer } from './browser-world.ts';

/** All devices around hear at once that the network is back, so each waits its share before it uses it. */
export class ReturnFromOutage {
  readonly #returned: () => void;
  #offlineSinceMs: number | null = null;
  #stopWaiting: () => void = () => undefined;

  constructor(returned: () => void) {
    this.#returned = returned;
  }

  wentOffline(): void {
    this.#stopWaiting();
    this.#offlineSinceMs ??= browserClock.nowMs();
  }

  cameOnline(): void {
    const nowMs = browserClock.nowMs();
    const outForMs = nowMs - (this.#offlineSinceMs ?? nowMs);
    this.#offlineSinceMs = null;
    this.#stopWaiting();
    this.#stopWaiting = browserTimer(returnDelayMs(outForMs, browserChance()), this.#returned);
  }

  stop(): void {
    this.#stopWaiting();
  }
}

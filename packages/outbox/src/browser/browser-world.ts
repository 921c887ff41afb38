import { mintOperationId } from '@holdfast/operation';
import type { Cancellation, Chance, Clock, MintId, Timer } from '../ports.ts';

export const browserClock: Clock = { nowMs: () => Date.now() };

/** From the browser's cryptographic source; where it is missing this throws, since a guessable ID may collide. */
export const mintIdBy =
  (clock: Clock): MintId =>
  () =>
    mintOperationId(clock.nowMs(), crypto.getRandomValues(new Uint8Array(10)));

export const browserMintId: MintId = mintIdBy(browserClock);

export const browserChance: Chance = () => {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
  return value / 2 ** 32;
};

export const browserTimer: Timer = (afterMs, fire) => {
  const handle = setTimeout(fire, afterMs);
  return () => clearTimeout(handle);
};

/** A signal for `fetch` that follows a cancellation. Call `release` when the request is over. */
export const signalOf = (
  cancellation: Cancellation,
): { controller: AbortController; release: () => void } => {
  const controller = new AbortController();
  const release = cancellation.onRequested(() => controller.abort());
  return { controller, release };
};

import { mintOperationId } from '@holdfast/operation/id';
import type { Cancellation, Chance, Clock, MintId, Timer } from '../ports.ts';

export const browserClock: Clock = { nowMs: () => Date.now() };

/** From the browser's cryptographic source; where it is missing this throws, since a guessable ID may collide. */
export const mintIdBy =
  (clock: Clock): MintId =>
  () =>
    mintOperationId(clock.nowMs(), crypto.getRandomValues(new Uint8Array(10)));

export const browserMintId: MintId = mintIdBy(browserClock);

/** Names this tab or worker in leases and messages. It need not be safe: a name met twice costs a request, no more. */
export const browserHolder = (): string => {
  try {
    return browserMintId();
  } catch {
    return `without-chance-${performance.timeOrigin}-${performance.now()}`;
  }
};

/** Only spreads pauses, so where the browser has no source of chance the middle will do. */
export const browserChance: Chance = () => {
  if (typeof globalThis.crypto?.getRandomValues !== 'function') return 0.5;
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

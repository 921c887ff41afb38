/** What time it is for everything shown on the page: one clock, so that all relative times move together. */
let deviceNowMs = (): number => Date.now();
let now = $state(Date.now());

/** Which clock that is, where it is not the browser's own: the demo may set it wrong. */
export const followDeviceClock = (clock: () => number): void => {
  deviceNowMs = clock;
  now = clock();
};

export const startClock = (): (() => void) => {
  const timer = setInterval(() => (now = deviceNowMs()), 1_000);
  return () => clearInterval(timer);
};

/** Milliseconds since the epoch by this device's clock, coarse to a second. Reading it in a component follows it. */
export const nowMs = (): number => now;

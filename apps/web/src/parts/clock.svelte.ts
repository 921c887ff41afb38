/** What time it is for everything shown on the page: one clock, so that all relative times move together. */
let now = $state(Date.now());

export const startClock = (): (() => void) => {
  const timer = setInterval(() => (now = Date.now()), 1_000);
  return () => clearInterval(timer);
};

/** Milliseconds since the epoch by this device's clock, coarse to a second. Reading it in a component follows it. */
export const nowMs = (): number => now;

import type { ProcessClock } from '../worker/worker-ports.ts';

export const processClock: ProcessClock = {
  nowMs: () => Date.now(),
  pause: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    }),
};

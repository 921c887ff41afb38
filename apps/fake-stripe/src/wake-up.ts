import type { World } from './world.ts';

/** A timer cannot be set for longer than 2^31 ms, and the clock may be moved meanwhile. */
const longestNapMs = 60 * 60 * 1000;

export interface WakeUp {
  stop(): void;
}

/**
 * Runs `work` whenever the ledger changed (once for a burst of changes) and when the time comes that `work`
 * answered with. Null means that nothing is planned.
 */
export function wakeUpFor(world: World, work: () => number | null): WakeUp {
  let timer: NodeJS.Timeout | undefined;
  let asked = false;
  let stopped = false;

  function run(): void {
    asked = false;
    if (stopped) return;
    clearTimeout(timer);
    const nextMs = work();
    if (nextMs === null) return;
    const napMs = Math.min(Math.max(0, nextMs - world.nowMs()), longestNapMs);
    timer = setTimeout(run, napMs);
  }

  function ask(): void {
    if (asked) return;
    asked = true;
    setImmediate(run);
  }

  world.whenChanged(ask);
  ask();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

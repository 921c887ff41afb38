import { describe, expect, it, vi } from 'vitest';
import { takeTurns } from './take-turns.ts';

describe('turns in the background', () => {
  it('come one after another, each after the pause that the one before it asked for', async () => {
    vi.useFakeTimers();
    try {
      const pauses = [1_000, 10, 50];
      const times: number[] = [];
      const began = Date.now();
      const stop = takeTurns(500, () => {
        times.push(Date.now() - began);
        return Promise.resolve(pauses[times.length - 1] ?? 1_000_000);
      });
      await vi.advanceTimersByTimeAsync(2_000);
      expect(times).toEqual([500, 1_500, 1_510, 1_560]);
      await stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it('end with a stop that cuts a pause short, waits for what is under way, and takes no further one', async () => {
    let turns = 0;
    const stopInAPause = takeTurns(3_600_000, () => Promise.resolve((turns += 1)));
    await stopInAPause();
    expect(turns).toBe(0);

    const heard: boolean[] = [];
    let finish: () => void = () => undefined;
    const begun = new Promise<() => Promise<void>>((resolve) => {
      const stop = takeTurns(0, async (stopped) => {
        resolve(stop);
        await new Promise<void>((done) => (finish = done));
        heard.push(stopped());
        return 0;
      });
    });
    const ending = (await begun)();
    finish();
    await ending;
    expect(heard).toEqual([true]);
  });
});

import { describe, expect, it } from 'vitest';
import { FlakyWorld } from './flaky/flaky-world.ts';

/** Fewer, or more, by hand. */
const runCount = Number(process.env['HOLDFAST_FLAKY_RUNS'] ?? 10_000);

const failureOf = async (seed: number): Promise<string | null> => {
  try {
    await new FlakyWorld(seed).live();
    return null;
  } catch (error) {
    return `seed ${String(seed)}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
};

describe('no locks, two tabs and a worker that all send, and everything goes wrong', () => {
  // Red when: an entry ends on anything but a verdict, a lost history is not told again, a cancellation of what may
  // have been sent drops it, a changed proposal goes before the cancellation was heard, or a sent item looks unsent.
  it('ten thousand lives: one operation for each intent, nothing vanishes, no word is too strong', async () => {
    const failures: string[] = [];
    for (let seed = 1; seed <= runCount && failures.length < 5; seed += 1) {
      const failure = await failureOf(seed);
      if (failure !== null) failures.push(failure);
    }
    expect(failures).toEqual([]);
  }, 600_000);
});

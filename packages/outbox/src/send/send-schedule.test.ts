import { describe, expect, it } from 'vitest';
import type { Cancellation } from '../ports.ts';
import { SendSchedule } from './send-schedule.ts';
import type { RoundEnd } from './sender.ts';

const world = () => {
  const rounds: { cancellation: Cancellation; end: (nextTryInMs: number | null) => void }[] = [];
  const timers: { afterMs: number; fire: () => void }[] = [];
  const sender = {
    runRound: ({ cancellation }: { cancellation: Cancellation }): Promise<RoundEnd> =>
      new Promise((resolve) => {
        const end = (nextTryInMs: number | null) => resolve({ kind: 'rested', sent: 0, nextTryInMs });
        cancellation.onRequested(() => end(null));
        rounds.push({ cancellation, end });
      }),
  };
  const timer = (afterMs: number, fire: () => void) => {
    timers.push({ afterMs, fire });
    return () => undefined;
  };
  const schedule = new SendSchedule(sender, timer, () => undefined);
  schedule.start();
  return { schedule, rounds, timers };
};

describe('a page that is about to be frozen', () => {
  // Red when: `interrupt` does not cancel the round, or cancels those after it too, or keeps what was asked before.
  it('gives up its round at once, begins no other, and goes on with the next wake', async () => {
    const { schedule, rounds, timers } = world();
    const first = schedule.wake('pauses-hold');
    void schedule.wake('person-asked');
    schedule.interrupt();
    expect(rounds[0]?.cancellation.requested).toBe(true);
    await first;
    expect(rounds).toHaveLength(1);
    const second = schedule.wake('connection-may-be-back');
    expect(rounds[1]?.cancellation.requested).toBe(false);
    rounds[1]?.end(5_000);
    await second;
    expect(timers.map(({ afterMs }) => afterMs)).toEqual([5_000]);
  });
});

import { describe, expect, it } from 'vitest';
import { followRead } from '../src/browser/followed-read.ts';
import type { FollowPorts } from '../src/browser/followed-read.ts';
import type { StorageChange, Stores } from '../src/browser/storage-changes.ts';

// Red when: it listens only after its first answer (a change during the first read is lost, and a screen stands
// still), stops following after a foreign promise, or begins a read for each of many changes.

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** A store of one number, its changes, and a clock that only the test moves. */
const world = () => {
  const listeners = new Set<(touched: StorageChange) => void>();
  const timers: { dueMs: number; fire: () => void }[] = [];
  let nowMs = 0;
  const ports: FollowPorts = {
    changes: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    timer: (afterMs, fire) => {
      const timer = { dueMs: nowMs + afterMs, fire };
      timers.push(timer);
      return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1));
    },
    elapsedMs: () => nowMs,
  };
  return {
    ports,
    change: (name: Stores) => {
      for (const listener of listeners) listener((stores) => stores === name);
    },
    pass: async (ms: number) => {
      nowMs += ms;
      for (const timer of timers.filter(({ dueMs }) => dueMs <= nowMs)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.fire();
      }
      await settle();
    },
    listeners,
  };
};

describe('a followed read', () => {
  it('is begun anew when what it has already looked at changes before it has answered, the first time too', async () => {
    const { ports, change } = world();
    let stored = 1;
    const told: number[] = [];
    let answer = (): void => undefined;
    followRead(ports, {
      read: async (look) => {
        look('numbers');
        const found = stored;
        await new Promise<void>((resolve) => (answer = resolve));
        return found;
      },
      next: (value) => told.push(value),
      failed: () => undefined,
    });
    stored = 2;
    change('numbers');
    answer();
    await settle();
    answer();
    await settle();
    expect(told).toEqual([1, 2]);
  });

  it('follows what it looks at after other things it waited for, and nothing that it never looked at', async () => {
    const { ports, change } = world();
    let reads = 0;
    followRead(ports, {
      read: async (look) => {
        look('first');
        await new Promise<void>((resolve) => queueMicrotask(resolve));
        look('second');
        reads += 1;
        return Promise.resolve();
      },
      next: () => undefined,
      failed: () => undefined,
    });
    await settle();
    change('third');
    await settle();
    expect(reads).toBe(1);
    change('second');
    await settle();
    expect(reads).toBe(2);
    change('first');
    await settle();
    expect(reads).toBe(3);
  });

  it('makes one read of many changes, and a slow one rests before it', async () => {
    const { ports, change, pass } = world();
    let reads = 0;
    let answer = (): void => undefined;
    followRead(ports, {
      read: (look) => {
        look('numbers');
        reads += 1;
        return new Promise<void>((resolve) => (answer = resolve));
      },
      next: () => undefined,
      failed: () => undefined,
    });
    for (let count = 0; count < 50; count += 1) change('numbers');
    await pass(400);
    answer();
    await settle();
    expect(reads).toBe(1);
    change('numbers');
    await pass(799);
    expect(reads).toBe(1);
    await pass(1);
    expect(reads).toBe(2);
    answer();
    await settle();
    change('numbers');
    await settle();
    expect(reads).toBe(3);
  });

  it('comes back by itself after a failure, and says it from the second in a row on', async () => {
    const { ports, pass } = world();
    const said: unknown[] = [];
    const failures = [new Error('changing hands'), new Error('away'), new Error('still away')];
    followRead(ports, {
      read: () => {
        const failure = failures.shift();
        return failure ? Promise.reject(failure) : Promise.resolve('back');
      },
      next: (value) => said.push(value),
      failed: (error) => said.push(error instanceof Error ? error.message : error),
    });
    await settle();
    expect(said).toEqual([]);
    await pass(100);
    expect(said).toEqual(['away']);
    await pass(1_000);
    await pass(1_000);
    expect(said).toEqual(['away', 'still away', 'back']);
  });

  it('tells nothing once nobody follows it', async () => {
    const { ports, change, pass, listeners } = world();
    const told: unknown[] = [];
    let answer = (): void => undefined;
    const stop = followRead(ports, {
      read: (look) => {
        look('numbers');
        return new Promise<void>((resolve) => (answer = resolve));
      },
      next: (value) => told.push(value),
      failed: (error) => told.push(error),
    });
    change('numbers');
    stop();
    answer();
    await pass(10_000);
    expect(told).toEqual([]);
    expect(listeners.size).toBe(0);
  });
});

import { expect, test } from 'vitest';
import { runMany } from '../src/run/many-histories.ts';
import { createSharedDatabase, type Outcome } from '../src/simulation.ts';

/** Of one processor's time. */
const enoughMs = 45_000;

const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

// Red when: a history that nobody has lived before breaks a promise. What it says lives the same ones again.
test('nothing wrong happens in histories that nobody has lived before', async () => {
  const from = Math.floor(Date.now() / 1_000) % 1_000_000_000;
  const beganMs = usedMs();
  const broken: string[] = [];
  const { histories } = await runMany(await createSharedDatabase(), {
    ...{ from, by: 1, nowMs: () => performance.now() },
    goesOn: () => usedMs() - beganMs < enoughMs,
    onProgress: () => undefined,
    onViolation: ({ plan, violation }: Outcome) => {
      broken.push(
        `pnpm sim --seed ${String(plan.seed)}: ${String(violation?.kind)}: ${String(violation?.message)}`,
      );
      return Promise.resolve(true);
    },
  });
  process.stdout.write(`lived: pnpm sim --seeds ${String(histories)} --from ${String(from)}\n`);
  expect(broken).toEqual([]);
  expect(histories).toBeGreaterThan(10);
}, 900_000);

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runMany } from '../src/run/many-histories.ts';
import { livedThrough } from '../src/run/many-jobs.ts';
import { createSharedDatabase } from '../src/simulation.ts';

const command = path.resolve(import.meta.dirname, '../src/run/command-line.ts');

// Red when: a process lives seeds of another, or what one of them came to is left out of the whole.
test('several processes live the very histories that one lives, each once', async () => {
  const given = ['--seeds', '4', '--from', '1', '--jobs', '2'];
  const [{ stdout }, alone] = await Promise.all([
    promisify(execFile)(process.execPath, [command, ...given]),
    runMany(await createSharedDatabase(), {
      ...{ from: 1, by: 1, nowMs: () => 0, goesOn: (histories: number) => histories < 4 },
      onProgress: () => undefined,
      onViolation: () => Promise.resolve(true),
    }),
  ]);
  const [told, end] = stdout.trim().split('\n').slice(-2);
  expect(told).toContain('4 histories');
  expect(told).toContain(`${(alone.steps / 4).toFixed(1)} steps`);
  expect(end).toContain('seeds 1 to 4');
  for (const [what, times] of alone.reached) expect(end).toContain(`${what} ${String(times)}`);
});

test('a run says no more seeds than each of its processes has lived', () => {
  expect(livedThrough(10, [{ histories: 3 }, { histories: 3 }])).toBe(15);
  // The first has lived 10, 12, 14; the second only 11.
  expect(livedThrough(10, [{ histories: 3 }, { histories: 1 }])).toBe(12);
  expect(livedThrough(10, [{ histories: 0 }, { histories: 2 }])).toBe(9);
});

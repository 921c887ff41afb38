import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runMany } from '../src/run/many-histories.ts';
import { createSharedDatabase, type Outcome } from '../src/simulation.ts';

const histories = 150;
const packages = path.resolve(import.meta.dirname, '../..');

/** The first seed of this state of the code: another one with every change of it, and the same wherever it is run. */
const firstSeed = async (): Promise<number> => {
  const hash = createHash('sha256');
  const entries = await readdir(packages, { recursive: true, withFileTypes: true });
  const sources = entries
    .map(({ parentPath, name }) => path.relative(packages, path.join(parentPath, name)).split(path.sep))
    .filter((parts) => parts[1] === 'src' && /\.(?:ts|sql)$/.test(parts.at(-1) ?? ''))
    .map((parts) => parts.join('/'))
    .toSorted();
  for (const source of sources) hash.update(source).update(await readFile(path.join(packages, source)));
  return hash.digest().readUInt32BE() % 1_000_000_000;
};

// Red when: a history that nobody has lived before breaks a promise. What it says lives the same ones again.
test('nothing wrong happens in histories that nobody has lived before this state of the code', async () => {
  const from = await firstSeed();
  const broken: string[] = [];
  const lived = await runMany(await createSharedDatabase(), {
    ...{ from, by: 1, nowMs: () => performance.now() },
    goesOn: (count) => count < histories,
    onProgress: () => undefined,
    onViolation: ({ plan, violation }: Outcome) => {
      broken.push(
        `pnpm sim --seed ${String(plan.seed)}: ${String(violation?.kind)}: ${String(violation?.message)}`,
      );
      return Promise.resolve(true);
    },
  });
  process.stdout.write(`lived: pnpm sim --seeds ${String(lived.histories)} --from ${String(from)}\n`);
  expect(broken).toEqual([]);
  expect(lived.histories).toBe(histories);
}, 900_000);

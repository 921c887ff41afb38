import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runMany } from '../src/run/many-histories.ts';
import { createSharedDatabase, type Outcome } from '../src/simulation.ts';

/** In all parts together. */
const histories = 1_000;
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

/** Lives this part of them. @returns what was broken, each with the line that lives it again */
export const liveFresh = async (part: number, parts: number): Promise<readonly string[]> => {
  const from = (await firstSeed()) + part - 1;
  const broken: string[] = [];
  const share = histories / parts;
  const lived = await runMany(await createSharedDatabase(), {
    ...{ from, by: parts, nowMs: () => performance.now() },
    goesOn: (count) => count < share,
    onProgress: () => undefined,
    onViolation: ({ plan, violation }: Outcome) => {
      broken.push(
        `pnpm sim --seed ${String(plan.seed)}: ${String(violation?.kind)}: ${String(violation?.message)}`,
      );
      return Promise.resolve(true);
    },
  });
  process.stdout.write(
    `lived ${String(lived.histories)} seeds: each ${String(parts)}. one from ${String(from)} on\n`,
  );
  return lived.histories === share ? broken : [...broken, `only ${String(lived.histories)} were lived`];
};

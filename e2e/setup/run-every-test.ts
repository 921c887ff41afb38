import { spawn } from 'node:child_process';
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { slowest, toldByPlaywright, toldByVitest, toldIn, type Told } from './briefly.ts';
import { findChromium } from './find-chromium.ts';

/** Where the steps leave what they found, so that the end of the printout can name what is red and what is slow. */
const reportOf = (name: string): string =>
  path.join(tmpdir(), `holdfast-${String(process.pid)}-${name}.json`);
const [vitestReport, playwrightReport] = [reportOf('vitest'), reportOf('playwright')];

/** By itself vitest would leave one of two cores to its own process, which only waits while tests run. */
const testProcesses = Math.max(2, availableParallelism() - 1);

type Step = {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly told?: () => Promise<Told>;
};

/**
 * What `pnpm test` runs, in this order: the cheap and telling first. Every step runs, so one red step hides no other.
 * What stands together runs together: the checks need nothing but a processor, the tests beside them often wait.
 */
const steps: readonly (readonly Step[])[] = [
  [
    {
      name: 'unit, property, integration',
      command: 'vitest',
      arguments: [
        ...['run', `--maxWorkers=${String(testProcesses)}`],
        ...['--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`],
      ],
      told: () => toldIn(vitestReport, toldByVitest),
    },
    { name: 'types, lint, format', command: 'pnpm', arguments: ['run', 'check'] },
  ],
  [{ name: 'web build', command: 'pnpm', arguments: ['--filter', '@holdfast/web', 'run', 'build'] }],
  [
    {
      name: 'end to end',
      command: 'playwright',
      arguments: ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'],
      told: () => toldIn(playwrightReport, toldByPlaywright),
    },
  ],
];

const root = path.resolve(import.meta.dirname, '../..');

const startOf = (step: Step, chromium: string, output: 'inherit' | 'pipe') =>
  spawn(step.command, step.arguments, {
    cwd: root,
    stdio: ['ignore', output, output],
    env: { ...process.env, CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport },
  });

type Result = { readonly name: string; readonly code: number; readonly seconds: number; readonly told: Told };

const resultOf = async (step: Step, child: ReturnType<typeof startOf>): Promise<Result> => {
  const begin = performance.now();
  const code = await new Promise<number>((resolve) => {
    child.on('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      resolve(127);
    });
    child.on('close', (ended) => resolve(ended ?? 1));
  });
  const seconds = (performance.now() - begin) / 1000;
  return { name: step.name, code, seconds, told: (await step.told?.()) ?? { red: [], files: [] } };
};

const titleOf = (step: Step): string => `\n── ${step.name}\n`;

/** Leaves the processor to those it runs beside, and prints what it said when it is through. */
const runBeside = async (step: Step, chromium: string): Promise<Result> => {
  const child = startOf(step, chromium, 'pipe');
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const result = await resultOf(step, child);
  process.stdout.write(`${titleOf(step)}${said}`);
  return result;
};

const conclude = (results: readonly Result[]): number => {
  process.stdout.write('\n');
  for (const { name, because } of results.flatMap(({ told }) => told.red)) {
    process.stdout.write(`RED  ${name}\n    ${because}\n`);
  }
  for (const { name, seconds } of slowest(
    results.flatMap(({ told }) => told.files),
    10,
  )) {
    process.stdout.write(
      `slow    ${path.relative(root, path.resolve(root, 'e2e', name))}  (${seconds.toFixed(0)} s)\n`,
    );
  }
  for (const result of results) {
    process.stdout.write(
      `${result.code === 0 ? 'passed' : 'FAILED'}  ${result.name}  (${result.seconds.toFixed(0)} s)\n`,
    );
  }
  const failed = results.filter((result) => result.code !== 0).length;
  process.stdout.write(`steps: ${results.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
};

const main = async (): Promise<number> => {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 22) {
    process.stderr.write(
      `The tests need Node 22 or newer; this is ${process.version}. Install a newer Node and start again.\n`,
    );
    return 1;
  }
  const chromium = findChromium();
  const { buildPrograms } = await import('./build-programs.ts');
  const removePrograms = await buildPrograms();
  const results: Result[] = [];
  for (const [first, ...others] of steps) {
    if (first === undefined) continue;
    const meanwhile = others.map((step) => runBeside(step, chromium));
    process.stdout.write(titleOf(first));
    results.push(
      await resultOf(first, startOf(first, chromium, 'inherit')),
      ...(await Promise.all(meanwhile)),
    );
  }
  await removePrograms();
  return conclude(results);
};

process.exitCode = await main();

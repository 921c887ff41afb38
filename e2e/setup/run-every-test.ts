import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { redInPlaywright, redInVitest, redTestsIn, type RedTest } from './briefly.ts';
import { findChromium } from './find-chromium.ts';

/** Where the steps leave what they found, so that the end of the printout can name what is red. */
const reportOf = (name: string): string =>
  path.join(tmpdir(), `holdfast-${String(process.pid)}-${name}.json`);
const [vitestReport, playwrightReport] = [reportOf('vitest'), reportOf('playwright')];

/** What `pnpm test` runs, in this order: the cheap and telling first. Every step runs, so one red step hides no other. */
const steps: readonly {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly string[];
  readonly red?: () => Promise<readonly RedTest[]>;
}[] = [
  { name: 'types, lint, format', command: 'pnpm', arguments: ['run', 'check'] },
  {
    name: 'unit, property, integration',
    command: 'vitest',
    arguments: ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`],
    red: () => redTestsIn(vitestReport, redInVitest),
  },
  { name: 'web build', command: 'pnpm', arguments: ['--filter', '@holdfast/web', 'run', 'build'] },
  {
    name: 'end to end',
    command: 'playwright',
    arguments: ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'],
    red: () => redTestsIn(playwrightReport, redInPlaywright),
  },
];

const root = path.resolve(import.meta.dirname, '../..');

const runStep = (command: string, commandArguments: readonly string[], chromium: string): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(command, commandArguments, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport },
    });
    child.on('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      resolve(127);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });

const main = async (): Promise<number> => {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 22) {
    process.stderr.write(
      `The tests need Node 22 or newer; this is ${process.version}. Install a newer Node and start again.\n`,
    );
    return 1;
  }
  const chromium = findChromium();
  const results: { name: string; code: number; seconds: number; red: readonly RedTest[] }[] = [];
  for (const step of steps) {
    process.stdout.write(`\n── ${step.name}\n`);
    const begin = performance.now();
    const code = await runStep(step.command, step.arguments, chromium);
    const seconds = (performance.now() - begin) / 1000;
    results.push({ name: step.name, code, seconds, red: (await step.red?.()) ?? [] });
  }
  process.stdout.write('\n');
  for (const { name, because } of results.flatMap(({ red }) => red)) {
    process.stdout.write(`RED  ${name}\n    ${because}\n`);
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

process.exitCode = await main();

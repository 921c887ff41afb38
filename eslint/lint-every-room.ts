import { spawn } from 'node:child_process';
import path from 'node:path';

/**
 * One process a room: the rules that need types hold a whole program in memory for each of a room's settings, and
 * all rooms together need more of it than a small machine has.
 */
const rooms = [
  ['eslint', 'eslint.config.js', 'vitest.config.ts'],
  ['packages/operation'],
  ['packages/providers'],
  ['packages/engine'],
  ['packages/outbox'],
  ['packages/assistant'],
  ['packages/simulation'],
  ['apps/server'],
  ['apps/fake-stripe'],
  ['apps/fake-providers'],
  ['apps/web'],
  ['e2e'],
  ['bench'],
];

const root = path.resolve(import.meta.dirname, '..');
/** As many at once as two cores and a few gigabytes carry. */
const lanes = 2;

const lint = (room: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn('eslint', ['--no-warn-ignored', ...room], { cwd: root, stdio: 'inherit' });
    child.on('error', () => {
      resolve(false);
    });
    child.on('close', (code) => {
      resolve(code === 0);
    });
  });

const waiting = rooms.values();
const lane = async (): Promise<boolean> => {
  let clean = true;
  for (const room of waiting) clean = (await lint(room)) && clean;
  return clean;
};

const answers = await Promise.all(Array.from({ length: lanes }, lane));
process.exitCode = answers.every(Boolean) ? 0 : 1;

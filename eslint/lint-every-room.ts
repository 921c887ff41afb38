import { spawnSync } from 'node:child_process';
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
  ['apps/server'],
  ['apps/fake-stripe'],
  ['apps/web'],
  ['e2e'],
];

const root = path.resolve(import.meta.dirname, '..');
let failed = false;
for (const room of rooms) {
  const { status } = spawnSync('eslint', ['--no-warn-ignored', ...room], { cwd: root, stdio: 'inherit' });
  if (status !== 0) failed = true;
}
process.exitCode = failed ? 1 : 0;

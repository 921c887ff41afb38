import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { underLock } from '../embedded-postgres/folder-lock.ts';
import { repositoryFolder } from '../settings/repository-folder.ts';
import { StartProblem } from '../settings/start-problem.ts';
import type { StaticFolders } from '../http/static-files.ts';

const webFolder = path.join(repositoryFolder, 'apps', 'web');
const longestBuildMs = 600_000;
const buildFolder = path.join(webFolder, 'dist');

/** What the web app is built from. */
const sources = [
  ...[
    'src',
    'public',
    'index.html',
    'vite.config.ts',
    'building',
    'svelte.config.js',
    'package.json',
    'tsconfig.json',
  ].map((name) => path.join(webFolder, name)),
  path.join(repositoryFolder, 'packages', 'operation', 'src'),
  path.join(repositoryFolder, 'packages', 'outbox', 'src'),
];

const isTest = (name: string): boolean => name.includes('.test.');

const newestChange = async (file: string): Promise<number> => {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const names = (await readdir(file)).filter((name) => !isTest(name) && name !== 'node_modules');
  // The folder's own time shows a file that was taken away.
  const times = await Promise.all(names.map((name) => newestChange(path.join(file, name))));
  return Math.max(found.mtimeMs, ...times);
};

/** True when the build is missing or older than something it is built from. */
export const isStale = async (): Promise<boolean> => {
  const built = await stat(path.join(buildFolder, 'index.html')).catch(() => undefined);
  if (built === undefined) return true;
  const times = await Promise.all(sources.map(newestChange));
  return Math.max(...times) > built.mtimeMs;
};

export const staticFolders = (dataFolder: string): StaticFolders => ({
  current: buildFolder,
  previous: path.join(dataFolder, 'previous-web-build'),
});

/** Keeps the parts of the build that is about to be replaced: tabs that are open go on with them. */
const keepPrevious = async (dataFolder: string): Promise<void> => {
  const assets = path.join(buildFolder, 'assets');
  if (!existsSync(assets)) return;
  const kept = staticFolders(dataFolder).previous;
  await rm(kept, { recursive: true, force: true });
  await mkdir(kept, { recursive: true });
  await cp(assets, path.join(kept, 'assets'), { recursive: true });
};

const viteBinary = (): string | undefined =>
  [webFolder, repositoryFolder]
    .map((folder) => path.join(folder, 'node_modules', '.bin', 'vite'))
    .find((file) => existsSync(file));

const runVite = (binary: string): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(binary, ['build', '--logLevel', 'warn'], {
      cwd: webFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    let output = '';
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve({ code, output });
    });
  });

const build = async (dataFolder: string): Promise<void> => {
  const binary = viteBinary();
  if (binary === undefined) {
    throw new StartProblem('The web app cannot be built: vite is not installed.', 'Run `pnpm install`.');
  }
  await keepPrevious(dataFolder);
  const { code, output } = await runVite(binary);
  if (code === 0) return;
  const lastWords = output.trim().split('\n').slice(-12).join(' / ');
  throw new StartProblem(`The web app could not be built: ${lastWords}`, 'Mend that and start again.');
};

/**
 * Builds the web app where its sources are newer than its build. Starts at the same time build it once.
 * @throws StartProblem with the builder's last words
 */
export const buildWebWhenStale = async (dataFolder: string, say: (line: string) => void): Promise<void> => {
  if (!existsSync(path.join(webFolder, 'index.html')) || !(await isStale())) return;
  say('Building the web app …');
  const lock = path.join(repositoryFolder, 'node_modules', '.holdfast-web-build.lock');
  await underLock(lock, async () => ((await isStale()) ? build(dataFolder) : undefined), longestBuildMs);
};

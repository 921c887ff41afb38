import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import { readSettings } from '../settings/settings.ts';
import { repositoryFolder } from '../settings/repository-folder.ts';
import { launchers, watchLaunchers } from './launchers.ts';
import { buildWebWhenStale } from './web-build.ts';

const serverProgram = path.join(import.meta.dirname, 'start.ts');
const webFolder = path.join(repositoryFolder, 'apps', 'web');

const run = (command: string, programArguments: readonly string[], folder: string): ChildProcess =>
  spawn(command, [...programArguments], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });

/** Both processes lead groups of their own, so that Ctrl-C reaches them once, from here. */
const endGroup = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGTERM');
  await ended;
};

/**
 * For development: starts the server anew when its sources change and builds the web app as they change. The embedded
 * database is held open here, so that it outlives those restarts.
 */
export const watch = async (): Promise<void> => {
  const settings = readSettings(process.env);
  const database =
    settings.databaseUrl === undefined ? await startEmbeddedPostgres(settings.dataFolder) : undefined;
  await buildWebWhenStale(settings.dataFolder, (line) => process.stdout.write(`${line}\n`));
  const vite = [webFolder, repositoryFolder]
    .map((folder) => path.join(folder, 'node_modules', '.bin', 'vite'))
    .find((file) => existsSync(file));
  const children = [
    run(process.execPath, ['--watch', '--watch-preserve-output', serverProgram], repositoryFolder),
  ];
  if (vite !== undefined)
    children.push(run(vite, ['build', '--watch', '--logLevel', 'warn', '--emptyOutDir', 'false'], webFolder));
  const stop = (): void => {
    void Promise.all(children.map(endGroup))
      .then(() => database?.stop())
      .then(() => process.exit(0));
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  watchLaunchers(launchers(), stop);
};

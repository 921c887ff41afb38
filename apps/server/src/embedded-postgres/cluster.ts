import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readFile, rename, rm, stat, truncate, writeFile, chown } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { StartProblem } from '../settings/start-problem.ts';
import type { Binaries } from './binaries.ts';
import type { Connection, DatabaseFolders } from './data-folder.ts';
import type { Launch, Launcher } from './unprivileged.ts';

const logKeptBytes = 10_000_000;

const spawnLaunch = (launch: Launch, stdio: StdioOptions, detached: boolean): ChildProcess =>
  spawn(launch.command, [...launch.arguments], {
    stdio,
    detached,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    ...(launch.uid === undefined ? {} : { uid: launch.uid, gid: launch.gid }),
  });

const openLog = async (folders: DatabaseFolders) => {
  const size = await stat(folders.log).then(
    (found) => found.size,
    () => 0,
  );
  if (size > logKeptBytes) await truncate(folders.log);
  return open(folders.log, 'a', 0o600);
};

const lastLines = async (file: string): Promise<string> =>
  (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').slice(-3).join(' / ');

/**
 * Makes a database cluster, whole or not at all: it is built beside its place and then moved there, so that a kill in
 * the middle leaves nothing that looks like a database.
 */
export const makeCluster = async (
  binaries: Binaries,
  launcher: Launcher,
  folders: DatabaseFolders,
  connection: Connection,
): Promise<void> => {
  const draft = `${folders.cluster}.new`;
  const passwordFile = path.join(folders.data, 'postgres-password.new');
  const launch = launcher(binaries.initdb, [
    ...['-D', draft, '-U', connection.user, `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'],
    ...['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
  ]);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, `${connection.password}\n`, { mode: 0o600 });
  if (launch.uid !== undefined) {
    await chmod(folders.data, 0o711);
    await chown(draft, launch.uid, launch.uid);
    await chown(passwordFile, launch.uid, launch.uid);
  }
  const log = await openLog(folders);
  try {
    const child = spawnLaunch(launch, ['ignore', log.fd, log.fd], false);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    if (code !== 0) {
      throw new StartProblem(
        `The embedded database could not be made: ${await lastLines(folders.log)}.`,
        `Look into ${folders.log}.`,
      );
    }
    await rename(draft, folders.cluster);
  } finally {
    await log.close();
    await rm(passwordFile, { force: true });
  }
};

export const clusterExists = (folders: DatabaseFolders): boolean =>
  existsSync(path.join(folders.cluster, 'PG_VERSION'));

/** A loopback port nobody listens on; the preferred one where it is free, so that addresses last. */
export const freePort = async (preferred: number): Promise<number> => {
  const listen = (port: number): Promise<number | undefined> =>
    new Promise((resolve) => {
      const server = createServer();
      server.once('error', () => {
        resolve(undefined);
      });
      server.listen(port, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => {
          resolve(typeof address === 'object' && address !== null ? address.port : undefined);
        });
      });
    });
  const found = (await listen(preferred)) ?? (await listen(0));
  if (found === undefined) throw new StartProblem('No loopback port is free.', 'End what holds them all.');
  return found;
};

/**
 * Starts the postmaster in a process group of its own, so that the terminal's Ctrl-C reaches the server alone and
 * PostgreSQL is stopped last. Its log is a file, so that it does not end when the server is killed.
 */
export const startPostmaster = async (
  binaries: Binaries,
  launcher: Launcher,
  folders: DatabaseFolders,
  port: number,
): Promise<ChildProcess> => {
  const log = await openLog(folders);
  try {
    const launch = launcher(binaries.postgres, [
      ...['-D', folders.cluster, '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', 'max_connections=200', '-c', 'timezone=UTC', '-c', 'log_timezone=UTC'],
    ]);
    const child = spawnLaunch(launch, ['ignore', log.fd, log.fd], true);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    return child;
  } finally {
    await log.close();
  }
};

/** The last words of the database's log, for a line that says why it did not start. */
export const whyItEnded = (folders: DatabaseFolders): Promise<string> => lastLines(folders.log);

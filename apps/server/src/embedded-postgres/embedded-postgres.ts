import type { ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { StartProblem } from '../settings/start-problem.ts';
import { findBinaries } from './binaries.ts';
import { clusterExists, freePort, makeCluster, startPostmaster, whyItEnded } from './cluster.ts';
import {
  connectionUrl,
  databaseFolders,
  makeDataFolder,
  newConnection,
  readConnection,
  writeConnection,
  type Connection,
  type DatabaseFolders,
} from './data-folder.ts';
import { underLock } from './folder-lock.ts';
import { isLivePostmaster, readPostmasterFile, removeStaleFile } from './postmaster-file.ts';
import { identify, waitForEnd } from './process-identity.ts';
import { chooseLauncher } from './unprivileged.ts';
import { usersIn } from './users.ts';

/** A running database of our own. */
export type EmbeddedPostgres = {
  /** True when it ran already: beside a running server, or left over from a killed one. */
  readonly adopted: boolean;
  /** Makes the database where it does not exist, and answers its connection URL. */
  readonly database: (name: string) => Promise<string>;
  /** Starts it again whenever it ends without being asked to, until `stop`. */
  readonly keepRunning: (onRestart: (failure: unknown) => void) => void;
  /** Leaves it; the last one to leave stops it cleanly and waits for its end. */
  readonly stop: () => Promise<void>;
};

const startDeadlineMs = 60_000;
const preferredPort = 4782;
const lookEveryMs = 1_000;

const answers = async (connection: Connection): Promise<'yes' | 'starting' | 'no'> => {
  const sql = postgres(connectionUrl(connection, 'postgres'), {
    max: 1,
    connect_timeout: 3,
    onnotice: () => undefined,
  });
  try {
    await sql`select 1`;
    return 'yes';
  } catch (error) {
    // 57P03: it is starting up, recovering or shutting down.
    return error instanceof Error && 'code' in error && error.code === '57P03' ? 'starting' : 'no';
  } finally {
    await sql.end({ timeout: 1 });
  }
};

/** Waits until the database answers, or until `ended` says that it will not. */
const waitForAnswer = async (connection: Connection, ended: () => boolean): Promise<boolean> => {
  const until = Date.now() + startDeadlineMs;
  while (Date.now() < until) {
    if ((await answers(connection)) === 'yes') return true;
    if (ended()) return false;
    await pause(25);
  }
  return false;
};

/** Ends a postmaster: fast shutdown (clients are cut off, everything committed is kept), then by force. */
const stopPostmaster = async (pid: number): Promise<void> => {
  const identity = identify(pid);
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    if (await waitForEnd(identity, 20_000)) return;
  }
};

/** The postmaster that has the cluster open already, if it runs and knows our password. */
const adopt = async (
  folders: DatabaseFolders,
  recorded: Connection | undefined,
): Promise<Connection | undefined> => {
  const file = await readPostmasterFile(folders.cluster);
  if (file === undefined) return undefined;
  if (!isLivePostmaster(file)) {
    await removeStaleFile(folders.cluster);
    return undefined;
  }
  const connection = recorded === undefined ? undefined : { ...recorded, port: file.port ?? recorded.port };
  const identity = identify(file.pid);
  if (connection !== undefined && (await waitForAnswer(connection, () => !isLivePostmaster(file))))
    return connection;
  await stopPostmaster(identity.pid);
  await removeStaleFile(folders.cluster);
  return undefined;
};

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Starts the cluster, making it first where there is none. A second try covers a port or lock that was just taken. */
const startCluster = async (
  folders: DatabaseFolders,
  recorded: Connection | undefined,
): Promise<Connection> => {
  const binaries = findBinaries();
  const launcher = chooseLauncher(binaries.postgres, folders.cluster);
  const known = clusterExists(folders);
  if (known && recorded === undefined) {
    throw new StartProblem(
      `The record of how to reach the embedded database (${folders.connection}) is missing.`,
      'Put it back from a backup, or move the data folder away to begin anew.',
    );
  }
  let connection = recorded ?? newConnection(preferredPort);
  if (!known) {
    await writeConnection(folders, connection);
    await makeCluster(binaries, launcher, folders, connection);
  }
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    connection = { ...connection, port: await freePort(connection.port) };
    await writeConnection(folders, connection);
    const child = await startPostmaster(binaries, launcher, folders, connection.port);
    if (await waitForAnswer(connection, () => hasEnded(child))) return connection;
    const file = await readPostmasterFile(folders.cluster);
    if (file !== undefined && !isLivePostmaster(file)) await removeStaleFile(folders.cluster);
  }
  throw new StartProblem(
    `The embedded database did not start: ${await whyItEnded(folders)}.`,
    `Look into ${folders.log}, or set DATABASE_URL.`,
  );
};

const makeDatabase = async (connection: Connection, name: string): Promise<string> => {
  const sql = postgres(connectionUrl(connection, 'postgres'), { max: 1, onnotice: () => undefined });
  try {
    const found = await sql`select 1 from pg_database where datname = ${name}`;
    if (found.length === 0) await sql`create database ${sql(name)}`;
  } catch (error) {
    // Another process made it in between.
    if (!(error instanceof Error && 'code' in error && (error.code === '42P04' || error.code === '23505')))
      throw error;
  } finally {
    await sql.end({ timeout: 5 });
  }
  return connectionUrl(connection, name);
};

const isRunning = async (folders: DatabaseFolders): Promise<boolean> => {
  const file = await readPostmasterFile(folders.cluster);
  return file !== undefined && isLivePostmaster(file);
};

type Opened = { readonly connection: Connection; readonly adopted: boolean };

const adoptOrStart = async (folders: DatabaseFolders): Promise<Opened> => {
  const recorded = await readConnection(folders);
  const running = await adopt(folders, recorded);
  if (running === undefined) return { connection: await startCluster(folders, recorded), adopted: false };
  if (running.port !== recorded?.port) await writeConnection(folders, running);
  return { connection: running, adopted: true };
};

/** Looks every second; answers how to stop looking. */
const guard = (folders: DatabaseFolders, onRestart: (failure: unknown) => void): (() => void) => {
  let busy = false;
  const look = async (): Promise<void> => {
    if (busy || (await isRunning(folders))) return;
    busy = true;
    try {
      await underLock(folders.lock, () => adoptOrStart(folders));
      onRestart(undefined);
    } catch (failure) {
      onRestart(failure);
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
};

/**
 * Starts the embedded PostgreSQL of a data folder, or goes to the one that runs there already.
 * @throws StartProblem when it can't run here, with what to do
 */
export const startEmbeddedPostgres = async (dataFolder: string): Promise<EmbeddedPostgres> => {
  await makeDataFolder(dataFolder);
  const folders = databaseFolders(dataFolder);
  await mkdir(folders.data, { recursive: true, mode: 0o700 });
  const users = usersIn(folders.users);
  const { connection, adopted } = await underLock(folders.lock, async () => {
    const opened = await adoptOrStart(folders);
    await users.enter();
    return opened;
  });
  let stopGuarding = (): void => undefined;
  return {
    adopted,
    database: (name) => makeDatabase(connection, name),
    keepRunning: (onRestart) => {
      stopGuarding();
      stopGuarding = guard(folders, onRestart);
    },
    stop: () => {
      stopGuarding();
      return underLock(folders.lock, async () => {
        if (!(await users.leave())) return;
        const file = await readPostmasterFile(folders.cluster);
        if (file !== undefined && isLivePostmaster(file)) await stopPostmaster(file.pid);
      });
    },
  };
};

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../settings/error-code.ts';
import { StartProblem } from '../settings/start-problem.ts';

/** Where the embedded database keeps its things, inside the data folder. */
export type DatabaseFolders = {
  readonly data: string;
  /** PostgreSQL's own folder. */
  readonly cluster: string;
  readonly users: string;
  readonly lock: string;
  readonly log: string;
  readonly connection: string;
};

export const databaseFolders = (dataFolder: string): DatabaseFolders => ({
  data: dataFolder,
  cluster: path.join(dataFolder, 'postgres'),
  users: path.join(dataFolder, 'postgres-users'),
  lock: path.join(dataFolder, 'postgres.lock'),
  log: path.join(dataFolder, 'postgres.log'),
  connection: path.join(dataFolder, 'postgres-connection.json'),
});

/** How to reach the embedded database. Readable by the one who started Holdfast alone. */
export type Connection = { readonly port: number; readonly user: string; readonly password: string };

export const newConnection = (port: number): Connection => ({
  port,
  user: 'holdfast',
  password: randomBytes(24).toString('base64url'),
});

export const readConnection = async (folders: DatabaseFolders): Promise<Connection | undefined> => {
  try {
    return JSON.parse(await readFile(folders.connection, 'utf8')) as Connection;
  } catch {
    return undefined;
  }
};

/**
 * Makes the folder that everything of ours is kept in.
 * @throws StartProblem when there can be none
 */
export const makeDataFolder = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new StartProblem(
      `HOLDFAST_DATA_DIR: ${folder} cannot be used as a folder (${codeOf(error) || 'it cannot be made'}).`,
      'Name a folder that this user may write to, or a place where it can be made.',
    );
  }
};

/** Whole or not at all: a crash in between leaves the old record. */
export const writeConnection = async (folders: DatabaseFolders, connection: Connection): Promise<void> => {
  await mkdir(folders.data, { recursive: true, mode: 0o700 });
  const draft = `${folders.connection}.new`;
  await writeFile(draft, JSON.stringify(connection), { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, folders.connection);
};

export const connectionUrl = (connection: Connection, database: string): string =>
  `postgres://${connection.user}:${connection.password}@127.0.0.1:${connection.port}/${database}`;

import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  identify,
  isStillRunning,
  waitForEnd,
  type ProcessIdentity,
} from '../embedded-postgres/process-identity.ts';
import { anyHasEnded } from './launchers.ts';

const longestStopMs = 30_000;

/** What a running server says of itself in the data folder, so that the command line works on the same database. */
export type ServerRecord = {
  readonly process: ProcessIdentity;
  readonly databaseUrl: string;
  /** `DATABASE_URL` as the server got it; the demo's database stands beside it. */
  readonly givenDatabaseUrl: string | undefined;
  readonly schemaVersion: number;
  readonly publicOrigin: string;
  readonly demo: boolean;
  /** The package runners it was started by; when one of them has ended, it is about to. */
  readonly launchers: readonly ProcessIdentity[];
};

const fileIn = (dataFolder: string): string => path.join(dataFolder, 'server.json');

/** Readable by the one who started the server alone: it holds the database's password. */
export const recordServer = async (
  dataFolder: string,
  record: Omit<ServerRecord, 'process'>,
): Promise<void> => {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const draft = `${fileIn(dataFolder)}.new`;
  await writeFile(draft, JSON.stringify({ ...record, process: identify(process.pid) }), { mode: 0o600 });
  await rename(draft, fileIn(dataFolder));
};

/** The server that runs on this data folder now, if one does. */
export const runningServer = async (dataFolder: string): Promise<ServerRecord | undefined> => {
  try {
    const record = JSON.parse(await readFile(fileIn(dataFolder), 'utf8')) as ServerRecord;
    return isStillRunning(record.process) ? record : undefined;
  } catch {
    return undefined;
  }
};

export const forgetServer = async (dataFolder: string): Promise<void> => {
  const record = await runningServer(dataFolder);
  if (record === undefined || record.process.pid === process.pid)
    await rm(fileIn(dataFolder), { force: true });
};

/** A server whose launcher was stopped follows within moments; a start right after it waits for that. */
export const waitForLeavingServer = async (dataFolder: string): Promise<void> => {
  const record = await runningServer(dataFolder);
  if (record !== undefined && anyHasEnded(record.launchers)) await waitForEnd(record.process, longestStopMs);
};

import { readFile, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isRunning } from './process-identity.ts';

/** What `postmaster.pid` says: the process that has, or had, the cluster open. */
export type PostmasterFile = { readonly pid: number; readonly port: number | null };

export const readPostmasterFile = async (cluster: string): Promise<PostmasterFile | undefined> => {
  const text = await readFile(path.join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  const port = Number.parseInt(lines[3] ?? '', 10);
  if (!Number.isSafeInteger(pid) || pid === 0) return undefined;
  return { pid, port: Number.isSafeInteger(port) ? port : null };
};

/** Whether a running process is a PostgreSQL. Where the system does not tell, it is taken to be one. */
const looksLikePostgres = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres');
  } catch {
    return process.platform !== 'linux';
  }
};

export const isLivePostmaster = (file: PostmasterFile): boolean =>
  isRunning(file.pid) && looksLikePostgres(file.pid);

/**
 * Removes the file of a postmaster that has ended. PostgreSQL keeps it for a killed process that nobody has reaped,
 * and for a PID that another program has got since: both still answer signals, and both have no database open.
 */
export const removeStaleFile = (cluster: string): Promise<void> =>
  rm(path.join(cluster, 'postmaster.pid'), { force: true });

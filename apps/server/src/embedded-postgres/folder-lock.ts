import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { identify, isStillRunning, type ProcessIdentity } from './process-identity.ts';

/** Longer than anything ordinarily done under a lock (making a database takes about a second). */
const ordinarilyStaleAfterMs = 60_000;

const tryToTake = async (file: string): Promise<boolean> => {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(JSON.stringify(identify(process.pid)));
    await handle.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
};

const isAbandoned = async (file: string, staleAfterMs: number): Promise<boolean> => {
  try {
    const ageMs = Date.now() - (await stat(file)).mtimeMs;
    if (ageMs > staleAfterMs) return true;
    const text = await readFile(file, 'utf8');
    // Between its making and its first write the file is empty: then only its age says anything.
    if (text === '') return ageMs > 2_000;
    return !isStillRunning(JSON.parse(text) as ProcessIdentity);
  } catch {
    return false;
  }
};

/** Runs `work` while no other process runs its own under the same lock file. A killed holder's lock is taken over. */
export const underLock = async <Result>(
  file: string,
  work: () => Promise<Result>,
  staleAfterMs = ordinarilyStaleAfterMs,
): Promise<Result> => {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  while (!(await tryToTake(file))) {
    if (await isAbandoned(file, staleAfterMs)) await rm(file, { force: true });
    else await pause(50);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
};

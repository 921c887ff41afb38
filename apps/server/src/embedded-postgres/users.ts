import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identify, isStillRunning, type ProcessIdentity } from './process-identity.ts';

/**
 * Who uses a shared process (the embedded database, the bundled provider): one file a process. The command line
 * may start the database and a server come to it, or the other way round; the last one to leave stops it.
 */
export type Users = {
  readonly enter: () => Promise<void>;
  /** Takes this process off the list. True when nobody else that still runs is on it. */
  readonly leave: () => Promise<boolean>;
};

export const usersIn = (folder: string): Users => {
  const own = path.join(folder, `${process.pid}.json`);

  const anyOther = async (): Promise<boolean> => {
    for (const name of await readdir(folder)) {
      const file = path.join(folder, name);
      if (file === own) continue;
      const text = await readFile(file, 'utf8').catch(() => '');
      if (text !== '' && isStillRunning(JSON.parse(text) as ProcessIdentity)) return true;
      await rm(file, { force: true });
    }
    return false;
  };

  return {
    enter: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(own, JSON.stringify(identify(process.pid)), { mode: 0o600 });
    },
    leave: async () => {
      await rm(own, { force: true });
      return !(await anyOther());
    },
  };
};

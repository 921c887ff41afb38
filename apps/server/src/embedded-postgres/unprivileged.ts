import { spawnSync } from 'node:child_process';
import { chownSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { StartProblem } from '../settings/start-problem.ts';

/** How to start a program of PostgreSQL so that it accepts to run: it refuses to as root. */
export type Launch = {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
};
export type Launcher = (program: string, programArguments: readonly string[]) => Launch;

/** The number that "nobody" has nearly everywhere; no account of that number needs to exist. */
const nobody = 65_534;

const plain: Launcher = (program, programArguments) => ({ command: program, arguments: programArguments });

/** A user namespace: inside, the program is "nobody"; outside, its files still belong to the one who started it. */
const namespaceFlags = ['-U', `--map-user=${nobody}`, `--map-group=${nobody}`];
const inNamespace: Launcher = (program, programArguments) => ({
  command: 'unshare',
  arguments: [...namespaceFlags, program, ...programArguments],
});

const as =
  (uid: number): Launcher =>
  (program, programArguments) => ({ command: program, arguments: programArguments, uid, gid: uid });

const works = (launch: Launch): boolean =>
  spawnSync(launch.command, [...launch.arguments], {
    stdio: 'ignore',
    ...(launch.uid === undefined ? {} : { uid: launch.uid, gid: launch.gid }),
  }).status === 0;

const ownerOf = (file: string): number | undefined => {
  try {
    return lstatSync(file).uid;
  } catch {
    return undefined;
  }
};

/** Gives a folder and all in it to the user the database will run as. */
export const giveTo = (folder: string, uid: number): void => {
  chownSync(folder, uid, uid);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) giveTo(file, uid);
    else chownSync(file, uid, uid);
  }
};

/**
 * Chooses how the database is started: plainly; as root inside a user namespace; where namespaces are not to be had,
 * as an unprivileged user, if that one can reach the data folder at all. An existing database keeps its owner.
 */
export const chooseLauncher = (postgres: string, databaseFolder: string): Launcher => {
  if (process.getuid?.() !== 0) return plain;
  const owner = ownerOf(databaseFolder);
  if (owner !== undefined && owner !== 0) return as(owner);
  if (works(inNamespace(postgres, ['--version']))) return inNamespace;
  const parent = path.dirname(databaseFolder);
  const reaches =
    works(as(nobody)(postgres, ['--version'])) && works(as(nobody)('ls', [path.dirname(parent)]));
  if (reaches) return as(nobody);
  throw new StartProblem(
    'PostgreSQL does not run as root, and user namespaces are switched off here.',
    `Start Holdfast as an ordinary user, or put HOLDFAST_DATA_DIR where the user number ${nobody} may enter, or set DATABASE_URL.`,
  );
};

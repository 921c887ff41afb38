import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '@holdfast/engine/postgres';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated database, from which others may be copied, in a running PostgreSQL; one a test process. */
    clusterUrls: readonly string[];
  }
}

type TestCluster = { readonly url: string; readonly stop: () => Promise<void> };

const startCluster = async (): Promise<TestCluster> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-server-test-'));
  const embedded = await startEmbeddedPostgres(folder);
  const url = await embedded.database('holdfast_template');
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  // No test of this room ends its machine, so nothing has to be on the disk.
  await sql`alter system set fsync = off`;
  await sql`select pg_reload_conf()`;
  await sql.end();
  await migrate({ url });
  return {
    url,
    stop: async () => {
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** One cluster a test process: a feed waits for the oldest transaction of its whole cluster, whosever it is. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const clusters = await Promise.all(Array.from({ length: project.config.maxWorkers }, startCluster));
  project.provide(
    'clusterUrls',
    clusters.map(({ url }) => url),
  );
  return async () => {
    await Promise.all(clusters.map(({ stop }) => stop()));
  };
};

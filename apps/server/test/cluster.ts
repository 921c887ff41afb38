import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A database of a running PostgreSQL, in which others may be made. */
    clusterUrl: string;
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-server-test-'));
  const postgres = await startEmbeddedPostgres(folder);
  project.provide('clusterUrl', await postgres.database('holdfast_test'));
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
};

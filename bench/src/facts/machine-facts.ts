import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem, type } from 'node:os';
import path from 'node:path';
import type postgres from 'postgres';
import { median } from '../percentile.ts';
import { repositoryRoot } from '../program.ts';

export type MachineFacts = Readonly<Record<string, string>>;

const commit = (): string => {
  try {
    const git = (...words: string[]): string =>
      execFileSync('git', words, {
        cwd: repositoryRoot,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const changed = git('status', '--porcelain', '--untracked-files=no').trim() !== '';
    return `${git('rev-parse', '--short=12', 'HEAD').trim()}${changed ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
};

/** How long the disk under the database takes to keep one small write for good: the floor of every commit. */
const diskSyncMs = (): number => {
  const folder = mkdtempSync(path.join(tmpdir(), 'holdfast-bench-disk-'));
  const file = openSync(path.join(folder, 'written'), 'w');
  const block = Buffer.alloc(8_192);
  const times: number[] = [];
  try {
    for (let count = 0; count < 50; count += 1) {
      const begin = performance.now();
      writeSync(file, block);
      fsyncSync(file);
      times.push(performance.now() - begin);
    }
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
  return median(times);
};

export const machineFacts = (): MachineFacts => {
  const cores = cpus();
  return {
    machine: `${String(cores.length)} × ${cores[0]?.model.trim() ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()}`,
    load: `${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')} over 1, 5, 15 minutes, when the bench began`,
    disk: `${diskSyncMs().toFixed(2)} ms to write and sync 8 KiB (median of 50)`,
    node: process.version,
    commit: commit(),
    at: new Date().toISOString(),
  };
};

export const postgresFacts = async (sql: postgres.Sql): Promise<MachineFacts> => {
  const [row] = await sql<{ said: string }[]>`
    select 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync') ||
      ', synchronous_commit ' || current_setting('synchronous_commit') || ', shared_buffers ' ||
      current_setting('shared_buffers') as said`;
  return { database: row?.said ?? 'unknown' };
};

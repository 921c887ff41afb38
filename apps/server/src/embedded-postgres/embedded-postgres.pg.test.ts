import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { isRunning } from './process-identity.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-embedded-'));
});
afterEach(async () => {
  const pid = await postmasterPid().catch(() => undefined);
  if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const postmasterPid = async (): Promise<number> =>
  Number.parseInt(await readFile(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8'), 10);

const withSql = async <Result>(
  url: string,
  work: (sql: postgres.Sql) => Promise<Result>,
): Promise<Result> => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
};

/** Another process that opens the database, writes a row and then holds on. */
const startHolder = async () => {
  const module = path.join(import.meta.dirname, 'embedded-postgres.ts');
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(module)};
    const opened = await startEmbeddedPostgres(${JSON.stringify(folder)});
    process.on('SIGTERM', () => void opened.stop().then(() => process.exit(0)));
    console.log('ready ' + opened.adopted + ' ' + await opened.database('kept'));
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [, adopted, url = ''] = await eventually(
    'the holder to be ready',
    () => /ready (\w+) (\S+)/.exec(output) ?? undefined,
  );
  return {
    adopted: adopted === 'true',
    url,
    end: async (signal: 'SIGTERM' | 'SIGKILL') => {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
};

describe('the embedded database', () => {
  it('keeps what was committed through a stop and another start, and asks for its password', async () => {
    const first = await startEmbeddedPostgres(folder);
    const url = await first.database('kept');
    await withSql(url, (sql) => sql.unsafe('create table t (n int); insert into t values (7)'));
    const strangers = new URL(url);
    strangers.password = 'guessed';
    await expect(withSql(strangers.href, (sql) => sql`select 1`)).rejects.toMatchObject({ code: '28P01' });
    const pid = await postmasterPid();
    await first.stop();
    expect(isRunning(pid)).toBe(false);
    const second = await startEmbeddedPostgres(folder);
    expect(second.adopted).toBe(false);
    expect(await withSql(await second.database('kept'), (sql) => sql`select n from t`)).toEqual([{ n: 7 }]);
    await second.stop();
  });

  // Red when: `adopt` is left out (a second postmaster is refused by the first one's lock file).
  it('outlives a killed server and is taken over by the next one, which then stops it', async () => {
    const holder = await startHolder();
    await withSql(holder.url, (sql) => sql.unsafe('create table t (n int); insert into t values (8)'));
    await holder.end('SIGKILL');
    const pid = await postmasterPid();
    expect(isRunning(pid)).toBe(true);
    const next = await startEmbeddedPostgres(folder);
    expect(next.adopted).toBe(true);
    expect(await withSql(await next.database('kept'), (sql) => sql`select n from t`)).toEqual([{ n: 8 }]);
    await next.stop();
    expect(isRunning(pid)).toBe(false);
  });

  it('starts again after it was killed itself, reaped or not, with every commit', async () => {
    const holder = await startHolder();
    await withSql(holder.url, (sql) => sql.unsafe('create table t (n int); insert into t values (9)'));
    process.kill(await postmasterPid(), 'SIGKILL');
    await holder.end('SIGKILL');
    const next = await startEmbeddedPostgres(folder);
    expect(next.adopted).toBe(false);
    expect(await withSql(await next.database('kept'), (sql) => sql`select n from t`)).toEqual([{ n: 9 }]);
    await next.stop();
  });

  // Red when: `users.leave()` is not asked before stopping.
  it('is shared: who leaves first stops nothing, who leaves last stops it', async () => {
    const holder = await startHolder();
    const own = await startEmbeddedPostgres(folder);
    expect(own.adopted).toBe(true);
    const pid = await postmasterPid();
    await own.stop();
    expect(isRunning(pid)).toBe(true);
    await holder.end('SIGTERM');
    expect(isRunning(pid)).toBe(false);
  });

  it('is started again when it ends without being asked to, at the same address', async () => {
    const opened = await startEmbeddedPostgres(folder);
    const url = await opened.database('kept');
    let restarts = 0;
    opened.keepRunning(() => (restarts += 1));
    const pid = await postmasterPid();
    process.kill(pid, 'SIGKILL');
    await eventually('a restart', () => restarts > 0);
    expect(await withSql(url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect(await postmasterPid()).not.toBe(pid);
    await opened.stop();
  });

  it('a start that was cut off while making it leaves nothing that looks like a database', async () => {
    const opened = await startEmbeddedPostgres(folder);
    await opened.stop();
    await rm(path.join(folder, 'postgres'), { recursive: true });
    await rm(path.join(folder, 'postgres.new'), { recursive: true, force: true });
    await writeFile(path.join(folder, 'postgres.new'), 'half made');
    const again = await startEmbeddedPostgres(folder);
    expect(await again.database('kept')).toContain('/kept');
    await again.stop();
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { startCluster, type Cluster, type ClusterProcess } from '../harness/cluster.ts';
import { expectOneRefund, expectSound } from '../harness/cluster-soundness.ts';
import { expect, test } from '../harness/failure.ts';
import { startFeedReader } from '../harness/feed-reader.ts';
import { makePostgresServer, type PostgresServer } from '../harness/postgres-server.ts';
import { until } from '../harness/program.ts';

/** What happens here between a backup and its return, and what must be so afterwards. */
type Story = {
  readonly cluster: Cluster;
  readonly keep: () => Promise<void>;
  readonly putBack: () => Promise<void>;
  /** Whether putting it back says so itself; a copy that is laid in place is only found out about. */
  readonly saysSo?: true;
  /** Starts what runs after the return. */
  readonly start: () => Promise<void>;
};

const history = async ({ sql }: Cluster) => {
  const [row] = await sql<
    { generation: string; hold_on: boolean }[]
  >`select generation, hold_on from organisations`;
  if (row === undefined) throw new Error('there is no organisation');
  return row;
};

/** Approved before the backup and sent after it, and proposed only after it: all of it is in the provider's ledger. */
const lostWithTheBackup = async ({ cluster, keep, putBack, saysSo, start }: Story, api: ClusterProcess) => {
  const before = await Promise.all(['kept-a', 'kept-b'].map((name) => cluster.approved(name, 7_100)));
  await cluster.killAll();
  await keep();
  const again = await cluster.startApi({ port: Number(new URL(api.origin).port) });
  const worker = await cluster.startWorker();
  const after = await cluster.approved('lost', 7_200);
  for (const { id } of [...before, after]) await cluster.reach(id, 'confirmed');
  const reader = startFeedReader(again.origin, cluster.key('operator'));
  await until('the reader to have everything', async () => (reader.live() ? true : undefined));
  const { generation } = await history(cluster);
  await worker.kill();
  await again.kill();
  await putBack();
  expect((await history(cluster)).generation === generation).toBe(saysSo === undefined);

  await start();
  await until('the reader to be told to start over', async () =>
    // A restore makes the key behind cursors anew, so that none of before can be read; a device takes both words alike.
    reader.resets().includes(saysSo ? 'cursor-unreadable' : 'history-restored') ? true : undefined,
  );
  expect(await history(cluster)).toMatchObject({ hold_on: true });
  expect((await history(cluster)).generation).not.toBe(generation);
  return { before, after, reader };
};

/** Nothing is sent again, what a device tells again is settled by the ledger, and the next refund goes its usual way. */
const expectNothingTwice = async (
  { cluster }: Story,
  { before, after, reader }: Awaited<ReturnType<typeof lostWithTheBackup>>,
) => {
  for (const { id, payment } of before) {
    expect(await expectOneRefund(cluster, id, payment, 7_100)).toHaveLength(1);
  }
  await cluster.sell('lost', 7_200);
  const told = await cluster.ask('agent', 'PUT', `/v1/operations/${after.id}`, {
    kind: 'refund',
    orderId: 'lost',
    amount: { minor: 7_200, currency: 'EUR' },
    reason: 'returned',
  });
  expect(told.status).toBe(201);
  expect(await expectOneRefund(cluster, after.id, after.payment, 7_200)).toHaveLength(1);

  await cluster.command('hold', 'off');
  const { id, payment } = await cluster.approved('afterwards', 7_300);
  await expectOneRefund(cluster, id, payment, 7_300);
  expect(await cluster.provider.refunds()).toHaveLength(4);
  await until('the reader to have been told the last version', async () =>
    reader.versions.get(id) === (await cluster.operation(id)).version ? true : undefined,
  );
  await reader.stop();
  await expectSound(cluster);
};

const withCluster = async (
  server: PostgresServer,
  name: string,
  work: (cluster: Cluster, api: ClusterProcess) => Promise<void>,
): Promise<void> => {
  const cluster = await startCluster(server, name);
  try {
    const api = await cluster.startApi();
    cluster.useApi(api);
    await work(cluster, api);
  } catch (error) {
    process.stdout.write(cluster.log().slice(-20_000));
    throw error;
  } finally {
    await cluster.close();
  }
};

// Red when: a refund of ours that nothing here accounts for does not begin a new generation of history, or an open
// stream goes on over its beginning.
test('F125: an older dump is put back into the same cluster: the provider’s ledger proves it; on hold, look-ups first, no second refund', async ({
  postgresServer,
}) => {
  const admin = postgres(postgresServer.url('postgres'), { max: 1, onnotice: () => undefined });
  const replace = async (from: string, to: string): Promise<void> => {
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname in (${from}, ${to})`;
    await admin.unsafe(`drop database if exists ${to}`);
    await admin.unsafe(`create database ${to} template ${from}`);
  };
  await withCluster(postgresServer, 'put_back', async (cluster, api) => {
    const port = Number(new URL(api.origin).port);
    const story: Story = {
      cluster,
      keep: () => replace('put_back', 'put_back_copy'),
      putBack: () => replace('put_back_copy', 'put_back'),
      start: async () => {
        await cluster.startApi({ port });
        await cluster.startWorker();
      },
    };
    await expectNothingTwice(story, await lostWithTheBackup(story, api));
  });
  await admin.end();
});

// Red when: a restored database goes on with the history it had, or sends before somebody has looked.
test('`holdfast backup` and `restore`: on hold from the first moment, look-ups first, no second refund', async ({
  postgresServer,
}) => {
  const admin = postgres(postgresServer.url('postgres'), { max: 1, onnotice: () => undefined });
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-backup-'));
  const file = path.join(folder, 'backup.gz');
  await withCluster(postgresServer, 'from_file', async (cluster, api) => {
    const port = Number(new URL(api.origin).port);
    const story: Story = {
      cluster,
      keep: async () => void (await cluster.command('backup', file)),
      putBack: async () => {
        await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'from_file'`;
        await admin.unsafe('drop database from_file');
        await admin.unsafe('create database from_file');
        const told = JSON.parse(await cluster.command('restore', file, '--json')) as { unfinished: object };
        expect(told.unfinished).toEqual({ approved: 2 });
        expect(await history(cluster)).toMatchObject({ hold_on: true });
      },
      saysSo: true,
      start: async () => {
        await cluster.startApi({ port });
        await cluster.startWorker();
      },
    };
    await expectNothingTwice(story, await lostWithTheBackup(story, api));
  });
  await admin.end();
  await rm(folder, { recursive: true });
});

// Red when: a cursor of ours that is ahead of the database is taken for one to go on from.
test('F125: the database’s folder is put back to an earlier time: a client’s cursor alone proves it, before any worker runs', async ({
  postgresSettings,
}) => {
  const server = await makePostgresServer(postgresSettings);
  await server.start();
  let copy = '';
  await withCluster(server, 'put_back', async (cluster, api) => {
    const port = Number(new URL(api.origin).port);
    const story: Story = {
      cluster,
      keep: async () => {
        await server.stop();
        copy = await server.keepCopy();
        await server.start();
      },
      putBack: async () => {
        await server.stop();
        await server.putBack(copy);
        await server.start();
      },
      start: async () => void (await cluster.startApi({ port })),
    };
    const lost = await lostWithTheBackup(story, api);
    await cluster.startWorker();
    await expectNothingTwice(story, lost);
  });
  await server.remove();
});

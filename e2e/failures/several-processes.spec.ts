import type { ClusterProcess } from '../harness/cluster.ts';
import { expectOneRefund, expectSound } from '../harness/cluster-soundness.ts';
import { expect, test } from '../harness/failure.ts';
import { startFeedReader } from '../harness/feed-reader.ts';
import { until } from '../harness/program.ts';

const operationsInAll = 120;

// Red when: a restarted process begins its feed at "now", an answer is remembered in a process alone, or an operation
// taken by a killed worker is left to it.
test('two servers and two workers, killed and restarted in turn under load: nothing lost, nothing doubled, feeds go on', async ({
  cluster,
}) => {
  const [first, second] = [await cluster.startApi(), await cluster.startApi()];
  const workers = [await cluster.startWorker(), await cluster.startWorker()];
  const readers = [first, second].map(({ origin }) => startFeedReader(origin, cluster.key('operator')));
  await until('the readers to have everything', async () =>
    readers.every((one) => one.live()) ? true : undefined,
  );
  await cluster.provider.fault({ on: 'refund.create', do: 'execute_then_drop', every: 10, times: 'always' });
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 100, times: 'always' });

  const servers = [first, second];
  const done: { id: string; payment: string }[] = [];
  /** A shop, an agent and an approver who try again, the same thing, at the other server until they are answered. */
  const carryThrough = async (index: number): Promise<void> => {
    const name = `turn-${index}`;
    const ask = cluster.asking(() =>
      [servers[index % 2], servers[(index + 1) % 2]].map((one) => one?.origin ?? ''),
    );
    done.push(await ask.approved(name, 6_000));
  };
  let next = 0;
  let killing = true;
  const load = Array.from({ length: 6 }, async () => {
    while (next < operationsInAll) {
      const index = next;
      next += 1;
      await carryThrough(index);
    }
  });

  const restart = async (
    one: ClusterProcess,
    start: () => Promise<ClusterProcess>,
  ): Promise<ClusterProcess> => {
    const before = done.length;
    await one.kill();
    const started = await start();
    await until('the load to go on', async () =>
      done.length > before + 5 || next >= operationsInAll ? true : undefined,
    );
    return started;
  };
  const portOf = (one: ClusterProcess): number => Number(new URL(one.origin).port);
  for (let turn = 0; killing; turn += 1) {
    const [server, worker] = [servers[turn % 2], workers[turn % 2]];
    if (server === undefined || worker === undefined) throw new Error('there are two of each');
    workers[turn % 2] = await restart(worker, () => cluster.startWorker());
    servers[turn % 2] = await restart(server, () => cluster.startApi({ port: portOf(server) }));
    killing = turn < 1 || next < operationsInAll / 2;
  }
  await Promise.all(load);
  expect(done).toHaveLength(operationsInAll);
  for (const { id, payment } of done) await expectOneRefund(cluster, id, payment, 6_000);
  await cluster.quiet();
  await expectSound(cluster);

  const stored = await cluster.sql<{ id: string; version: number }[]>`select id, version from operations
    where order_id like 'turn-%'`;
  expect(stored).toHaveLength(operationsInAll);
  for (const reader of readers) {
    await until('the reader to have been told every last version', async () => {
      const behind = stored.filter(({ id, version }) => reader.versions.get(id) !== version);
      if (behind.length > 0) throw new Error(`${behind.length} are missing`);
      return true;
    });
    expect(reader.resets()).toEqual([]);
    expect(reader.connections()).toBeGreaterThan(1);
    await reader.stop();
  }
});

import type { Cluster } from '../harness/cluster.ts';
import { expectOneRefund, expectSound } from '../harness/cluster-soundness.ts';
import { mintId } from '../harness/cluster-people.ts';
import { expect, test } from '../harness/failure.ts';
import { until } from '../harness/program.ts';

/** Requests may take longer than the trouble lasts, and claims longer still: what is tested is not the lease. */
const patient = { HOLDFAST_PROVIDER_TIMEOUT_MS: '20000', HOLDFAST_LEASE_MS: '60000' };

const untilAsked = (cluster: Cluster, payments: readonly string[]) =>
  until('the provider to have got every request', async () => {
    const asked = await Promise.all(payments.map((payment) => cluster.posts(payment)));
    return asked.every((posts) => posts.length === 1) ? true : undefined;
  });

const untilMoved = (cluster: Cluster, payments: readonly string[]) =>
  until('the provider to have acted', async () => {
    const moved = await Promise.all(payments.map((payment) => cluster.provider.refunds(payment)));
    return moved.every((refunds) => refunds.length === 1) ? true : undefined;
  });

/** Its one attempt has the answer that was given to it. */
const untilAccepted = (cluster: Cluster, id: string) =>
  until('the answer to be saved on its attempt', async () => {
    const results = (await cluster.attempts(id)).map(({ result }) => result);
    return results.length === 1 && results[0] === 'accepted' ? true : undefined;
  });

// Red when: an answer that could not be saved is thrown away, or its request is made again.
test('the database is gone while requests are in flight: said so, nothing lost, nothing repeated', async ({
  cluster,
  postgresServer,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 3_000, times: 'always' });
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, index) => cluster.approved(`away-${index}`, 8_100)),
  );
  const payments = made.map(({ payment }) => payment);
  const worker = await cluster.startWorker({ settings: patient });
  await untilAsked(cluster, payments);
  await postgresServer.crash();
  await until('the server to say that it is not ready', async () =>
    (await cluster.ask('operator', 'GET', '/readyz')).status === 503 ? true : undefined,
  );
  const proposal = {
    kind: 'refund',
    orderId: 'away-0',
    amount: { minor: 100, currency: 'EUR' },
    reason: 'returned',
  };
  const refused = await cluster.ask('agent', 'PUT', `/v1/operations/${mintId()}`, proposal);
  expect(refused.status).toBe(503);
  await untilMoved(cluster, payments);
  await until('an answer not to have been saved', async () =>
    worker.program.output().includes('could not be saved') ? true : undefined,
  );
  await postgresServer.start();
  await until('the server to be ready again', async () =>
    (await cluster.ask('operator', 'GET', '/readyz')).status === 200 ? true : undefined,
  );
  for (const { id, payment } of made) {
    expect(await expectOneRefund(cluster, id, payment, 8_100)).toHaveLength(1);
    // The mirror may have settled it first; the answer is saved all the same.
    await untilAccepted(cluster, id);
  }
  expect(worker.program.running()).toBe(true);
  await expectSound(cluster);
});

// Red when: saving an answer is given up after some tries, or a failed save makes the worker ask or send again.
test('saving a confirmed answer fails again and again: one request in all, and the answer is kept until it is saved', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 1_500 });
  const { id, payment } = await cluster.approved('save-fails', 8_200);
  const worker = await cluster.startWorker({ settings: patient });
  await untilAsked(cluster, [payment]);
  await worker.database.cut();
  await untilMoved(cluster, [payment]);
  await until('saving to have failed several times', async () => {
    const tries = worker.program.output().split('could not be saved').length - 1;
    return tries >= 4 ? true : undefined;
  });
  expect((await cluster.operation(id)).state).toBe('submitting');
  await worker.database.mend();
  expect(await expectOneRefund(cluster, id, payment, 8_200)).toHaveLength(1);
  await untilAccepted(cluster, id);
  await expectSound(cluster);
});

// Red when: a worker cut off from the database is taken for one that sent nothing.
test('a worker is cut off from the database after its answer: another one looks and finds it, the first one’s answer is kept', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 800 });
  const { id, payment } = await cluster.approved('cut-off', 8_300);
  const worker = await cluster.startWorker();
  await untilAsked(cluster, [payment]);
  await worker.database.cut();
  await untilMoved(cluster, [payment]);
  await cluster.startWorker();
  expect(await expectOneRefund(cluster, id, payment, 8_300)).toHaveLength(1);
  expect((await cluster.attempts(id)).map(({ ended_at }) => ended_at)).toEqual([null]);
  await worker.database.mend();
  await untilAccepted(cluster, id);
  expect((await cluster.operation(id)).state).toBe('confirmed');
  await expectSound(cluster);
});

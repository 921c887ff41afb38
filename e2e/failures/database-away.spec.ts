import type { Cluster, ClusterProcess } from '../harness/cluster.ts';
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

// Red when: a worker cut off from the database, or one that hears nothing of it, is taken for one that sent nothing.
test('workers are cut off from the database after their answers, or hear nothing of it: another one looks and finds them, their answers are kept', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 800, times: 'always' });
  const made: { id: string; payment: string; worker: ClusterProcess }[] = [];
  for (const how of ['cut', 'loseAnswers'] as const) {
    const worker = await cluster.startWorker();
    const one = await cluster.approved(`cut-off-${how.toLowerCase()}`, 8_300);
    await untilAsked(cluster, [one.payment]);
    await worker.database[how]();
    made.push({ ...one, worker });
    await untilMoved(cluster, [one.payment]);
  }
  await cluster.startWorker();
  for (const { id, payment } of made) {
    expect(await expectOneRefund(cluster, id, payment, 8_300)).toHaveLength(1);
    expect((await cluster.attempts(id)).map(({ ended_at }) => ended_at)).toEqual([null]);
  }
  for (const { id, worker } of made) {
    // Whoever heard nothing for so long hears that its connections are gone.
    await worker.database.cut();
    await worker.database.mend();
    await untilAccepted(cluster, id);
    expect((await cluster.operation(id)).state).toBe('confirmed');
  }
  await expectSound(cluster);
});

/** What PostgreSQL says when a transaction is done: cut in it, neither side can know whether the other one knows. */
const committed = 'COMMIT\0';

// Red when: a claim or a record whose commit was not heard of is taken for one that was not made, and made again.
test('a worker’s connection to the database is cut in the middle of the answer to each commit of its work: one refund each', async ({
  cluster,
}) => {
  const worker = await cluster.startWorker();
  const made = [await cluster.approved('cut-commit-0', 8_350)];
  // One that is cut off while it starts ends, and is started again by whoever looks after it.
  for (const { id } of made) await cluster.reach(id, 'confirmed');
  for (let pass = 1; pass <= 6; pass += 1) {
    const wasCut = worker.database.cutAnswerIn(committed, pass);
    made.push(await cluster.approved(`cut-commit-${pass}`, 8_350));
    await until(`commit ${pass} to be cut`, async () => wasCut() || undefined);
  }
  for (const { id, payment } of made) await expectOneRefund(cluster, id, payment, 8_350);
  expect(worker.program.running()).toBe(true);
  await expectSound(cluster);
});

// Red when: a command whose commit was not heard of is answered as refused, or is judged afresh when it comes again.
test('a server’s connection to the database is cut in the middle of the answer to each commit: the same again is accepted once', async ({
  cluster,
}) => {
  const { api } = cluster;
  const askUntilAnswered = async (...asked: Parameters<Cluster['ask']>) =>
    until('a verdict', async () => {
      const answer = await cluster.ask(...asked);
      return answer.status < 500 ? answer : undefined;
    });
  const ids: string[] = [];
  for (const pass of [1, 2]) {
    const order = `cut-answer-${pass}`;
    await cluster.sell(order, 8_360);
    const id = mintId();
    ids.push(id);
    const route = `/v1/operations/${id}`;
    const wasCut = api.database.cutAnswerIn(committed, pass);
    const proposed = await askUntilAnswered('agent', 'PUT', route, {
      ...{ kind: 'refund', orderId: order, reason: 'returned' },
      amount: { minor: 8_360, currency: 'EUR' },
    });
    expect([200, 201], JSON.stringify(proposed.body)).toContain(proposed.status);
    const approval = { commandId: mintId(), fingerprint: proposed.body['fingerprint'] };
    const approved = await askUntilAnswered('approver', 'POST', `${route}/approve`, approval);
    expect(approved.status, JSON.stringify(approved.body)).toBe(200);
    await until(`commit ${pass} to be cut`, async () => wasCut() || undefined);
    expect(await cluster.auditTypes(id)).toEqual(['propose', 'approve']);
  }
  await cluster.startWorker();
  for (const [index, id] of ids.entries())
    expect(await expectOneRefund(cluster, id, `pi_cut_answer_${index + 1}`, 8_360)).toHaveLength(1);
  expect(api.program.running()).toBe(true);
  await expectSound(cluster);
});

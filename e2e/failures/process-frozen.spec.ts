import { expectOneRefund, expectSound } from '../harness/cluster-soundness.ts';
import type { Cluster, ClusterProcess } from '../harness/cluster.ts';
import { expect, test } from '../harness/failure.ts';
import { until } from '../harness/program.ts';

/** Starts a worker that freezes at this point, and waits until it has. */
const workerThatFreezesAt = async (cluster: Cluster, point: string): Promise<ClusterProcess> => {
  const frozen = await cluster.startWorker({ crashAt: `${point}:stop` });
  await until('the worker to freeze', async () =>
    frozen.program.output().includes(`crash point ${point}: SIGSTOP`) ? true : undefined,
  );
  return frozen;
};

/** Lets a frozen worker go on, and waits until it has said how its attempt ended. */
const thawed = async (cluster: Cluster, frozen: ClusterProcess, id: string) => {
  frozen.program.thaw();
  return until('the frozen attempt to end', async () => {
    const [first] = await cluster.attempts(id);
    return first?.ended_at === null ? undefined : first;
  });
};

// Red when: a claim is known by its worker's name instead of by a number of its own, or its row is not read again
// before sending.
test('F034: a worker frozen before its last look is stopped at its fence, and its successor’s claim stands', async ({
  cluster,
}) => {
  const { id, payment } = await cluster.approved('frozen-before', 5_100);
  const frozen = await workerThatFreezesAt(cluster, 'after-claim-before-fence');
  await cluster.startWorker();
  await expectOneRefund(cluster, id, payment, 5_100);
  const before = await cluster.operation(id);
  const first = await thawed(cluster, frozen, id);
  expect(first).toMatchObject({ fence: 1, finding: { kind: 'not-sent', because: 'claim-lost' } });
  const after = await cluster.operation(id);
  expect([after.state, after.fence, after.version]).toEqual(['confirmed', 2, before.version]);
  expect(await cluster.posts(payment)).toHaveLength(1);
  await expectSound(cluster);
});

// Red when: the request's time is counted from after the last look instead of from before it.
test('a worker frozen between its last look and its first byte sends nothing once it goes on', async ({
  cluster,
}) => {
  const { id, payment } = await cluster.approved('frozen-between', 5_200);
  const frozen = await workerThatFreezesAt(cluster, 'after-fence-before-send');
  await cluster.startWorker();
  await expectOneRefund(cluster, id, payment, 5_200);
  const first = await thawed(cluster, frozen, id);
  expect(first).toMatchObject({ fence: 1, finding: { kind: 'not-sent', because: 'no-time-left' } });
  expect(await cluster.posts(payment)).toHaveLength(1);
  expect((await cluster.operation(id)).state).toBe('confirmed');
  await expectSound(cluster);
});

// Red when: a late answer is thrown away because its claim is lost, or is booked a second time.
test('a worker frozen after its answer: its evidence is kept, and it changes nothing that was settled meanwhile', async ({
  cluster,
}) => {
  const { id, payment } = await cluster.approved('frozen-after', 5_300);
  const frozen = await workerThatFreezesAt(cluster, 'after-answer-before-record');
  await cluster.startWorker();
  await expectOneRefund(cluster, id, payment, 5_300);
  const before = await cluster.operation(id);
  const first = await thawed(cluster, frozen, id);
  expect(first.result).toBe('accepted');
  const kept = await cluster.sql`select source, fence::int from observations
    where operation_id = ${id} and source = 'response'`;
  expect([...kept]).toEqual([{ source: 'response', fence: 1 }]);
  const after = await cluster.operation(id);
  expect([after.state, after.version, after.attention]).toEqual(['confirmed', before.version, []]);
  expect(await cluster.posts(payment)).toHaveLength(1);
  await expectSound(cluster);
});

// Red when: a refusal settles the operation instead of its own attempt.
test('F035: the first claim’s refusal, written after the second claim’s success, is refused: the success stands', async ({
  cluster,
}) => {
  await cluster.provider.fault({
    on: 'refund.create',
    do: 'error_before',
    status: 402,
    code: 'card_declined',
  });
  const { id, payment } = await cluster.approved('frozen-refused', 5_400);
  const frozen = await workerThatFreezesAt(cluster, 'after-answer-before-record');
  await cluster.startWorker();
  await expectOneRefund(cluster, id, payment, 5_400);
  const first = await thawed(cluster, frozen, id);
  expect(first).toMatchObject({ fence: 1, result: 'rejected' });
  await cluster.quiet();
  const after = await cluster.operation(id);
  expect([after.state, after.fence]).toEqual(['confirmed', 2]);
  expect((await cluster.attempts(id)).map(({ result }) => result)).toEqual(['rejected', 'accepted']);
  await expectSound(cluster);
});

// Red when: a claim is for a batch, so that what a sleeping worker took is sent by it and by its successor.
test('F033: the machine sleeps in the middle of many refunds: each claim is its own, none is made twice', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 150, times: 'always' });
  const names = Array.from({ length: 40 }, (_, index) => `slept-${index}`);
  const made = await Promise.all(names.map((name) => cluster.approved(name, 5_500)));
  const sleeper = await cluster.startWorker();
  await until('some of them to be refunded', async () =>
    (await cluster.provider.refunds()).filter((refund) => refund.amount === 5_500).length >= 5
      ? true
      : undefined,
  );
  sleeper.program.freeze();
  await cluster.startWorker();
  await Promise.all(made.map(({ id }) => cluster.reach(id, 'confirmed')));
  sleeper.program.thaw();
  await until('the sleeper’s last attempt to end', async () => {
    const [open] = await cluster.sql<{ count: number }[]>`select count(*)::int from attempts
      where ended_at is null and operation_id = any(${made.map(({ id }) => id)})`;
    return open?.count === 0 ? true : undefined;
  });
  for (const { id, payment } of made) await expectOneRefund(cluster, id, payment, 5_500);
  await expectSound(cluster);
});

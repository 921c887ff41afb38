import { expectOneRefund, expectSound } from '../harness/cluster-soundness.ts';
import { expect, test } from '../harness/failure.ts';

// Red when: a due operation is read without being taken, or the claim does not look at the state under its lock.
test('two workers, many approved operations: each is claimed once and sent once', async ({ cluster }) => {
  const names = Array.from({ length: 24 }, (_, index) => `shared-${index}`);
  const made = await Promise.all(names.map((name) => cluster.approved(name, 9_100)));
  await Promise.all([cluster.startWorker(), cluster.startWorker()]);
  for (const { id, payment } of made) {
    expect(await expectOneRefund(cluster, id, payment, 9_100)).toHaveLength(1);
    expect((await cluster.operation(id)).fence).toBe(1);
  }
  await expectSound(cluster);
});

// Red when: the claim does not look for another operation of its payment that is in flight, and no index does.
test('two workers, two operations of one payment each: never both in flight, both refunded in the end', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 400, times: 'always' });
  const pairs = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const name = `pair-${index}`;
      const payment = await cluster.sell(name, 9_000);
      const ids = [await cluster.propose(name, 4_000), await cluster.propose(name, 3_000)];
      await Promise.all(ids.map((id) => cluster.approve(id)));
      return { ids, payment };
    }),
  );
  await Promise.all([cluster.startWorker(), cluster.startWorker()]);
  for (const { ids, payment } of pairs) {
    for (const id of ids) await cluster.reach(id, 'confirmed');
    const refunds = await cluster.provider.refunds(payment);
    expect(refunds.map(({ amount }) => amount).toSorted()).toEqual([3_000, 4_000]);
    expect(await cluster.posts(payment)).toHaveLength(2);
  }
  // One that a list has settled before its own answer came is in flight no more.
  const together = await cluster.sql`select one.operation_id from attempts one
    join operations of_one on of_one.id = one.operation_id
    join operations of_other on of_other.payment_reference = of_one.payment_reference and of_other.id <> of_one.id
    join attempts other on other.operation_id = of_other.id
    where one.started_at <= other.started_at
      and least(one.ended_at, of_one.settled_at) > other.started_at`;
  expect([...together]).toEqual([]);
  await expectSound(cluster);
});

// Red when: a resubmission encodes the request anew instead of taking the stored bytes.
test('the server is upgraded between two attempts: what would be encoded otherwise now is sent in the same bytes', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'drop_before' });
  const { id, payment } = await cluster.approved('upgraded', 9_300);
  const before = await cluster.startWorker({ settings: { HOLDFAST_CHECK_BACKOFF_MS: '600000' } });
  await cluster.reach(id, 'outcome_unknown');
  await before.kill();
  // From this the adapter would now make another request, as an upgraded one would.
  await cluster.sql`update operations set reason = 'duplicate_charge', note = 'Paid twice.', wake_at = now() where id = ${id}`;
  await cluster.startWorker();
  const posts = await expectOneRefund(cluster, id, payment, 9_300);
  expect(posts).toHaveLength(2);
  expect(posts[1]?.body).toBe(posts[0]?.body);
  expect(posts[1]?.status).toBe(200);

  const payment2 = await cluster.sell('upgraded-since', 9_300);
  const since = await cluster.propose('upgraded-since', 9_300, {
    reason: 'duplicate_charge',
    note: 'Paid twice.',
  });
  await cluster.approve(since);
  const [fresh] = await expectOneRefund(cluster, since, payment2, 9_300);
  expect(fresh?.body).toContain('reason=duplicate&');
  expect(posts[0]?.body).not.toContain('reason=duplicate&');
  await expectSound(cluster);
});

// Red when: an operation belongs to the worker that began it, or two that come upon the same one both ask for it.
test('of four workers two are killed and one is frozen in mid-work: the last one ends all of it, one refund each', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 100, times: 'always' });
  const names = Array.from({ length: 32 }, (_, index) => `of-four-${index}`);
  const made = await Promise.all(names.map((name) => cluster.approved(name, 9_400)));
  const doomed = [
    await cluster.startWorker({ crashAt: 'before-record-commits:kill:2' }),
    await cluster.startWorker({ crashAt: 'after-fence-before-send:kill:4' }),
    await cluster.startWorker({ crashAt: 'after-answer-before-record:stop:3' }),
  ];
  await cluster.startWorker();
  for (const { id, payment } of made) await expectOneRefund(cluster, id, payment, 9_400);
  for (const { program } of doomed) program.thaw();
  await cluster.quiet();
  await expectSound(cluster);
});

import { mintId } from '../harness/cluster-people.ts';
import { expectOneRefund, expectSound } from '../harness/cluster-soundness.ts';
import { expect, test } from '../harness/failure.ts';
import { until } from '../harness/program.ts';
import { workerThatDiesAt } from './harness/armed-worker.ts';
import { letMirrorRead, putOffListings } from './harness/provider-mirror.ts';

/** The way of one refund whose worker dies at one point, and what is there at that moment and in the end. */
const rows = [
  { point: 'before-claim-commits', moved: 0, state: 'approved', attempts: 0, attemptsAtTheEnd: 1 },
  { point: 'after-claim-before-fence', moved: 0, state: 'submitting', attempts: 1, attemptsAtTheEnd: 2 },
  { point: 'after-fence-before-send', moved: 0, state: 'submitting', attempts: 1, attemptsAtTheEnd: 2 },
  { point: 'after-answer-before-record', moved: 1, state: 'submitting', attempts: 1, attemptsAtTheEnd: 1 },
  { point: 'before-record-commits', moved: 1, state: 'submitting', attempts: 1, attemptsAtTheEnd: 1 },
  { point: 'after-record-before-notice', moved: 1, state: 'confirmed', attempts: 1, attemptsAtTheEnd: 1 },
] as const;

for (const { point, moved, state, attempts, attemptsAtTheEnd } of rows) {
  // Red when: a claim is committed after its request instead of before, an attempt without an end is taken for one
  // that was not sent, or the record is not one transaction.
  test(`a worker is killed ${point.replaceAll('-', ' ')}: the next one settles it with one request and one refund`, async ({
    cluster,
  }) => {
    const { id, payment } = await cluster.approved(`dies-${point}`, 4_100);
    await workerThatDiesAt(cluster, point);
    expect(await cluster.provider.refunds(payment)).toHaveLength(moved);
    expect((await cluster.operation(id)).state).toBe(state);
    expect(await cluster.attempts(id)).toHaveLength(attempts);

    await cluster.startWorker();
    expect(await expectOneRefund(cluster, id, payment, 4_100)).toHaveLength(1);
    expect(await cluster.attempts(id)).toHaveLength(attemptsAtTheEnd);
    await expectSound(cluster);
  });
}

// Red when: an unarmed program reads the variable.
test('without a crash test’s condition the variable that arms a crash point does nothing', async ({
  cluster,
}) => {
  const { id, payment } = await cluster.approved('not-armed', 4_200);
  const worker = await cluster.startWorker({ crashAt: 'after-claim-before-fence', crashTest: false });
  await expectOneRefund(cluster, id, payment, 4_200);
  expect(worker.program.running()).toBe(true);
});

// Red when: the answer's loss is settled as a failure, or a new key is made for the second try.
test('the answer is lost after the provider acted: a look-up finds the one refund', async ({ cluster }) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'execute_then_drop' });
  const { id, payment } = await cluster.approved('answer-lost', 4_300);
  await cluster.startWorker();
  expect(await expectOneRefund(cluster, id, payment, 4_300)).toHaveLength(1);
  expect(await cluster.auditTypes(id)).toContain('evidence-unknown');
  await expectSound(cluster);
});

// Red when: half an answer is read as a whole one, or a connection that ended counts as a request that was not made.
test('the connection to the provider is cut off, and cut in the middle of an answer, of a refund and of the look-up after it: one refund each', async ({
  cluster,
}) => {
  const { provider, providerNetwork } = cluster;
  await cluster.startWorker();
  await providerNetwork.cut();
  const off = await cluster.approved('cut-off', 4_340);
  // Whether it had asked for the account before the cut or not, it goes on by itself once the provider is there.
  await until('the worker to have found no provider', async () =>
    cluster.log().includes('ECONNREFUSED') ||
    (await cluster.attempts(off.id)).length > 0 ||
    (await cluster.auditTypes(off.id)).includes('wait')
      ? true
      : undefined,
  );
  expect(await provider.refunds(off.payment)).toEqual([]);
  await providerNetwork.mend();
  await expectOneRefund(cluster, off.id, off.payment, 4_340);
  for (const [index, text] of [
    'HTTP/1.1 200',
    'content-type',
    '"object": "refund"',
    '"object": "list"',
  ].entries()) {
    const payment = await cluster.sell(`cut-${index}`, 4_350);
    // Only one of the two comes whole: the refund's answer is lost, so that it has to be looked up.
    const lost = text.includes('list');
    if (lost) await provider.fault({ on: 'refund.create', do: 'execute_then_drop', paymentIntent: payment });
    const id = await cluster.propose(`cut-${index}`, 4_350);
    const wasCut = providerNetwork.cutAnswerIn(text);
    await cluster.approve(id);
    await until(`an answer to be cut in ${text}`, async () => wasCut() || undefined);
    expect(await expectOneRefund(cluster, id, payment, 4_350)).toHaveLength(1);
    expect((await cluster.operation(id)).attention).toEqual([]);
  }
  await expectSound(cluster);
});

// Red when: a provider that comes back is taken for one that never had the request, or an answer that never came is
// taken for a refusal.
test('the provider is killed with one refund made and not answered and another one received and not made: one refund each', async ({
  cluster,
}) => {
  const { provider } = cluster;
  const names = ['provider-dies-after', 'provider-dies-before'] as const;
  const payments = await Promise.all(names.map((name) => cluster.sell(name, 4_360)));
  const faults = [{ do: 'execute_then_hang' }, { do: 'delay', ms: 60_000 }];
  for (const [index, fault] of faults.entries())
    await provider.fault({ on: 'refund.create', paymentIntent: payments[index], ...fault });
  const ids = await Promise.all(names.map((name) => cluster.propose(name, 4_360)));
  await Promise.all(ids.map((id) => cluster.approve(id)));
  await cluster.startWorker();
  await until('the provider to have both requests', async () => {
    const asked = await Promise.all(payments.map((payment) => cluster.posts(payment)));
    return asked.every((posts) => posts.length === 1) ? true : undefined;
  });
  const made = (): Promise<number[]> =>
    Promise.all(payments.map(async (payment) => (await provider.refunds(payment)).length));
  await until('the first refund to be made', async () => ((await made())[0] === 1 ? true : undefined));
  await provider.kill();
  for (const id of ids) await cluster.reach(id, 'outcome_unknown');
  await provider.restart();
  await provider.clearFaults();
  expect((await made()).at(0)).toBe(1);
  for (const [index, id] of ids.entries()) await expectOneRefund(cluster, id, payments[index] ?? '', 4_360);
  await expectSound(cluster);
});

// Red when: a claim whose worker is gone is submitted afresh instead of looked up.
test('a worker is killed while the provider, which has acted, does not answer: one refund', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'execute_then_hang' });
  const { id, payment } = await cluster.approved('dies-waiting', 4_400);
  const doomed = await cluster.startWorker();
  await until('the money to have moved', async () =>
    (await cluster.provider.refunds(payment)).length === 1 ? true : undefined,
  );
  await doomed.kill();
  expect((await cluster.operation(id)).state).toBe('submitting');
  await cluster.startWorker();
  expect(await expectOneRefund(cluster, id, payment, 4_400)).toHaveLength(1);
  await expectSound(cluster);
});

// Red when: the second worker sends under another key, or takes "a request with this key is in progress" for an end.
test('F014: the node vanishes right after its POST was written; the second worker asks under the same key: one refund', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 5_000 });
  const { id, payment } = await cluster.approved('node-vanishes', 4_500);
  const doomed = await cluster.startWorker();
  await until('the provider to have got the POST', async () =>
    (await cluster.posts(payment)).length === 1 ? true : undefined,
  );
  await doomed.kill();
  expect(await cluster.provider.refunds(payment)).toHaveLength(0);
  await cluster.startWorker();
  await expectOneRefund(cluster, id, payment, 4_500);
  await expectSound(cluster);
});

// Red when: a claim past its lease is never looked at again, or its money is given back before the outcome is known.
test('F003: killed in submitting; until it is resolved a further proposal is told what is unresolved, and its age is exported', async ({
  cluster,
}) => {
  const payment = await cluster.sell('unresolved', 10_000);
  const id = await cluster.propose('unresolved', 8_000);
  await cluster.approve(id);
  await workerThatDiesAt(cluster, 'after-claim-before-fence');
  await cluster.provider.fault({ on: 'refund.list', do: 'error_before', status: 503, times: 'always' });
  await cluster.startWorker();
  await cluster.reach(id, 'outcome_unknown');
  const further = await cluster.ask('agent', 'PUT', `/v1/operations/${mintId()}`, {
    kind: 'refund',
    orderId: 'unresolved',
    amount: { minor: 3_000, currency: 'EUR' },
    reason: 'returned',
  });
  expect(further.status).toBe(409);
  expect(further.body['type']).toMatch(/possible-duplicate$/);
  expect(further.body).toMatchObject({
    operations: [{ id, state: 'outcome_unknown', amount: { minor: 8_000, currency: 'EUR' } }],
  });
  const metrics = await cluster.ask('operator', 'GET', '/metrics');
  const age = /^holdfast_oldest_unresolved_seconds\S* (\S+)$/m.exec(String(metrics.body['text']))?.[1];
  expect(Number(age)).toBeGreaterThan(0);
  expect(await cluster.provider.refunds(payment)).toHaveLength(0);

  await cluster.provider.clearFaults();
  await expectOneRefund(cluster, id, payment, 8_000);
  await expectSound(cluster);
});

// Red when: a look-up counts as done before what it showed is kept.
test('a worker is killed between a look-up and its record: the next one looks again, one refund', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'execute_then_drop' });
  const { id, payment } = await cluster.approved('dies-looking', 4_600);
  // No listing shows it before it is looked up.
  await putOffListings(cluster.sql);
  await workerThatDiesAt(cluster, 'after-look-up-before-record');
  await letMirrorRead(cluster);
  await cluster.startWorker();
  expect(await expectOneRefund(cluster, id, payment, 4_600)).toHaveLength(1);
  await expectSound(cluster);
});

// Red when: the mirror's position is moved on before what was listed is taken in.
test('a worker is killed between a listing and its place: the refund made elsewhere is known and counted once', async ({
  cluster,
}) => {
  const payment = await cluster.sell('listed-twice', 9_000);
  await cluster.provider.post('/fake/refunds', { payment_intent: payment, amount: 2_500 });
  const listing = () => cluster.sql`update mirror_positions set next_listing_at = null`;
  await listing();
  await workerThatDiesAt(cluster, 'after-listing-before-position');
  await listing();
  const [killed] = await cluster.sql<{ at: string }[]>`select clock_timestamp()::text as at`;
  await cluster.startWorker();
  const figures = await until('the listing to be made again', async () => {
    const [position] = await cluster.sql<{ done: boolean }[]>`
      select fresh_at > ${killed?.at ?? ''}::timestamptz as done from mirror_positions`;
    if (position?.done !== true) return undefined;
    return cluster.sql`select refunded_elsewhere::int from payments where payment_reference = ${payment}`;
  });
  expect([...figures]).toEqual([{ refunded_elsewhere: 2_500 }]);
  const [counted] = await cluster.sql`select coalesce(sum(amount), 0)::int as total from counted
    where name = 'foreign_actions'`;
  expect(counted).toEqual({ total: 1 });
});

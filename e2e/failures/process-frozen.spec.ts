import type { Cluster, ClusterProcess } from '../harness/cluster.ts';
import { mintId, type Answer } from '../harness/cluster-people.ts';
import { expectOneRefund, expectSound } from '../harness/cluster-soundness.ts';
import { expect, test } from '../harness/failure.ts';
import { until } from '../harness/program.ts';
import { untilFrozenAt, workerThatFreezesAt } from './harness/armed-worker.ts';
import { letMirrorRead, putOffListings } from './harness/provider-mirror.ts';

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

/** One of its own for each worker, so that each of them has something in hand when it freezes. */
type Held = { readonly id: string; readonly payment: string; readonly minor: number };

const held = async (cluster: Cluster, name: string, minor: number): Promise<Held> => ({
  ...(await cluster.approved(`frozen-${name}`, minor)),
  minor,
});

/** Its answer is lost after the provider acted, so that it has to be looked up. */
const heldAndLost = async (cluster: Cluster, name: string, minor: number): Promise<Held> => {
  const payment = await cluster.sell(`frozen-${name}`, minor);
  await cluster.provider.fault({ on: 'refund.create', do: 'execute_then_drop', paymentIntent: payment });
  const id = await cluster.propose(`frozen-${name}`, minor);
  await cluster.approve(id);
  return { id, payment, minor };
};

/** Lets all of them go on to the end of what they were doing; each ends by itself, and none breaks. */
const endAll = async (frozen: readonly ClusterProcess[]): Promise<void> => {
  for (const { program } of frozen) {
    expect(program.running()).toBe(true);
    program.thaw();
  }
  await Promise.all(frozen.map((one) => one.stop()));
  for (const { program } of frozen) expect(await program.ended, program.output()).toBeNull();
};

// Red when: a process that holds a transaction open keeps its operations from everybody for good, what a frozen one
// had taken is left to it, or what it does when it goes on is counted a second time.
test('workers are frozen before a claim commits, before a record commits and after it, after a look-up, after a listing and after an event: one worker does all of it, and going on they change nothing', async ({
  cluster,
}) => {
  const all: Held[] = [];
  const frozen: ClusterProcess[] = [];
  const freezeAt = async (point: string): Promise<void> => {
    frozen.push(await workerThatFreezesAt(cluster, point));
  };
  const elsewhere = await cluster.sell('frozen-elsewhere', 9_000);
  await cluster.provider.post('/fake/refunds', { payment_intent: elsewhere, amount: 2_500 });
  await letMirrorRead(cluster);
  await freezeAt('after-listing-before-position');
  // No other listing shows what is to be looked up.
  await putOffListings(cluster.sql);
  all.push(await heldAndLost(cluster, 'looking', 5_640));
  await freezeAt('after-look-up-before-record');
  all.push(await held(cluster, 'claiming', 5_610));
  await freezeAt('before-claim-commits');
  all.push(await held(cluster, 'recording', 5_620));
  await freezeAt('before-record-commits');
  all.push(await held(cluster, 'recorded', 5_630));
  await freezeAt('after-record-before-notice');
  await cluster.sendEventsTo(cluster.api);
  all.push(await held(cluster, 'applying', 5_650));
  await freezeAt('after-event-applied-before-finish');

  await letMirrorRead(cluster);
  const [now] = await cluster.sql<{ at: string }[]>`select clock_timestamp()::text as at`;
  await cluster.startWorker();
  for (const { id, payment, minor } of all) {
    expect(await expectOneRefund(cluster, id, payment, minor)).toHaveLength(1);
  }
  await until('the listing to be made again', async () => {
    const [position] = await cluster.sql<{ done: boolean }[]>`
      select fresh_at > ${now?.at ?? ''}::timestamptz as done from mirror_positions`;
    return position?.done === true ? true : undefined;
  });
  await cluster.quiet();
  const ids = all.map(({ id }) => id);
  const versions = () =>
    cluster.sql`select id, state, version, attention from operations where id = any(${ids}) order by id`;
  const before = [...(await versions())];

  await endAll(frozen);
  expect([...(await versions())]).toEqual(before);
  for (const { id, payment, minor } of all) {
    expect(await expectOneRefund(cluster, id, payment, minor)).toHaveLength(1);
    const confirmed = (await cluster.auditTypes(id)).filter((type) => type === 'evidence-confirmed');
    expect(confirmed).toHaveLength(1);
  }
  const figures =
    await cluster.sql`select refunded_elsewhere::int, (select coalesce(sum(amount), 0)::int from counted
    where name = 'foreign_actions') as counted from payments where payment_reference = ${elsewhere}`;
  expect([...figures]).toEqual([{ refunded_elsewhere: 2_500, counted: 1 }]);
  await cluster.sendEventsTo(undefined);
  await expectSound(cluster);
});

// Red when: a transaction of a frozen server is left open for as long as it is frozen, or what a server says when it
// goes on differs from what was said meanwhile.
test('servers are frozen before a command commits, after it before the answer, and after an event before its answer: the same again at another server is accepted once, and going on they say nothing else', async ({
  cluster,
}) => {
  const doomed = await Promise.all(
    ['before-command-commits', 'after-command-before-answer', 'after-event-stored-before-answer'].map(
      async (point) => ({ point, one: await cluster.startApi({ crashAt: `${point}:stop` }) }),
    ),
  );
  const [committing, answering, listening] = doomed.map(({ one }) => one);
  if (!committing || !answering || !listening) throw new Error('there are three');
  const untilFrozen = (one: ClusterProcess) =>
    untilFrozenAt(one, doomed.find((other) => other.one === one)?.point ?? '');
  const payment = await cluster.sell('servers-frozen', 5_700);
  const id = mintId();
  const route = `/v1/operations/${id}`;
  const proposal = {
    ...{ kind: 'refund', orderId: 'servers-frozen', reason: 'returned' },
    amount: { minor: 5_700, currency: 'EUR' },
  };
  const late: Promise<Answer>[] = [];
  const askFrozen = async (one: ClusterProcess, ...asked: Parameters<Cluster['ask']>): Promise<void> => {
    const [who, method, path, body] = asked;
    late.push(cluster.ask(who, method, path, body, one.origin));
    await untilFrozen(one);
  };

  await askFrozen(committing, 'agent', 'PUT', route, proposal);
  const accepted = await until('the proposal to be accepted elsewhere', async () => {
    const answer = await cluster.ask('agent', 'PUT', route, proposal);
    return answer.status < 500 ? answer : undefined;
  });
  expect(accepted.status).toBe(201);
  const approval = { commandId: mintId(), fingerprint: accepted.body['fingerprint'] };
  await askFrozen(answering, 'approver', 'POST', `${route}/approve`, approval);
  expect((await cluster.ask('approver', 'POST', `${route}/approve`, approval)).status).toBe(200);

  await cluster.sendEventsTo(listening);
  await cluster.startWorker();
  await untilFrozen(listening);
  expect(await expectOneRefund(cluster, id, payment, 5_700)).toHaveLength(1);
  await cluster.quiet();
  for (const { one } of doomed) one.program.thaw();
  // Whoever still waits is told what is so, or to send it again; never anything else.
  for (const { status, body } of await Promise.all(late)) {
    expect([200, 201, 503], JSON.stringify(body)).toContain(status);
  }
  await Promise.all(doomed.map(({ one }) => one.stop()));
  for (const { one } of doomed) expect(await one.program.ended, one.program.output()).toBeNull();
  const types = await cluster.auditTypes(id);
  expect(types.filter((type) => ['propose', 'approve', 'evidence-confirmed'].includes(type))).toEqual([
    ...['propose', 'approve', 'evidence-confirmed'],
  ]);
  expect((await cluster.operation(id)).attention).toEqual([]);
  await cluster.sendEventsTo(undefined);
  await expectSound(cluster);
});

// Red when: a request that was given up counts as one that was not made, or is made again under another key.
test('the provider is frozen past the lease of a request and goes on: it may carry it out late, one refund', async ({
  cluster,
}) => {
  await cluster.provider.fault({ on: 'refund.create', do: 'delay', ms: 1_000 });
  const { id, payment } = await cluster.approved('provider-frozen', 5_800);
  await cluster.startWorker();
  await until('the provider to have the request', async () =>
    (await cluster.posts(payment)).length === 1 ? true : undefined,
  );
  const provider = cluster.provider.program();
  provider.freeze();
  await cluster.reach(id, 'outcome_unknown');
  const [first] = await cluster.attempts(id);
  expect(first).toMatchObject({ result: 'unknown' });
  provider.thaw();
  await expectOneRefund(cluster, id, payment, 5_800);
  await cluster.quiet();
  expect((await cluster.operation(id)).attention).toEqual([]);
  await expectSound(cluster);
});

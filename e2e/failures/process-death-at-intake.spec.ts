import { mintId } from '../harness/cluster-people.ts';
import { expectOneRefund, expectSound } from '../harness/cluster-soundness.ts';
import { expect, test } from '../harness/failure.ts';
import { until } from '../harness/program.ts';

const proposalFor = (orderId: string, minor: number) => ({
  kind: 'refund',
  orderId,
  amount: { minor, currency: 'EUR' },
  reason: 'returned',
});

// Red when: a proposal is answered before it is committed, or its ID is bound apart from its row.
test('a server is killed before a proposal commits: nothing of it is left, and the same again is accepted once', async ({
  cluster,
}) => {
  await cluster.sell('proposal-lost', 3_100);
  const doomed = await cluster.startApi({ crashAt: 'before-command-commits' });
  const [route, body] = [`/v1/operations/${mintId()}`, proposalFor('proposal-lost', 3_100)];
  await expect(cluster.ask('agent', 'PUT', route, body, doomed.origin)).rejects.toThrow();
  expect(await doomed.program.ended).toBe('SIGKILL');
  expect((await cluster.ask('agent', 'GET', route)).status).toBe(404);
  expect((await cluster.ask('agent', 'PUT', route, body)).status).toBe(201);
  await expectSound(cluster);
});

// Red when: the same command again is judged afresh instead of answered with what it came to.
test('a server is killed after a proposal and after an approval, before it answers: the same again changes nothing, one refund', async ({
  cluster,
}) => {
  const payment = await cluster.sell('answer-lost-here', 3_200);
  const id = mintId();
  const [route, body] = [`/v1/operations/${id}`, proposalFor('answer-lost-here', 3_200)];
  const first = await cluster.startApi({ crashAt: 'after-command-before-answer' });
  await expect(cluster.ask('agent', 'PUT', route, body, first.origin)).rejects.toThrow();
  expect(await first.program.ended).toBe('SIGKILL');
  const told = await cluster.ask('agent', 'PUT', route, body);
  expect(told.status).toBe(200);

  const approval = { commandId: mintId(), fingerprint: told.body['fingerprint'] };
  const second = await cluster.startApi({ crashAt: 'after-command-before-answer' });
  await expect(
    cluster.ask('approver', 'POST', `${route}/approve`, approval, second.origin),
  ).rejects.toThrow();
  expect(await second.program.ended).toBe('SIGKILL');
  expect((await cluster.ask('approver', 'POST', `${route}/approve`, approval)).status).toBe(200);
  expect(await cluster.auditTypes(id)).toEqual(['propose', 'approve']);
  await cluster.startWorker();
  expect(await expectOneRefund(cluster, id, payment, 3_200)).toHaveLength(1);
  await expectSound(cluster);
});

// Red when: an event is answered before it is stored, or a second delivery of it is applied again.
test('a server is killed after it stored an event, and a worker after it applied it: it counts once', async ({
  cluster,
}) => {
  const doomed = await cluster.startApi({ crashAt: 'after-event-stored-before-answer' });
  await cluster.sendEventsTo(doomed);
  const { id, payment } = await cluster.approved('event-twice', 3_300);
  const worker = await cluster.startWorker({ crashAt: 'after-event-applied-before-finish' });
  expect(await doomed.program.ended).toBe('SIGKILL');
  await cluster.startApi({ port: Number(new URL(doomed.origin).port) });
  expect(await worker.program.ended).toBe('SIGKILL');
  await cluster.startWorker();
  await expectOneRefund(cluster, id, payment, 3_300);
  await cluster.quiet();
  const events = await until('the event to have come again', async () => {
    const rows = await cluster.sql<{ deliveries: number; seen: number }[]>`
      select delivery_count::int as deliveries, (select count(*)::int from observations o
        where o.event_id = e.event_id) as seen from provider_events e where operation_id = ${id}`;
    return rows.some(({ deliveries }) => deliveries > 1) ? rows : undefined;
  });
  for (const { seen } of events) expect(seen).toBeLessThanOrEqual(1);
  expect((await cluster.auditTypes(id)).filter((type) => type === 'evidence-confirmed')).toHaveLength(1);
  await cluster.sendEventsTo(undefined);
  await expectSound(cluster);
});

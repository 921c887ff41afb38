import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { announceOnce, createAnnouncer, type AnnounceParts } from '../../src/announce/announce.ts';
import { announcePartsOf } from '../../src/start/announcing-of.ts';
import { eventually } from '../eventually.ts';
import { mintId, openHouse, proposalOf, type Answered, type House } from '../house-rig.ts';
import { startReceiver, type Receiver } from './receiver.ts';

let house: House;
let receiver: Receiver;
let parts: AnnounceParts;
let admin: { cookie: string };
let agentKey: string;
let approverKey: string;
const troubles: unknown[] = [];
const route = '/v1/webhook-endpoints';

beforeAll(async () => {
  house = await openHouse({ HOLDFAST_WEBHOOKS_ALLOW_LOOPBACK: 'on' });
  parts = {
    ...announcePartsOf(house.opened, { deadlineMs: 400 }),
    onTrouble: (error) => troubles.push(error),
  };
  admin = await house.person('admin', 'admin@example.test');
  agentKey = await house.key('agent');
  approverKey = await house.key('approver');
});
beforeEach(async () => {
  await house.admin`update announcement_endpoints set removed_at = now(), is_on = false`;
  receiver = await startReceiver();
  return () => receiver.stop();
});
afterAll(async () => {
  await house.stop();
  expect(troubles).toEqual([]);
});

const ask = (path: string, body?: unknown): Promise<Answered> =>
  house.ask(body === undefined ? 'GET' : 'POST', `${route}${path}`, {
    cookie: admin.cookie,
    ...(body === undefined ? {} : { body }),
  });
const endpoint = async (eventTypes: readonly string[] = []): Promise<string> => {
  const answer = await ask('', { url: receiver.url, eventTypes });
  expect(answer.status).toBe(201);
  receiver.secrets = [String(answer.body['secret'])];
  return String(answer.body['id']);
};
const propose = async (): Promise<string> => {
  const orderId = `order-${mintId()}`;
  await house.order(orderId);
  const id = mintId();
  const answer = await house.ask('PUT', `/v1/operations/${id}`, { key: agentKey, body: proposalOf(orderId) });
  expect(answer.status).toBe(201);
  return id;
};
const approve = async (id: string): Promise<void> => {
  const { body } = await house.ask('GET', `/v1/operations/${id}`, { key: approverKey });
  const answer = await house.ask('POST', `/v1/operations/${id}/approve`, {
    key: approverKey,
    body: { commandId: mintId(), fingerprint: body['fingerprint'] },
  });
  expect(answer.status).toBe(200);
};
const dueNow = async (): Promise<void> => {
  await house.admin`update announcements set due_at = now() where delivered_at is null`;
  await house.admin`update announcement_endpoints set next_try_at = null`;
};
const open = async (id: string): Promise<number> => {
  const [row] = await house.admin`select count(*)::integer as open from announcements
    where endpoint_id = ${id} and delivered_at is null`;
  return Number(row?.['open']);
};
const outcomes = async (id: string): Promise<unknown[]> =>
  (
    await house.admin`select outcome from announcement_attempts where endpoint_id = ${id} order by at, number`
  ).map((row) => row['outcome']);

describe('a receiver outside', () => {
  // Red when: a change of state writes no row, the bytes are not the ones signed, or the payload names a person.
  it('hears every state of a refund, signed as Standard Webhooks says, in order, and nothing personal', async () => {
    await endpoint();
    const id = await propose();
    await approve(id);
    await house.opened.made.worker.runOnce();
    await announceOnce(parts);
    expect(receiver.received.map(({ type }) => type)).toEqual([
      'operation.proposed',
      'operation.approved',
      'operation.submitting',
      'operation.confirmed',
    ]);
    expect(receiver.received.every(({ verifiedBy }) => verifiedBy.length === 1)).toBe(true);
    const versions = receiver.received.map(({ data }) => Number(data['version']));
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    const last = receiver.received.at(-1);
    const [row] = await house.admin`select provider_reference, version from operations where id = ${id}`;
    expect(last?.data).toEqual({
      payloadVersion: 1,
      operationId: id,
      state: 'confirmed',
      previousState: 'submitting',
      version: row?.['version'],
      amount: { minor: 1_000, currency: 'EUR' },
      provider: { name: 'stripe', reference: row?.['provider_reference'] },
      createdAt: expect.any(String) as string,
      changedAt: expect.any(String) as string,
      history: expect.any(String) as string,
      link: `http://localhost:4780/operations/${id}`,
    });
    expect(receiver.received.map(({ body }) => body).join(' ')).not.toMatch(/Ann|c-1|order-|example\.test/);
    expect(receiver.received.every(({ id: eventId }) => !eventId.includes('.'))).toBe(true);
  });

  // Red when: the row is written after the change, or beside its transaction.
  it('never hears of a change that was not made, and a change that was made is written down with it', async () => {
    const endpointId = await endpoint();
    const orderId = `order-${mintId()}`;
    await house.order(orderId);
    const refused = await house.ask('PUT', `/v1/operations/${mintId()}`, {
      key: agentKey,
      body: proposalOf(orderId, 900_000),
    });
    expect(refused.status).toBe(422);
    expect(await open(endpointId)).toBe(0);
    const id = await propose();
    const [both] = await house.admin`select a.xmin::text = o.xmin::text as same
      from announcements a join operations o on o.id = a.operation_id where o.id = ${id}`;
    expect(both).toEqual({ same: true });
  });

  // Red when: an answer that is not 2xx ends the row, the ID changes, or one failure is answered with a storm.
  it('that answers 500 is asked again at growing distances under the same ID, until it takes it', async () => {
    const endpointId = await endpoint(['operation.proposed']);
    receiver.answer = (response) => response.writeHead(500).end('x'.repeat(100_000));
    await propose();
    await propose();
    await announceOnce(parts);
    await announceOnce(parts);
    // Both left together; from the first failure on it is asked by one at a time.
    expect(receiver.received.length).toBe(2);
    await dueNow();
    await announceOnce(parts);
    expect(receiver.received.length).toBe(3);
    const [row] = await house.admin`select next_try_at > now() + interval '4 minutes' as far, failures
      from announcement_endpoints where id = ${endpointId}`;
    expect(row).toEqual({ far: false, failures: 3 });
    expect(await open(endpointId)).toBe(2);
    receiver.answer = (response) => response.writeHead(200).end();
    await dueNow();
    await announceOnce(parts);
    expect(await open(endpointId)).toBe(0);
    const ids = receiver.received.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    const [well] = await house.admin`select failures, failing_since from announcement_endpoints
      where id = ${endpointId}`;
    expect(well).toEqual({ failures: 0, failing_since: null });
  });

  // Red when: a redirect is followed, or an answer that never ends keeps the sender.
  it('that redirects, hangs or drips is not followed and not waited for', async () => {
    const elsewhere = await startReceiver();
    const endpointId = await endpoint(['operation.proposed']);
    receiver.answer = (response) => response.writeHead(307, { location: elsewhere.url }).end();
    await propose();
    await announceOnce(parts);
    expect(elsewhere.received).toEqual([]);
    receiver.answer = () => undefined;
    await dueNow();
    await announceOnce(parts);
    receiver.answer = (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('drop'), 20);
      response.on('close', () => {
        clearInterval(drip);
      });
    };
    await dueNow();
    await announceOnce(parts);
    expect(await outcomes(endpointId)).toEqual(['redirected', 'timed-out', 'delivered']);
    await elsewhere.stop();
  });

  // Red when: what a dead worker had taken is lost, or sent under another ID.
  it('hears what a worker was sending when it died from the next one, under the same ID', async () => {
    const endpointId = await endpoint(['operation.proposed']);
    receiver.answer = () => undefined;
    await propose();
    const dying = createAnnouncer({ ...parts, ...announcePartsOf(house.opened) });
    expect(await dying.turn()).toBe(1);
    await eventually('it arrived', () => Promise.resolve(receiver.received.length === 1));
    dying.abort();
    await dying.settled();
    await announceOnce(parts);
    expect(receiver.received).toHaveLength(1);
    await house.admin`update announcements set claimed_until = now() - interval '1 second'`;
    receiver.answer = (response) => response.writeHead(200).end();
    await announceOnce(parts);
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id);
    expect(await open(endpointId)).toBe(0);
  });

  // Red when: two workers send the same row at once.
  it('hears each event once from two workers at once, as long as it answers', async () => {
    const endpointId = await endpoint(['operation.proposed']);
    for (let count = 0; count < 12; count += 1) await propose();
    await Promise.all([announceOnce(parts), announceOnce(parts)]);
    await announceOnce(parts);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(12);
    expect(receiver.received).toHaveLength(12);
    expect(await open(endpointId)).toBe(0);
  });

  // Red when: the old secret signs no more at once, or for ever.
  it('goes on with its old secret while the new one is brought there, and no longer', async () => {
    const id = await endpoint(['operation.proposed']);
    const [old] = receiver.secrets;
    const rotated = await ask(`/${id}/rotate`, { graceSeconds: 3_600 });
    const fresh = String(rotated.body['secret']);
    receiver.secrets = [old ?? '', fresh];
    await propose();
    await announceOnce(parts);
    expect(receiver.received.at(-1)?.verifiedBy).toEqual([old, fresh]);
    await house.admin`update announcement_endpoints set previous_until = now() - interval '1 second'
      where previous_until is not null`;
    await propose();
    await announceOnce(parts);
    expect(receiver.received.at(-1)?.verifiedBy).toEqual([fresh]);
    const stored = await house.admin`select encode(secret, 'escape') as text from announcement_endpoints`;
    expect(JSON.stringify(stored)).not.toContain(fresh.slice(6, 20));
  });

  // Red when: rows end after a day, or come back one by one only.
  it('that failed for a day is marked as failing; nothing is lost, and all of it is sent again by hand', async () => {
    const id = await endpoint(['operation.proposed']);
    receiver.answer = (response) => response.writeHead(503).end();
    await propose();
    await propose();
    await announceOnce(parts);
    await house.admin`update announcement_endpoints set failing_since = now() - interval '25 hours'`;
    await dueNow();
    await announceOnce(parts);
    const list = await ask('');
    expect(list.body['items']).toMatchObject([
      { id, waiting: 2, markedFailingAt: expect.any(String) as string },
    ]);
    receiver.answer = (response) => response.writeHead(200).end();
    await announceOnce(parts);
    expect(await open(id)).toBe(2);
    const again = await ask(`/${id}/redeliver`, { failedSince: '2026-01-01T00:00:00.000Z' });
    expect(again.body).toEqual({ events: 2 });
    await announceOnce(parts);
    expect(await open(id)).toBe(0);
    expect((await ask('')).body['items']).toMatchObject([{ markedFailingAt: null, waiting: 0 }]);
    const words = await house.admin`select type from organisation_audit where subject = ${`endpoint ${id}`}
      order by sequence`;
    expect(words.map(({ type }) => type as string)).toEqual([
      ...['endpoint-added', 'endpoint-failing', 'endpoint-redelivered', 'endpoint-well'],
    ]);
  });
});

describe('an admin', () => {
  // Red when: the filter is not asked, or off means forgotten.
  it('chooses which events go there, switches it off and on, and tries it', async () => {
    const id = await endpoint(['operation.approved']);
    const refund = await propose();
    await approve(refund);
    expect((await ask(`/${id}/switch`, { on: false })).status).toBe(200);
    await announceOnce(parts);
    expect(receiver.received).toEqual([]);
    expect((await ask(`/${id}/switch`, { on: true })).status).toBe(200);
    const { body } = await ask(`/${id}/test`, {});
    await announceOnce(parts);
    expect(receiver.received.map(({ type }) => type).toSorted()).toEqual([
      'operation.approved',
      'webhook.test',
    ]);
    expect(receiver.received.every(({ verifiedBy }) => verifiedBy.length === 1)).toBe(true);
    const log = await ask(`/${id}/deliveries`);
    expect(log.body['items']).toMatchObject([
      { eventId: body['eventId'], attempts: [{ number: 1, status: 204, outcome: 'delivered' }] },
      { operationId: refund },
    ]);
    // One that was delivered, once more, under its own ID.
    expect((await ask(`/${id}/redeliver`, { eventId: body['eventId'] })).body).toEqual({ events: 1 });
    await announceOnce(parts);
    expect(receiver.received.filter(({ id: eventId }) => eventId === body['eventId'])).toHaveLength(2);
    expect((await ask(`/${id}/remove`, {})).status).toBe(200);
    await propose();
    await announceOnce(parts);
    expect(receiver.received).toHaveLength(3);
    expect((await ask(`/${id}/deliveries`)).status).toBe(404);
  });

  // Red when: the answer does not name the field, or an address of our own network is taken.
  it.each([
    ['http://example.com/', 'must be https'],
    ['https://example.com:22/', 'must be on port 443 or 8443'],
    ['https://10.0.0.1/', 'must be an address of the public internet'],
    ['https://[::ffff:10.0.0.1]/', 'must be an address of the public internet'],
    ['https://metadata.internal/', 'must be an address of the public internet'],
    ['https://a:b@example.com/', 'must have no sign-in in it'],
    ['nonsense', 'must be an address like https://example.org/holdfast'],
  ])('cannot name %s', async (url, message) => {
    const answer = await ask('', { url });
    expect(answer.status).toBe(422);
    expect(answer.body['issues']).toEqual([{ path: 'url', message }]);
  });
});

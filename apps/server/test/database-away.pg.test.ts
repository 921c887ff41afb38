import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { mintId, openHouse, proposalOf, type Answered, type House } from './house-rig.ts';

let house: House;
let agent: string;
let approver: string;
beforeAll(async () => {
  house = await openHouse({ HOLDFAST_DATABASE_CONNECTIONS: '2' });
  [agent, approver] = [await house.key('agent'), await house.key('approver')];
});
afterAll(() => house.stop());

const put = (id: string, order: string, minor = 1_000): Promise<Answered> =>
  house.ask('PUT', `/v1/operations/${id}`, { key: agent, body: proposalOf(order, minor) });

const ledger = async (): Promise<readonly { readonly id: string }[]> => {
  const response = await fetch(`${house.fake.access.apiBase}/fake/ledger`);
  return ((await response.json()) as { refunds: readonly { id: string }[] }).refunds;
};

const expectComeBack = (answer: Answered): void => {
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({ status: 503, final: false });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
};

const approvedOperation = async (order: string): Promise<string> => {
  await house.order(order);
  const id = mintId();
  const proposed = await put(id, order);
  const body = { commandId: mintId(), fingerprint: proposed.body['fingerprint'] };
  const answer = await house.ask('POST', `/v1/operations/${id}/approve`, { key: approver, body });
  expect(answer.status).toBe(200);
  return id;
};

/** An event as the provider signs it, about a refund that nobody here knows. */
const webhook = (id: string): Promise<Answered> => {
  const refund = {
    id: 're_elsewhere',
    object: 'refund',
    payment_intent: 'pi_elsewhere',
    amount: 1,
    currency: 'eur',
  };
  const raw = JSON.stringify({
    id,
    object: 'event',
    type: 'refund.updated',
    livemode: false,
    created: Math.floor(Date.now() / 1_000),
    data: { object: { ...refund, status: 'succeeded', metadata: {}, created: 1 } },
    request: { id: null, idempotency_key: null },
  });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const secret = house.fake.access.webhookSecrets[0] ?? '';
  const signature = createHmac('sha256', secret).update(`${timestamp}.${raw}`).digest('hex');
  const headers = {
    'stripe-signature': `t=${timestamp},v1=${signature}`,
    'content-type': 'application/json',
  };
  return house.ask('POST', '/v1/webhooks/stripe', { raw, headers });
};

const worker = (): (() => Promise<void>) => {
  const stop = new AbortController();
  const running = house.opened.made.worker.run(stop.signal);
  return async () => {
    stop.abort();
    await running;
  };
};

describe('with the store out of reach', () => {
  test('F024 two proposals of one operation at once are answered 503 and nothing is executed; when it is back they are one row', async () => {
    // Red when: a lost connection is answered 500 or as a refusal, or the worker sends what it could not claim.
    const approved = await approvedOperation('before-the-cut');
    await house.order('f024');
    house.way.cut();
    const stop = worker();
    const id = mintId();
    for (const answer of await Promise.all([put(id, 'f024'), put(id, 'f024')])) expectComeBack(answer);
    // Not taken, so the provider sends it again.
    expectComeBack(await webhook('evt_while_away'));
    expect((await house.ask('GET', '/readyz')).status).toBe(503);
    expect((await house.ask('GET', '/healthz')).status).toBe(200);
    const [attempted] = await house.admin`select count(*)::int as count from attempts`;
    expect(attempted).toEqual({ count: 0 });
    expect(await ledger()).toEqual([]);

    house.way.restore();
    await eventually(
      'the server is ready again',
      async () => (await house.ask('GET', '/readyz')).status === 200,
    );
    // The first one may be stored after all: its question waited for a connection longer than its answer did.
    expect((await webhook('evt_while_away')).body).toMatchObject({ received: true });
    const [stored] =
      await house.admin`select count(*)::int as count from provider_events where event_id = 'evt_while_away'`;
    expect(stored).toEqual({ count: 1 });
    const answers = await Promise.all([put(id, 'f024'), put(id, 'f024')]);
    // As the event may be, so may the proposal: made by one of the four, and known to the others.
    expect([
      [200, 201],
      [200, 200],
    ]).toContainEqual(answers.map(({ status }) => status).toSorted());
    await eventually('what was approved is carried out', async () => {
      const [row] = await house.admin`select state from operations where id = ${approved}`;
      return row?.['state'] === 'confirmed';
    });
    await stop();
    expect(await ledger()).toHaveLength(1);
    const rows = await house.admin`select id from operations where id = ${id}`;
    expect(rows).toHaveLength(1);
  });

  test('F024 a store that falls silent is answered 503 and not with a hang, and the server goes on by itself once it speaks', async () => {
    // Red when: nothing looks whether the database still answers while a request waits for it.
    await house.order('silence');
    house.way.silence();
    const ids = [mintId(), mintId(), mintId()];
    const minor = (index: number): number => 1_000 + index;
    const asked = ids.map((id, index) => put(id, 'silence', minor(index)));
    expect((await house.ask('GET', '/healthz')).status).toBe(200);
    for (const answer of await Promise.all(asked)) expectComeBack(answer);
    house.way.restore();
    for (const [index, id] of ids.entries()) {
      const answer = await eventually('it is taken', async () => {
        const again = await put(id, 'silence', minor(index));
        return again.status === 503 ? undefined : again;
      });
      expect([200, 201]).toContain(answer.status);
      const rows = await house.admin`select id from operations where id = ${id}`;
      expect(rows).toHaveLength(1);
    }
  });
});

describe('with a store that takes no writes', () => {
  /** For every session that begins from now on; those there are ended, as when a standby takes over. */
  const takesWrites = async (yes: boolean): Promise<void> => {
    const [here] = await house.admin<{ name: string }[]>`select current_database() as name`;
    const read = yes ? 'reset default_transaction_read_only' : 'set default_transaction_read_only = on';
    await house.admin.unsafe(
      `set default_transaction_read_only = off; alter database "${here?.name ?? ''}" ${read}`,
    );
    await house.admin`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
  };

  test('commands are told to come back and /readyz says why, while what is there can be read; nothing is sent, and then all goes on', async () => {
    // Red when: a refused write is answered 500, or /readyz asks only whether the database answers.
    const approved = await approvedOperation('read-only');
    const before = (await ledger()).length;
    await house.order('read-only-asked');
    const id = mintId();
    await takesWrites(false);
    const stop = worker();
    // The connections that were ended are noticed one by one.
    await eventually('/readyz to say why', async () => {
      const { status, body } = await house.ask('GET', '/readyz');
      return status === 503 && body['detail'] === 'The database takes no writes at the moment.';
    });
    expectComeBack(await put(id, 'read-only-asked'));
    await eventually('what is there to be read', async () => {
      const answer = await house.ask('GET', `/v1/operations/${approved}`, { key: agent });
      return answer.body['state'] === 'approved';
    });
    expect(await ledger()).toHaveLength(before);
    await takesWrites(true);
    await eventually('it is taken', async () => (await put(id, 'read-only-asked')).status === 201);
    await eventually('the refund is made', async () => (await ledger()).length === before + 1);
    await eventually('/readyz to be fine', async () => (await house.ask('GET', '/readyz')).status === 200);
    await stop();
  });
});

describe('many at once over a tiny pool', () => {
  test('some are told to come back, none that was accepted is lost, and coming back is enough', async () => {
    // Red when: nothing is turned away, or an answer of acceptance goes out without its row.
    const many = 120;
    for (const order of [0, 1, 2]) {
      // Connections that were ended before are noticed one by one, each by whoever is handed it.
      await eventually('the order to be taken', () =>
        house.order(`many-${String(order)}`, 50_000).then(
          () => true,
          () => undefined,
        ),
      );
    }
    const ids = Array.from({ length: many }, () => mintId());
    const send = (index: number): Promise<Answered> =>
      put(ids[index] ?? '', `many-${String(index % 3)}`, 100 + index);
    const answers = await Promise.all(ids.map((_, index) => send(index)));
    const accepted = ids.filter((_, index) => answers[index]?.status === 201);
    const turnedAway = answers.filter(({ status }) => status === 503);
    expect(accepted.length).toBeGreaterThan(0);
    expect(turnedAway.length).toBeGreaterThan(0);
    expect(accepted.length + turnedAway.length).toBe(many);
    for (const answer of turnedAway) expectComeBack(answer);
    const stored = await house.admin`select id from operations where id = any(${accepted})`;
    expect(stored).toHaveLength(accepted.length);

    let left = ids.map((_, index) => index).filter((index) => answers[index]?.status === 503);
    await eventually('all are taken', async () => {
      const again = await Promise.all(left.map(async (index) => ({ index, answer: await send(index) })));
      left = again.filter(({ answer }) => answer.status === 503).map(({ index }) => index);
      return left.length === 0;
    });
    const all = await house.admin`select id from operations where id = any(${ids})`;
    expect(all).toHaveLength(many);
  });
});

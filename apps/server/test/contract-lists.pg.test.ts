import { createOrganisationKey } from './organisation-key.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintId, openHouse, proposalOf, type House } from './house-rig.ts';

let house: House;
let agent: string;
let operator: string;
let integrator: string;
beforeAll(async () => {
  house = await openHouse();
  agent = await house.key('agent');
  // Somebody who can approve, so that nothing needs a person for want of one.
  await house.person('approver', 'lead@example.org');
  operator = await house.key('operator');
  integrator = await house.key('integrator');
});
afterAll(() => house.stop());

const get = (route: string, key = agent) => house.ask('GET', route, { key });
const put = (route: string, body: unknown, key = integrator) => house.ask('PUT', route, { key, body });
const propose = async (orderId: string, minor: number, more: object = {}): Promise<string> => {
  const id = mintId();
  const answered = await put(
    `/v1/operations/${id}`,
    { ...proposalOf(orderId, minor), returnId: undefined, ...more },
    agent,
  );
  expect(answered.status).toBe(201);
  return id;
};
const idsOf = (body: Record<string, unknown>): readonly string[] =>
  (body['items'] as { id: string }[]).map(({ id }) => id);

/** Every page of a list; `between` happens after the first. */
const pagesOf = async (
  route: string,
  limit: number,
  between?: () => Promise<unknown>,
): Promise<readonly string[]> => {
  const seen: string[] = [];
  let cursor: unknown = null;
  do {
    const on = cursor === null ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
    const page = await get(`${route}limit=${String(limit)}${on}`);
    expect(page.status).toBe(200);
    expect(idsOf(page.body).length).toBeLessThanOrEqual(limit);
    if (cursor === null) await between?.();
    seen.push(...idsOf(page.body));
    cursor = page.body['nextCursor'];
  } while (cursor !== null);
  return seen;
};

describe('a list', () => {
  // Red when: the order is not newest first, or the cursor counts rows instead of naming the last one.
  it('of operations goes on after its cursor, newest first, whatever is added meanwhile', async () => {
    await house.order('paged', 100_000);
    const made: string[] = [];
    for (let minor = 1; minor <= 7; minor += 1) made.push(await propose('paged', minor));
    const seen = await pagesOf('/v1/operations?orderId=paged&', 3, () => propose('paged', 99));
    expect(seen).toEqual(made.toReversed());
  });

  it('of orders and of tickets goes on after its cursor too', async () => {
    // Red when: one of the three lists loses or repeats what stands at the edge of a page.
    const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `paging-${name}`);
    for (const name of names) {
      await house.order(name);
      await put(`/v1/tickets/${name}`, {
        subject: 'Where is it?',
        customerId: 'c-1',
        orderId: name,
        status: 'open',
      });
    }
    for (const route of ['/v1/orders?q=paging-&', '/v1/tickets?q=paging-&']) {
      expect((await pagesOf(route, 2)).toSorted()).toEqual(names);
    }
  });

  // Red when: a cursor that is none of ours starts the list at its beginning, or reaches the database.
  it.each(['/v1/operations', '/v1/orders', '/v1/tickets'])(
    '%s refuses a cursor that it did not answer with',
    async (route) => {
      const written = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      for (const cursor of [
        'nonsense',
        written([1e300, mintId()]),
        written([1, 'a\0b']),
        written({}),
        written([1.5, mintId()]),
      ]) {
        const refused = await get(`${route}?cursor=${cursor}`);
        expect([refused.status, refused.body['issues']]).toMatchObject([400, [{ path: 'cursor' }]]);
      }
    },
  );

  // Red when: a filter of the contract is not read, or a bad one is passed over in silence.
  it('of operations is filtered by state, person, order, ticket, text and time, and names a filter that is wrong', async () => {
    await house.order('filtered');
    const id = await propose('filtered', 11, { ticketId: 'ticket-9' });
    const only = async (query: string): Promise<readonly string[]> =>
      idsOf((await get(`/v1/operations?${query}`)).body);
    const before = new Date(Date.now() - 60_000).toISOString();
    for (const query of [
      'ticketId=ticket-9',
      `q=${id}`,
      'q=ticket-9',
      'orderId=filtered&state=proposed,approved',
    ]) {
      expect(await only(query), query).toEqual([id]);
    }
    expect(await only(`orderId=filtered&needsPerson=false&updatedAfter=${before}`)).toEqual([id]);
    expect(
      await only(`orderId=filtered&updatedAfter=${new Date(Date.now() + 60_000).toISOString()}`),
    ).toEqual([]);
    expect(await only('orderId=filtered&needsPerson=true')).toEqual([]);
    expect(await only('q=%25')).toEqual([]);
    for (const query of [
      'state=lost',
      'needsPerson=maybe',
      'limit=0',
      'limit=201',
      'limit=x',
      'updatedAfter=yesterday',
    ]) {
      const refused = await get(`/v1/operations?${query}`);
      expect([
        query,
        refused.status,
        (refused.body['issues'] as { path: string }[])[0]?.path.split('.')[0],
      ]).toEqual([query, 422, query.split('=')[0]]);
    }
  });
});

describe("the shop's and the help desk's own records", () => {
  const recordOf = (reference: string, minor = 5_000) => ({
    customer: { id: 'c-1', name: 'Ann' },
    payment: { provider: 'stripe', reference, captured: { minor, currency: 'EUR' } },
    lines: [],
    returns: [],
    placedAt: '2026-11-01T10:00:00Z',
  });

  // Red when: the same again raises the version, or a version does not grow with a change.
  it('are 201 once, then 200, and the same again changes nothing', async () => {
    const first = await put('/v1/orders/upsert', recordOf('pi_upsert'));
    const same = await put('/v1/orders/upsert', recordOf('pi_upsert'));
    const changed = await put('/v1/orders/upsert', {
      ...recordOf('pi_upsert'),
      customer: { id: 'c-1', name: 'Anne' },
    });
    expect([first.status, same.status, changed.status]).toEqual([201, 200, 200]);
    expect([same.body['version'], Number(changed.body['version']) > Number(first.body['version'])]).toEqual([
      first.body['version'],
      true,
    ]);
    const zero = { minor: 0, currency: 'EUR' };
    const full = { minor: 5_000, currency: 'EUR' };
    expect(first.body).toMatchObject({
      captured: full,
      refunded: zero,
      refundedElsewhere: zero,
      reserved: zero,
      refundable: full,
      disputed: false,
    });
    const ticket = { subject: 'Hello', customerId: 'c-1', status: 'open' };
    expect((await put('/v1/tickets/upsert', ticket)).status).toBe(201);
    expect((await put('/v1/tickets/upsert', { ...ticket, status: 'closed' })).body).toMatchObject({
      id: 'upsert',
      status: 'closed',
    });
  });

  // Red when: a payment in use can be replaced, or claimed by another organisation of the same account.
  it('never move a payment that an operation uses, nor one that another organisation has', async () => {
    const { reference } = await house.order('in-use');
    await propose('in-use', 5);
    const moved = await put('/v1/orders/in-use', recordOf('pi_elsewhere'));
    expect([moved.status, moved.headers.get('content-type')]).toEqual([409, 'application/problem+json']);
    expect((await get('/v1/orders/in-use')).body).toMatchObject({ payment: { reference } });
    const stranger = await createOrganisationKey(house, 'Another', 'integrator');
    const claimed = await put('/v1/orders/theirs', recordOf(reference), stranger);
    expect(claimed.status).toBe(409);
    expect((await get('/v1/orders/theirs', stranger)).status).toBe(404);
  });

  it('with a currency, a line or an amount that cannot be are named field by field', async () => {
    // Red when: the schema of orders is loosened.
    const line = { sku: '', title: 'x', quantity: 0, amount: { minor: 1, currency: 'EUR' } };
    const bad = { ...recordOf('pi_bad', 0), lines: [line] };
    const refused = await put('/v1/orders/bad', bad);
    expect(refused.status).toBe(422);
    const paths = (refused.body['issues'] as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining(['lines.0.sku', 'lines.0.quantity', 'payment.captured.minor']),
    );
    expect((await get('/v1/orders/bad')).status).toBe(404);
  });
});

describe('/metrics', () => {
  // Red when: a metric appears only once something was counted.
  it('of an organisation in which nothing has happened shows every name of the contract, with zeros', async () => {
    const key = await createOrganisationKey(house, 'Quiet', 'operator');
    const { body, status, headers } = await get('/metrics', key);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const text = String(body['text']);
    const states = ['proposed', 'approved', 'submitting', 'pending', 'outcome_unknown'];
    const samples = [
      ...[...states, 'confirmed', 'failed', 'reversed', 'denied', 'cancelled', 'expired'].map(
        (state) => `holdfast_operations{state="${state}"}`,
      ),
      ...states.map((state) => `holdfast_oldest_seconds{state="${state}"}`),
      ...['true', 'false'].map((needs) => `holdfast_unresolved{needs_person="${needs}"}`),
      ...['intake', 'command', 'webhook', 'provider'].map(
        (at) => `holdfast_replays_absorbed_total{at="${at}"}`,
      ),
      'holdfast_oldest_unresolved_seconds',
      'holdfast_reconciliation_seconds_count{how="webhook"}',
      'holdfast_duplicate_actions_total',
      'holdfast_attempts_total{provider="stripe",result="accepted"}',
      'holdfast_foreign_actions_total',
      'holdfast_replay_window_at_risk',
      'holdfast_late_reversals_total',
      'holdfast_unapplied_events_oldest_seconds',
      'holdfast_clock_skew_seconds',
      'holdfast_webhook_undelivered{older_than_seconds="0"}',
      'holdfast_webhook_undelivered_oldest_seconds',
      'holdfast_last_sweep_seconds',
    ];
    const lines = text.split('\n');
    expect(samples.filter((sample) => !lines.includes(`${sample} 0`))).toEqual([]);
    expect((await get('/metrics', agent)).status).toBe(403);
    expect((await get('/metrics', operator)).body['text']).not.toBe(text);
  });
});

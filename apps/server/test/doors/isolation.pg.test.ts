import { createHmac } from 'node:crypto';
import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeLog } from '../../src/start/log.ts';
import { appOf, openServer } from '../../src/start/run-server.ts';
import { mintId, openHouse, origin, type House } from '../house-rig.ts';
import { addKey } from './access-callers.ts';
import { guardedRows } from './access-matrix.ts';
import { databaseDigest } from './database-digest.ts';
import { wayWithoutFilters, type WayWithoutFilters } from './way-without-filters.ts';

/** One of two organisations whose IDs are all the same; only the words in what they hold differ. */
type Side = {
  readonly organisationId: string;
  readonly word: string;
  readonly reference: string;
  readonly keys: Readonly<Record<'agent' | 'approver' | 'operator' | 'integrator', string>>;
};

let house: House;
let home: Side;
let other: Side;
let way: WayWithoutFilters;
let filterless: { readonly app: Hono; readonly close: () => Promise<void> };

const sideOf = async (organisationId: string, word: string): Promise<Side> => {
  const key = (role: keyof Side['keys']) => addKey(house, organisationId, { role });
  const keys = {
    agent: await key('agent'),
    approver: await key('approver'),
    operator: await key('operator'),
    integrator: await key('integrator'),
  };
  return { organisationId, word, reference: `pi_${word}`, keys };
};

beforeAll(async () => {
  house = await openHouse({ HOLDFAST_RATE_LIMIT: 'off' });
  const { id } = await house.opened.made.engine.createOrganisation('Of word-of-the-other');
  await house.admin`update organisations set name = 'Of word-of-home' where org_id = ${house.organisationId}`;
  home = await sideOf(house.organisationId, 'word-of-home');
  other = await sideOf(id, 'word-of-the-other');
  way = await wayWithoutFilters(house.way.url);
  const { settings, database } = house.opened;
  const { opened, close } = await openServer(
    settings,
    { ...database, url: way.url },
    house.fake.access,
    makeLog('silent'),
  );
  filterless = {
    app: appOf(opened),
    close: async () => {
      opened.streams.closeAll();
      await close();
      await way.close();
    },
  };
});
afterAll(async () => {
  await filterless.close();
  await house.stop();
});

type Told = { readonly status: number; readonly text: string };
const ask = async (app: Hono, method: string, path: string, key: string, body?: unknown): Promise<Told> => {
  const response = await app.request(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
};
const json = ({ text }: Told): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

/** What both hold under the same IDs. */
type Ids = {
  readonly orderId: string;
  readonly ticketId: string;
  readonly proposed: string;
  readonly moved: string;
  readonly dropped: string;
};
const freshIds = (): Ids => {
  const [proposed, moved, dropped] = [mintId(), mintId(), mintId()];
  return { orderId: `o-${proposed}`, ticketId: `t-${proposed}`, proposed, moved, dropped };
};

const shopData = async (app: Hono, side: Side, { orderId, ticketId }: Ids): Promise<number[]> => {
  const amount = { minor: 5_000, currency: 'EUR' };
  const order = {
    customer: { id: 'c-1', name: `Ann ${side.word}` },
    payment: { provider: 'stripe', reference: `${side.reference}_${orderId}`, captured: amount },
    lines: [{ sku: 's', title: `Lamp ${side.word}`, quantity: 1, amount }],
    returns: [],
    placedAt: new Date(Date.now() - 86_400_000).toISOString(),
  };
  const ticket = { subject: `About ${side.word}`, customerId: 'c-1', orderId, status: 'open' };
  return [
    (await ask(app, 'PUT', `/v1/orders/${orderId}`, side.keys.integrator, order)).status,
    (await ask(app, 'PUT', `/v1/tickets/${ticketId}`, side.keys.integrator, ticket)).status,
  ];
};

/** Of an order of its own: what is proposed twice of one payment is asked about first. */
const propose = async (app: Hono, side: Side, ids: Ids, id: string): Promise<Told> => {
  const { ticketId } = ids;
  const orderId = id === ids.proposed ? ids.orderId : `${ids.orderId}-${id}`;
  if (id !== ids.proposed) await shopData(app, side, { ...ids, orderId });
  return ask(app, 'PUT', `/v1/operations/${id}`, side.keys.agent, {
    kind: 'refund',
    orderId,
    ticketId,
    amount: { minor: 100, currency: 'EUR' },
    reason: 'goodwill',
    note: side.word,
  });
};

/** Everything that can be done to what was proposed, each once; the statuses it is answered with. */
const doEverything = async (app: Hono, side: Side, ids: Ids): Promise<number[]> => {
  const { moved, dropped } = ids;
  const made = json(await propose(app, side, ids, moved));
  const decide = (id: string, what: string, key: string, body: object = {}) =>
    ask(app, 'POST', `/v1/operations/${id}/${what}`, key, { commandId: mintId(), ...body });
  const approval = { fingerprint: made['fingerprint'] };
  const { approver, agent, operator } = side.keys;
  const cancel = { type: 'cancel', operationId: dropped, commandId: mintId(), reason: 'no' };
  return [
    (await decide(moved, 'approve', approver, approval)).status,
    (await decide(moved, 'withdraw', approver)).status,
    (await decide(moved, 'check', agent)).status,
    (await decide(moved, 'resolve', operator, { version: 1, outcome: 'failed', note: 'n' })).status,
    (await decide(moved, 'deny', approver, { reason: side.word })).status,
    (await propose(app, side, ids, dropped)).status,
    (await ask(app, 'POST', '/v1/commands', agent, { commands: [cancel] })).status,
    ...(await shopData(app, side, ids)),
  ];
};
const everythingIsTaken = [200, 200, 200, 409, 200, 201, 200, 200, 200];

/** Every route that reads, filled in; searches by the other's word as well. */
const readings = (ids: Ids, foreign: Side): readonly string[] => [
  ...guardedRows
    .filter(({ route, path }) => route.startsWith('get ') && path === undefined)
    .map(({ route }) => route.slice('get '.length))
    .map((path) =>
      path
        .replace('/v1/orders/{id}', `/v1/orders/${ids.orderId}`)
        .replace('/v1/tickets/{id}', `/v1/tickets/${ids.ticketId}`)
        .replace('{id}', ids.proposed),
    ),
  '/v1/feed?until=caught-up',
  ...['orders', 'tickets', 'operations'].map((what) => `/v1/${what}?q=${foreign.word}`),
  `/v1/operations?orderId=${ids.orderId}`,
  `/v1/operations?ticketId=${ids.ticketId}`,
];

const told = async (app: Hono, side: Side, foreign: Side, ids: Ids): Promise<string[]> => {
  const leaks: string[] = [];
  const look = (what: string, { status, text }: Told): void => {
    if (text.includes(foreign.word)) leaks.push(`${what} told ${side.word} of ${foreign.word}`);
    if (status === 200 && text.includes(foreign.organisationId)) leaks.push(`${what} named the other`);
  };
  for (const path of readings(ids, foreign)) {
    look(path, await ask(app, 'GET', path, side.keys.operator));
  }
  for (const path of [`/v1/operations/${ids.proposed}`, `/v1/orders/${ids.orderId}`]) {
    const own = await ask(app, 'GET', path, side.keys.operator);
    expect([own.status, own.text.includes(side.word)]).toEqual([200, true]);
  }
  const lookup = await ask(app, 'POST', '/v1/operations/lookup', side.keys.agent, { ids: [ids.proposed] });
  expect(lookup.text).toContain(side.word);
  look('lookup', lookup);
  const feed = await ask(app, 'GET', '/v1/feed?until=caught-up', side.keys.operator);
  expect(feed.text).toContain(side.word);
  return leaks;
};

const proposedIn = async (app: Hono, side: Side): Promise<string> =>
  (await ask(app, 'GET', '/metrics', side.keys.operator)).text
    .split('\n')
    .filter((line) => line.startsWith('holdfast_operations{'))
    .join('\n');

const event = async (app: Hono, side: Side): Promise<number> => {
  const secret = house.fake.access.webhookSecrets[0] ?? '';
  const refund = { id: `re_${mintId()}`, object: 'refund', amount: 100, currency: 'eur', metadata: {} };
  const object = { ...refund, payment_intent: side.reference, status: 'succeeded', created: 1 };
  const now = Math.floor(Date.now() / 1_000);
  const about = { type: 'refund.updated', created: now, livemode: false, request: null };
  const payload = JSON.stringify({ id: `evt_${mintId()}`, object: 'event', ...about, data: { object } });
  const signature = createHmac('sha256', secret)
    .update(`${String(now)}.${payload}`)
    .digest('hex');
  const response = await app.request(`${origin}/v1/webhooks/stripe`, {
    method: 'POST',
    headers: { 'stripe-signature': `t=${String(now)},v1=${signature}`, 'content-type': 'application/json' },
    body: payload,
  });
  return response.status;
};

const hold = async (app: Hono): Promise<void> => {
  const ids = freshIds();
  for (const side of [home, other]) {
    expect(await shopData(app, side, ids)).toEqual([201, 201]);
    expect((await propose(app, side, ids, ids.proposed)).status).toBe(201);
  }
  // One has more than the other, so that counting both would show.
  await propose(app, home, ids, mintId());
  expect(await told(app, home, other, ids)).toEqual([]);
  expect(await told(app, other, home, ids)).toEqual([]);
  const figures = [await proposedIn(app, home), await proposedIn(app, other)];

  for (const [acting, still] of [
    [other, home],
    [home, other],
  ] as const) {
    const before = await databaseDigest(house.admin, still.organisationId);
    expect(await doEverything(app, acting, ids)).toEqual(everythingIsTaken);
    expect(await databaseDigest(house.admin, still.organisationId)).toMatchObject(before);
  }
  expect(await told(app, home, other, ids)).toEqual([]);
  expect(await told(app, other, home, ids)).toEqual([]);
  const after = [await proposedIn(app, home), await proposedIn(app, other)];
  expect(figures[0]).not.toBe(figures[1]);
  for (const [index, text] of after.entries()) expect(text).not.toBe(figures[index]);

  const others = await databaseDigest(house.admin, other.organisationId);
  expect(await event(app, home)).toBe(200);
  expect(await databaseDigest(house.admin, other.organisationId)).toEqual(others);
};

const rulesOfRows = async (verb: 'enable' | 'disable'): Promise<void> => {
  const tables = await house.admin<{ name: string }[]>`
    select relname as name from pg_class where relkind = 'r' and relforcerowsecurity`;
  expect(tables.length).toBeGreaterThan(10);
  for (const { name } of tables) {
    await house.admin.unsafe(`alter table "${name}" ${verb} row level security`);
  }
};

describe('two organisations with the same IDs for everything', () => {
  // Red when: a policy of row-level security is left out of a table, or lets in more than the named organisation.
  it('are told nothing of each other and change nothing of each other by row-level security alone', async () => {
    await hold(filterless.app);
    expect(way.changed.size).toBeGreaterThan(30);
    expect([...way.kept]).toEqual([]);
  });

  // Red when: one query of any route leaves its `org_id = …` out.
  it('are told nothing of each other and change nothing of each other by the filters of the queries alone', async () => {
    await rulesOfRows('disable');
    try {
      await hold(house.app);
    } finally {
      await rulesOfRows('enable');
    }
  });

  it('would be told of each other with neither, so that the two before this can fail', async () => {
    await shopData(house.app, home, freshIds());
    await rulesOfRows('disable');
    try {
      const orders = await ask(filterless.app, 'GET', '/v1/orders', other.keys.operator);
      expect(orders.text).toContain(home.word);
    } finally {
      await rulesOfRows('enable');
    }
  });
});

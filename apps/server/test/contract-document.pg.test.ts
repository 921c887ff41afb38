import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z, type ZodType } from 'zod';
import { mintId, openHouse, origin, proposalOf, type AskOptions, type House } from './house-rig.ts';

const shape = z.record(z.string(), z.unknown());
const answerShape = z.looseObject({
  content: z.record(z.string(), z.looseObject({ schema: shape.optional() })).optional(),
});
const documentShape = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ responses: z.record(z.string(), answerShape) })),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), shape) }),
});

let house: House;
let document: z.infer<typeof documentShape>;
let page: Response;
let pageText = '';
let person: { userId: string; cookie: string };
beforeAll(async () => {
  house = await openHouse();
  person = await house.person('admin', 'ada@example.test');
  document = documentShape.parse((await house.ask('GET', '/openapi.json')).body);
  page = await house.app.request(`${origin}/docs`);
  pageText = await page.text();
});
afterAll(() => house.stop());

/** Strict where the document leaves room to grow: a field that is answered and not documented is a fault here. */
const strictly = (_key: string, value: unknown): unknown => {
  const object = shape.safeParse(value);
  if (!object.success || !shape.safeParse(object.data['properties']).success) return value;
  return { additionalProperties: false, ...object.data };
};

/** A shape of the served document as a judge of what is served: nothing of the program's own schemas is used. */
const judgeOf = (schema: Record<string, unknown>): ZodType => {
  const whole = { ...schema, $defs: document.components.schemas };
  const text = JSON.stringify(whole).replaceAll('#/components/schemas/', '#/$defs/');
  return z.fromJSONSchema(JSON.parse(text, strictly) as Parameters<typeof z.fromJSONSchema>[0]);
};

const documented = (): readonly string[] =>
  Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method} ${route}`),
  );

type Asked = { readonly status: number; readonly type: string; readonly body: unknown };

/** Asks one documented route and holds the answer to what the document says of that status. */
const askAs = async (name: string, route: string, options: AskOptions = {}): Promise<Asked> => {
  const [method = '', template = ''] = name.split(' ');
  const stop = new AbortController();
  const response = await house.app.request(`${origin}${route}`, {
    method: method.toUpperCase(),
    signal: stop.signal,
    headers: {
      ...(options.key === undefined
        ? { cookie: person.cookie, origin }
        : { authorization: `Bearer ${options.key}` }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ...(options.raw === undefined ? {} : { body: options.raw }),
  });
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  if (type === 'text/event-stream') stop.abort();
  const text = type === 'text/event-stream' ? '' : await response.text();
  const body: unknown = type.endsWith('json') ? JSON.parse(text) : text;
  const responses = document.paths[template]?.[method]?.responses;
  const answer = responses?.[String(response.status)] ?? responses?.['default'];
  if (answer === undefined)
    throw new Error(`${name} answered ${String(response.status)}, which is not documented`);
  if (answer.content !== undefined) {
    expect(Object.keys(answer.content), `${name} ${String(response.status)}`).toContain(type);
    const { schema } = answer.content[type] ?? {};
    const judged =
      schema === undefined || type === 'text/event-stream' ? undefined : judgeOf(schema).safeParse(body);
    expect(judged?.error?.issues ?? [], `${name} ${String(response.status)}: ${text}`).toEqual([]);
  }
  return { status: response.status, type, body };
};

const signed = (payload: string): Record<string, string> => {
  const at = String(Math.floor(Date.now() / 1_000));
  const secret = house.fake.access.webhookSecrets[0] ?? '';
  return {
    'stripe-signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${payload}`).digest('hex')}`,
  };
};

const orderOf = (reference: string) => ({
  customer: { id: 'c-1', name: 'Ann' },
  payment: { provider: 'stripe', reference, captured: { minor: 5_000, currency: 'EUR' } },
  lines: [{ sku: 's', title: 'Lamp', quantity: 1, amount: { minor: 5_000, currency: 'EUR' } }],
  returns: [{ id: 'r-1', status: 'received', receivedAt: '2026-11-01T10:00:00Z' }],
  placedAt: new Date(Date.now() - 86_400_000).toISOString(),
});

/** Every documented route once as it should be asked, in an order in which each has something to answer about. */
const forPeopleAlone = [
  'post /v1/me/organisation',
  'get /v1/people',
  ...['role', 'remove', 'take-back', 'invite', 'invite-again', 'withdraw-invitation'].map(
    (act) => `post /v1/people/${act}`,
  ),
  'get /v1/keys',
  'get /v1/provider-account',
  'post /v1/keys',
  'post /v1/keys/rotate',
  'post /v1/keys/revoke',
];

/** Asked with an empty body about nothing that is there: each says what it lacks, or that there is nothing. */
const askedForNothing = [
  ...['devices', 'devices/end', 'devices/own', 'test', 'way'].map(
    (act) => `post /v1/me/notifications/${act}`,
  ),
  'post /v1/people/{id}/recovery',
  'post /v1/people/{id}/sessions/end',
  'post /v1/policy/changes/{id}/approve',
  'post /v1/policy/changes/{id}/refuse',
  'post /v1/policy/preview',
  'post /v1/recoveries/{id}/agree',
  'post /v1/recoveries/{id}/withdraw',
  'put /v1/policy',
];

type Ask = (name: string, route: string, options?: AskOptions) => Promise<Asked>;

/** Where the world outside is told, from the first address to its removal. */
const walkEndpoints = async (ask: Ask): Promise<void> => {
  const path = '/v1/webhook-endpoints';
  const added = await ask(`post ${path}`, path, { body: { url: 'https://hooks.example/holdfast' } });
  const { id } = z.looseObject({ id: z.string() }).parse(added.body);
  await ask(`get ${path}`, path);
  await ask(`get ${path}/{id}/deliveries`, `${path}/${id}/deliveries`);
  const acts = [
    ['switch', { on: false }],
    ['rotate', {}],
    ['redeliver', { failedSince: '2026-11-01T10:00:00Z' }],
    ['test', {}],
    ['remove', {}],
  ] as const;
  for (const [act, body] of acts) await ask(`post ${path}/{id}/${act}`, `${path}/${id}/${act}`, { body });
};

const walk = async (): Promise<ReadonlyMap<string, Asked>> => {
  const answers = new Map<string, Asked>();
  const ask = async (name: string, route: string, options?: AskOptions): Promise<Asked> => {
    const asked = await askAs(name, route, options);
    answers.set(name, asked);
    return asked;
  };
  const integrator = await house.key('integrator');
  const agent = await house.key('agent');
  for (const route of [
    '/openapi.json',
    '/docs',
    '/healthz',
    '/readyz',
    '/metrics',
    '/v1/me',
    '/v1/feed',
    '/v1/demo',
  ]) {
    await ask(`get ${route}`, route);
  }
  // What people alone do, with nothing said.
  for (const route of forPeopleAlone)
    await ask(route, route.split(' ')[1] ?? '', route.startsWith('get') ? {} : { body: {} });
  for (const route of ['/v1/invitation', '/v1/invitation/accept'])
    await ask(`post ${route}`, route, { body: { token: 'x' } });
  await ask('put /v1/orders/{id}', '/v1/orders/walked', { key: integrator, body: orderOf('pi_walked') });
  const ticket = {
    subject: 'Hello',
    customerId: 'c-1',
    status: 'open',
    messages: [{ at: '2026-11-01T10:00:00Z', from: 'Ann', text: 'Hi' }],
  };
  await ask('put /v1/tickets/{id}', '/v1/tickets/walked', { key: integrator, body: ticket });
  const id = mintId();
  const at = `/v1/operations/${id}`;
  const body = proposalOf('walked');
  const proposed = await ask('put /v1/operations/{id}', at, { key: agent, body });
  const { fingerprint } = z.looseObject({ fingerprint: z.string() }).parse(proposed.body);
  const decision = (more: object): AskOptions => ({ body: { commandId: mintId(), ...more } });
  await ask('post /v1/operations/{id}/approve', `${at}/approve`, decision({ fingerprint }));
  await ask('post /v1/operations/{id}/withdraw', `${at}/withdraw`, decision({}));
  await ask('post /v1/operations/{id}/check', `${at}/check`);
  await ask('post /v1/operations/{id}/deny', `${at}/deny`, decision({ reason: 'no' }));
  await ask(
    'post /v1/operations/{id}/cancel',
    `/v1/operations/${mintId()}/cancel`,
    decision({ reason: 'dropped' }),
  );
  await ask(
    'post /v1/operations/{id}/resolve',
    `${at}/resolve`,
    decision({ version: 1, outcome: 'failed', note: 'n' }),
  );
  await ask('post /v1/operations/{id}/case', `${at}/case`, decision({ act: 'comment', text: 'seen' }));
  await ask('post /v1/operations/{id}/follow-up', `${at}/follow-up`, decision({ act: 'take' }));
  await ask('get /v1/operations/{id}/provider-ledger', `${at}/provider-ledger`);
  await ask('get /v1/case-takers', '/v1/case-takers');
  await ask('post /v1/demo/cases', '/v1/demo/cases');
  await ask('get /v1/operations/{id}', at);
  await ask('get /v1/operations', '/v1/operations?limit=1');
  await ask('get /v1/numbers/operations', '/v1/numbers/operations?figure=duplicates');
  await ask('get /v1/operations/export', '/v1/operations/export?timeZone=Europe/Berlin');
  const sweep = await ask('post /v1/sweeps', '/v1/sweeps', { body: { hours: 1 } });
  const { id: sweepId } = z.looseObject({ id: z.string() }).parse(sweep.body);
  await ask('get /v1/sweeps', '/v1/sweeps');
  for (const part of ['findings', 'export'])
    await ask(`get /v1/sweeps/{id}/${part}`, `/v1/sweeps/${sweepId}/${part}`);
  await ask('post /v1/operations/lookup', '/v1/operations/lookup', { body: { ids: [id, mintId()] } });
  const cancel = { type: 'cancel', commandId: mintId(), operationId: mintId(), reason: 'x' };
  await ask('post /v1/commands', '/v1/commands', { body: { commands: [cancel, 'nonsense'] } });
  await ask('post /v1/assistant', '/v1/assistant', { body: { text: 'What became of order walked?' } });
  await ask('post /mcp', '/mcp', { key: agent, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
  for (const list of ['orders', 'tickets']) {
    await ask(`get /v1/${list}`, `/v1/${list}?q=walked`);
    await ask(`get /v1/${list}/{id}`, `/v1/${list}/walked`);
  }
  const event = JSON.stringify({
    id: 'evt_walked',
    object: 'event',
    type: 'customer.created',
    created: 1,
    livemode: false,
    data: { object: { id: 'cus_1', object: 'customer' } },
  });
  await ask('post /v1/webhooks/stripe', '/v1/webhooks/stripe', { raw: event, headers: signed(event) });
  await ask('post /v1/set-password', '/v1/set-password', {
    body: { token: 'unknown', password: 'long enough a password' },
  });
  const credential = {
    id: 'unknown',
    rawId: 'unknown',
    type: 'public-key',
    response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
  };
  await ask('get /v1/sign-in-ways', '/v1/sign-in-ways');
  await ask('post /v1/passkey-sign-in/options', '/v1/passkey-sign-in/options');
  await ask('post /v1/passkey-sign-in', '/v1/passkey-sign-in', { body: { credential } });
  await ask('post /v1/password-reset', '/v1/password-reset', { body: { email: 'nobody@b.example' } });
  for (const route of ['confirm/options', 'passkeys/options', 'end-other-sessions']) {
    await ask(`post /v1/me/${route}`, `/v1/me/${route}`);
  }
  await ask('get /v1/me/security', '/v1/me/security');
  await ask('post /v1/me/confirm', '/v1/me/confirm', { body: { password: 'not it' } });
  await ask('post /v1/me/passkeys', '/v1/me/passkeys', { body: { name: 'x', credential: {} } });
  await ask('put /v1/me/passkeys/{id}', '/v1/me/passkeys/none', { body: { name: 'x' } });
  await ask('post /v1/me/passkeys/{id}/revoke', '/v1/me/passkeys/none/revoke');
  await ask('post /v1/me/sessions/{id}/end', '/v1/me/sessions/none/end');
  await ask('post /v1/me/password', '/v1/me/password', { body: { password: 'another password for it' } });
  for (const route of [
    '/v1/audit',
    '/v1/audit/export',
    '/v1/audit/seals',
    '/v1/me/notifications',
    '/v1/me/signing',
    '/v1/policy',
    '/v1/numbers',
    '/v1/pending-times',
  ]) {
    await ask(`get ${route}`, route);
  }
  for (const name of askedForNothing) {
    const route = name.slice(name.indexOf(' ') + 1).replace('{id}', mintId());
    await ask(name, route, { body: {} });
  }
  await walkEndpoints(ask);
  await ask('get /v1/hold', '/v1/hold');
  await ask('post /v1/hold', '/v1/hold', { body: { on: false } });
  await ask('get /api/auth/get-session', '/api/auth/get-session');
  await ask('post /api/auth/sign-in/email', '/api/auth/sign-in/email', {
    body: { email: 'a@b.example', password: 'x' },
  });
  await ask('post /api/auth/sign-out', '/api/auth/sign-out');
  return answers;
};

describe('the contract as a document', () => {
  // Red when: a route answers with a status, a media type or a body that its document does not show.
  it('says of every route what it answers, and the walk leaves none out', async () => {
    const answers = await walk();
    expect([...answers.keys()].toSorted()).toEqual([...documented()].toSorted());
    const refused = [...answers]
      .filter(([, { status }]) => status >= 400)
      .map(([name, { status }]) => [name, status]);
    expect(refused).toEqual([
      ['get /v1/demo', 404],
      ...forPeopleAlone.filter((name) => name.startsWith('post')).map((name) => [name, 422]),
      ['post /v1/invitation', 422],
      ['post /v1/invitation/accept', 422],
      ['post /v1/operations/{id}/resolve', 409],
      // It did not come back.
      ['post /v1/operations/{id}/follow-up', 422],
      ['post /v1/demo/cases', 404],
      ['post /v1/set-password', 422],
      ['post /v1/passkey-sign-in', 401],
      ['post /v1/me/confirm', 422],
      ['post /v1/me/passkeys', 422],
      ['put /v1/me/passkeys/{id}', 404],
      ['post /v1/me/passkeys/{id}/revoke', 404],
      ['post /v1/me/sessions/{id}/end', 404],
      ...askedForNothing
        .filter((name) => name !== 'post /v1/me/notifications/test')
        .map((name) => [name, /sessions|changes|recoveries/.test(name) ? 404 : 422]),
      ['post /api/auth/sign-in/email', 401],
    ]);
  });

  // Red when: refusals of a route are not problems of the documented shape.
  it('says of every guarded route that a stranger gets a problem', async () => {
    const open =
      /\/(openapi\.json|docs|healthz|readyz|set-password|invitation|sign-in-ways|passkey-sign-in|password-reset|demo|webhooks|auth)/;
    for (const name of documented().filter((one) => !open.test(one))) {
      const route = (name.split(' ')[1] ?? '').replace('{id}', mintId());
      const asked = await askAs(name, route, {
        key: 'hf_nobody',
        ...(name.startsWith('get') ? {} : { body: {} }),
      });
      expect([name, asked.status, asked.type]).toEqual([name, 401, 'application/problem+json']);
    }
  });

  // Red when: a route is mounted without being described.
  it('describes every route that is served', () => {
    const served = house.app.routes
      .filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect([...new Set(served)].toSorted()).toEqual([...documented()].toSorted());
  });
});

describe('the contract as a page', () => {
  // Red when: the page leaves a route, one of its statuses or a parameter out.
  it('shows every documented route with its answers and parameters', () => {
    for (const name of documented()) {
      const [method = '', route = ''] = name.split(' ');
      const id = `${method}-${route}`.replaceAll(/[^a-z0-9]+/gi, '-');
      const from = pageText.indexOf(`<section id="${id}">`);
      expect(from, name).toBeGreaterThan(0);
      const section = pageText.slice(from, pageText.indexOf('</section>', from));
      expect(section).toContain(route);
      for (const status of Object.keys(document.paths[route]?.[method]?.responses ?? {})) {
        expect(section, `${name} ${status}`).toContain(`<code>${status}</code>`);
      }
    }
  });

  // Red when: a batch's commands are shown as anything at all, as they are read.
  it('shows what a command of a batch has to look like', () => {
    const judge = judgeOf({ $ref: '#/components/schemas/Command' });
    const ids = { operationId: mintId(), commandId: mintId() };
    expect(judge.safeParse({ type: 'approve', ...ids, fingerprint: '0'.repeat(64) }).success).toBe(true);
    expect(judge.safeParse({ type: 'approve', ...ids }).success).toBe(false);
    expect(JSON.stringify(document.paths['/v1/commands']?.['post'])).toContain(
      '#/components/schemas/Command',
    );
  });

  // Red when: a section cannot be reached from the contents, or a link there leads nowhere.
  it('begins with how to ask, and with links to all of it', () => {
    const links = [...pageText.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    const ids = [...pageText.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id);
    expect(links).toEqual(ids.filter((id) => id !== 'begin'));
    for (const word of ['Authorization: Bearer', '/v1/operations/$ID/approve', 'fingerprint', 'version 7']) {
      expect(pageText.indexOf(word), word).toBeGreaterThan(0);
      expect(pageText.indexOf(word), word).toBeLessThan(pageText.indexOf('<nav'));
    }
  });

  // Red when: the page takes a script, a style or a picture from anywhere, or its policy would let it.
  it('loads nothing from elsewhere, and could not', () => {
    expect(pageText).not.toMatch(/<(script|link|img|iframe|object|embed)\b|\bsrc=|@import|url\(/i);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*/);
  });
});

import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../src/embedded-postgres/cluster.ts';
import { startFakeStripe, type FakeStripe } from '../../src/start/fake-stripe.ts';
import { makeAuthenticator } from '../authenticator.ts';
import { eventually } from '../eventually.ts';
import { mintId } from '../house-rig.ts';
import { startMailCatcher, type MailCatcher } from '../mail-catcher.ts';
import { freshDatabase } from '../own-cluster.ts';
import { holdfast, holdfastGiven, startServer, type Running } from '../program.ts';
import { startStripeAccounts, type StripeAccounts } from '../stripe-accounts.ts';

/*
 * One run of the real server, at its most talkative, through everything that people and programs bring to it and
 * through what goes wrong. Whatever of that is secret or personal is noted as it is made, and looked for in every line.
 */
let folder = '';
let fake: FakeStripe;
let accounts: StripeAccounts;
let catcher: MailCatcher;
let sql: postgres.Sql;
let server: Running;
let base = '';
let variables: Record<string, string> = {};

/** Plain words that stand for what people write; made up, so that finding one in the log proves where it came from. */
const planted = {
  password: 'planted-password-Zq81',
  secondPassword: 'planted-password-Wr52',
  wrongPassword: 'planted-wrong-password-Xx93',
  providerSecret: 'sk_test_planted0home',
  secondProviderSecret: 'sk_test_planted0second',
  webhookSecret: 'whsec_planted0home',
  secondWebhookSecret: 'whsec_planted0second',
  mailPassword: 'planted-mail-password',
  admin: 'planted.admin@people.example',
  invited: 'planted.invited@people.example',
  unknown: 'planted.unknown@people.example',
  adminName: 'Plantina Adminova',
  invitedName: 'Planton Invitado',
  keyName: 'planted key of Plantagenet',
  customerName: 'Plantilda Kundinsky',
  note: 'planted note: call Plantilda on 0170',
  reason: 'planted reason: Plantilda rang twice',
  ticketText: 'planted ticket: my address is Plantstreet 1',
  address: 'planted-order-of-plantilda@people.example',
} as const;

/** What only comes into being on the way: cookies, keys, tokens. */
const made = new Map<string, string>();
const note = (what: string, value: string): string => {
  expect(value.length, what).toBeGreaterThan(12);
  made.set(what, value);
  return value;
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-server-log-'));
  fake = await startFakeStripe(path.join(folder, 'fake'), await freePort(0), undefined);
  accounts = await startStripeAccounts(fake.access.apiBase);
  catcher = await startMailCatcher();
  const port = String(await freePort(0));
  base = `http://localhost:${port}`;
  variables = {
    DATABASE_URL: await freshDatabase('log'),
    HOLDFAST_DATA_DIR: path.join(folder, 'data'),
    HOLDFAST_DEMO: 'off',
    HOLDFAST_UNDO_MS: '0',
    HOLDFAST_CHECK_BACKOFF_MS: '100',
    HOLDFAST_PROVIDER_TIMEOUT_MS: '2000',
    HOLDFAST_SMTP_URL: catcher.url.replace('smtp://', `smtp://holdfast:${planted.mailPassword}@`),
    HOLDFAST_MAIL_FROM: 'refunds@shop.example',
    LOG_LEVEL: 'trace',
    PORT: port,
    STRIPE_SECRET_KEY: planted.providerSecret,
    STRIPE_API_BASE: accounts.base,
    STRIPE_WEBHOOK_SECRET: planted.webhookSecret,
  };
  sql = postgres(variables['DATABASE_URL'] ?? '', { max: 1, onnotice: () => undefined });
  server = await startServer(variables);
});
afterAll(async () => {
  await server.end('SIGTERM');
  await sql.end();
  await catcher.stop();
  await accounts.stop();
  await fake.stop();
  await rm(folder, { recursive: true, force: true });
});

type By = { readonly cookie?: string; readonly key?: string; readonly headers?: Record<string, string> };
type Answer = { readonly status: number; readonly body: Record<string, unknown>; readonly cookie: string };

const send = async (method: string, route: string, by: By, body?: string): Promise<Answer> => {
  const response = await fetch(`${base}${route}`, {
    method,
    headers: {
      origin: base,
      ...(by.cookie === undefined ? {} : { cookie: by.cookie }),
      ...(by.key === undefined ? {} : { authorization: `Bearer ${by.key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...by.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const read: unknown = isJson ? JSON.parse(text) : { text };
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return { status: response.status, body: read as Record<string, unknown>, cookie: cookies.join('; ') };
};
const ask = (method: string, route: string, by: By, body?: unknown): Promise<Answer> =>
  send(method, route, by, body === undefined ? undefined : JSON.stringify(body));

const signIn = async (email: string, password: string): Promise<string> => {
  const { status, cookie } = await ask('POST', '/api/auth/sign-in/email', {}, { email, password });
  expect(status).toBe(200);
  for (const one of cookie.split('; '))
    note(`cookie of ${email}`, decodeURIComponent(one.split('=')[1] ?? ''));
  note(`session of ${email}`, decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] ?? '');
  return cookie;
};

const tokenIn = (text: string): string => /(?:token=|invitation#)([\w-]{20,})/.exec(text)?.[1] ?? '';
const letterTo = async (address: string): Promise<string> => (await catcher.next(address)).text;

const peopleComeIn = async () => {
  const add = ['user', 'add', '--email', planted.admin, '--name', planted.adminName, '--role', 'admin'];
  const added = await holdfast(variables, ...add);
  expect(added.code, added.error).toBe(0);
  const first = note('token of the first link', tokenIn(added.out));
  const choose = (token: string, password: string) =>
    ask('POST', '/v1/set-password', {}, { token, password });
  expect((await choose(first, planted.password)).status).toBe(200);
  expect((await choose(first, planted.password)).status).toBe(422);
  for (const email of [planted.admin, planted.unknown]) {
    const wrong = await ask(
      'POST',
      '/api/auth/sign-in/email',
      {},
      { email, password: planted.wrongPassword },
    );
    expect(wrong.status).toBe(401);
  }
  const admin = await signIn(planted.admin, planted.password);
  const invitation = { email: planted.invited, name: planted.invitedName, role: 'approver' };
  const invited = await ask('POST', '/v1/people/invite', { cookie: admin }, invitation);
  expect(invited.body).toMatchObject({ mailed: true });
  const token = note('token of the invitation', tokenIn(await letterTo(planted.invited)));
  expect((await ask('POST', '/v1/invitation', {}, { token })).status).toBe(200);
  const accepted = { token, password: planted.password };
  expect((await ask('POST', '/v1/invitation/accept', {}, accepted)).status).toBe(200);
  for (const email of [planted.invited, planted.unknown]) {
    expect((await ask('POST', '/v1/password-reset', {}, { email })).status).toBe(200);
  }
  const reset = note('token of the reset', tokenIn(await letterTo(planted.invited)));
  expect((await choose(reset, planted.secondPassword)).status).toBe(200);
  return { admin, approver: await signIn(planted.invited, planted.secondPassword) };
};

const passkeyOf = async (cookie: string) => {
  const passkey = makeAuthenticator();
  const { body } = await ask('POST', '/v1/me/passkeys/options', { cookie }, {});
  const { challenge } = body['options'] as { challenge: string };
  const credential = passkey.create({ challenge, origin: base });
  const registered = { name: planted.keyName, credential };
  expect((await ask('POST', '/v1/me/passkeys', { cookie }, registered)).status).toBe(200);
  const options = await ask('POST', '/v1/passkey-sign-in/options', {}, {});
  const again = (options.body['options'] as { challenge: string }).challenge;
  const used = passkey.get({ challenge: again, origin: base });
  note('signature of the passkey', String((used['response'] as Record<string, unknown>)['signature']));
  expect((await ask('POST', '/v1/passkey-sign-in', {}, { credential: used })).status).toBe(200);
};

const keysOf = async (cookie: string) => {
  const make = async (role: string): Promise<string> => {
    const order = { name: `${planted.keyName} ${role}`, role, ownerId: null, expiresAt: null };
    const { status, body } = await ask('POST', '/v1/keys', { cookie }, order);
    expect(status, JSON.stringify(body)).toBe(201);
    return note(`key of role ${role}`, String(body['key']));
  };
  return {
    agent: await make('agent'),
    integrator: await make('integrator'),
    operator: await make('operator'),
  };
};

const amount = { minor: 4_999, currency: 'EUR' };

const ordered = async (key: string, id: string): Promise<void> => {
  const reference = `pi_${id.replaceAll(/\W/g, '')}`;
  await fetch(`${fake.access.apiBase}/fake/payment_intents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ id: reference, amount: amount.minor, currency: 'eur' }]),
  });
  const order = {
    customer: { id: 'c-1', name: planted.customerName },
    payment: { provider: 'stripe', reference, captured: amount },
    lines: [{ sku: 's', title: 'Lamp', quantity: 1, amount }],
    returns: [{ id: `r-${id}`, status: 'received', receivedAt: new Date().toISOString() }],
    placedAt: new Date(Date.now() - 86_400_000).toISOString(),
  };
  const put = await ask('PUT', `/v1/orders/${encodeURIComponent(id)}`, { key }, order);
  expect(put.status, JSON.stringify(put.body)).toBe(201);
};

const proposed = async (key: string, orderId: string) => {
  const id = mintId();
  const proposal = { kind: 'refund', orderId, amount, reason: 'returned', note: planted.note };
  const { status, body } = await ask('PUT', `/v1/operations/${id}`, { key }, proposal);
  expect(status, JSON.stringify(body)).toBe(201);
  return { id, fingerprint: body['fingerprint'] };
};

const reaches = (key: string, id: string, state: string) =>
  eventually(`the operation to be ${state}`, async () => {
    const { body } = await ask('GET', `/v1/operations/${id}`, { key });
    return body['state'] === state;
  });

const fault = (order: Record<string, unknown>) =>
  fetch(`${fake.access.apiBase}/fake/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });

const refundsAreMade = async (keys: Awaited<ReturnType<typeof keysOf>>, approver: string) => {
  const account = await holdfastGiven(
    `${planted.providerSecret}\n${planted.webhookSecret}\n`,
    variables,
    ...['provider', 'set'],
  );
  expect(account.code, account.error).toBe(0);
  const [plain, named, unknown] = ['plain-1', planted.address, 'unknown-1'] as const;
  for (const id of [plain, named, unknown]) await ordered(keys.integrator, id);
  const ticket = {
    subject: planted.ticketText,
    customerId: 'c-1',
    orderId: plain,
    status: 'open',
    messages: [{ at: new Date().toISOString(), from: planted.customerName, text: planted.ticketText }],
  };
  expect((await ask('PUT', '/v1/tickets/t-1', { key: keys.integrator }, ticket)).status).toBe(201);
  const approve = async (orderId: string) => {
    const { id, fingerprint } = await proposed(keys.agent, orderId);
    const approval = { commandId: mintId(), fingerprint };
    const answer = await ask('POST', `/v1/operations/${id}/approve`, { cookie: approver }, approval);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return id;
  };
  await reaches(keys.agent, await approve(plain), 'confirmed');
  // The provider's own words may repeat anything: a page, a cut answer.
  await fault({ on: 'refund.create', do: 'html_502', times: 1 });
  await fault({ on: 'refund.list', do: 'truncated_body', times: 1 });
  await reaches(keys.agent, await approve(unknown), 'confirmed');
  const denied = await proposed(keys.agent, named);
  const denial = { commandId: mintId(), reason: planted.reason };
  const deny = `/v1/operations/${denied.id}/deny`;
  expect((await ask('POST', deny, { cookie: approver }, denial)).status).toBe(200);
  for (const words of [planted.address, planted.customerName, planted.admin]) {
    const found = await ask('GET', `/v1/orders?q=${encodeURIComponent(words)}`, { key: keys.agent });
    expect(found.status).toBe(200);
    await ask('GET', `/v1/orders/${encodeURIComponent(words)}`, { key: keys.agent });
    await ask('GET', `/orders/${encodeURIComponent(words)}`, {});
    await ask('GET', `/v1/nowhere/${encodeURIComponent(words)}`, { key: keys.agent });
  }
};

const eventsArrive = async () => {
  const object = { id: 're_1', object: 'refund', metadata: { of: planted.customerName } };
  const payload = JSON.stringify({
    id: 'evt_planted',
    object: 'event',
    type: 'refund.updated',
    created: Math.floor(Date.now() / 1_000),
    data: { object },
  });
  const at = String(Math.floor(Date.now() / 1_000));
  const signed = (secret: string): By => ({
    headers: {
      'stripe-signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${payload}`).digest('hex')}`,
    },
  });
  const deliver = (by: By, body: string) => send('POST', '/v1/webhooks/stripe', by, body);
  expect((await deliver(signed(planted.webhookSecret), payload)).status).toBe(200);
  expect((await deliver(signed(planted.secondWebhookSecret), payload)).status).toBe(400);
  expect((await deliver(signed(planted.webhookSecret), planted.customerName)).status).toBe(400);
};

/** A database that refuses with the row in its words, as a trigger of somebody's may. */
const databaseRefuses = async (table: string, act: () => Promise<void>): Promise<void> => {
  await sql.unsafe(`
    create function public.planted_refusal() returns trigger language plpgsql as $$
      begin raise exception 'refused: % of ${planted.customerName}', new using errcode = 'P0001'; end $$;
    create trigger planted before insert or update on ${table} for each row execute function public.planted_refusal()`);
  await act();
  await sql.unsafe(`drop trigger planted on ${table}; drop function public.planted_refusal()`);
};

const thingsBreak = async (keys: Awaited<ReturnType<typeof keysOf>>, admin: string) => {
  await databaseRefuses('tickets', async () => {
    const ticket = { subject: planted.ticketText, customerId: 'c-1', status: 'open' };
    expect((await ask('PUT', '/v1/tickets/t-2', { key: keys.integrator }, ticket)).status).toBe(500);
  });
  await databaseRefuses('invitations', async () => {
    const person = { email: planted.unknown, name: planted.invitedName, role: 'agent' };
    expect((await ask('POST', '/v1/people/invite', { cookie: admin }, person)).status).toBe(500);
  });
  await databaseRefuses('sign_in.session', async () => {
    const words = { email: planted.admin, password: planted.password };
    expect((await ask('POST', '/api/auth/sign-in/email', {}, words)).status).toBeGreaterThanOrEqual(500);
  });
  catcher.refuseAll(true);
  await ask('POST', '/v1/password-reset', {}, { email: planted.admin });
  await eventually('the refused letter to be told of', () =>
    server.output().includes('a letter was not sent'),
  );
  catcher.refuseAll(false);
  const broken = `{"email":"${planted.admin}","password":"${planted.password}`;
  expect((await send('POST', '/api/auth/sign-in/email', {}, broken)).status).toBe(400);
  expect((await send('PUT', '/v1/tickets/t-3', { key: keys.integrator }, broken)).status).toBe(400);
  const madeUp = note('a key that is none', `hf_${randomBytes(24).toString('hex')}`);
  expect((await ask('GET', '/v1/me', { key: madeUp })).status).toBe(401);
  const lost = note('a session that is none', `planted${randomBytes(16).toString('hex')}`);
  expect((await ask('GET', '/v1/me', { cookie: `holdfast.session_token=${lost}.x` })).status).toBe(401);
};

// Red when: a request's path, body or header is logged, an error with its words, or what the provider answered.
it('the whole log of a server at level trace holds no secret, no address, no name and no word that somebody wrote', async () => {
  const { admin, approver } = await peopleComeIn();
  await passkeyOf(approver);
  const keys = await keysOf(admin);
  await refundsAreMade(keys, approver);
  await eventsArrive();
  await thingsBreak(keys, admin);
  for (const cookie of [admin, approver]) await ask('POST', '/api/auth/sign-out', { cookie }, {});
  expect(await server.end('SIGTERM')).toBe(0);

  const lines = server.output().split('\n');
  const told = lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string });
  // What is looked through is the log of all that: requests one by one, and what went wrong.
  expect(told.filter(({ msg }) => msg === 'request').length).toBeGreaterThan(50);
  expect(told.filter(({ msg }) => msg === 'a request failed').length).toBeGreaterThanOrEqual(2);
  const found = [...Object.entries(planted), ...made].flatMap(([what, value]) =>
    [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)].flatMap((written) =>
      lines.filter((line) => line.includes(written)).map((line) => `${what}: ${line}`),
    ),
  );
  expect(found).toEqual([]);
  expect(lines.filter((line) => /plant|[\w.]+@[\w.]+\.example/i.test(line.replaceAll(folder, '')))).toEqual(
    [],
  );
});

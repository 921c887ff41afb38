import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey, mintApiKey } from '../src/sign-in/api-key.ts';
import { freePort } from '../src/embedded-postgres/cluster.ts';
import { startFakeStripe, type FakeStripe } from '../src/start/fake-stripe.ts';
import { eventually } from './eventually.ts';
import { mintId, proposalOf } from './house-rig.ts';
import { freshDatabase } from './own-cluster.ts';
import { holdfast, holdfastGiven, startServer, type Running } from './program.ts';
import { startStripeAccounts, type StripeAccounts } from './stripe-accounts.ts';

let folder = '';
let fake: FakeStripe;
let accounts: StripeAccounts;
let sql: postgres.Sql;
let variables: Record<string, string> = {};
const running: Running[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-provider-set-'));
  fake = await startFakeStripe(path.join(folder, 'fake'), await freePort(0), undefined);
  accounts = await startStripeAccounts(fake.access.apiBase);
  const url = await freshDatabase('provider_set');
  sql = postgres(url, { max: 2, onnotice: () => undefined });
  variables = {
    DATABASE_URL: url,
    HOLDFAST_DATA_DIR: path.join(folder, 'data'),
    HOLDFAST_DEMO: 'off',
    HOLDFAST_KEY_APPROVALS: 'on',
    HOLDFAST_UNDO_MS: '0',
    PORT: String(await freePort(0)),
    FAKE_STRIPE_PORT: String(await freePort(0)),
  };
});
afterAll(async () => {
  for (const server of running) await server.end('SIGTERM');
  await sql.end();
  await accounts.stop();
  await fake.stop();
  await rm(folder, { recursive: true, force: true });
});

const start = async (): Promise<Running> => {
  const server = await startServer(variables);
  running.push(server);
  return server;
};

const ask = async (method: string, route: string, key: string, body?: unknown) => {
  const response = await fetch(`http://127.0.0.1:${variables['PORT'] ?? ''}${route}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const keysOf = async (organisationId: string) => {
  const make = async (role: string): Promise<string> => {
    const key = mintApiKey();
    await sql`insert into api_keys (org_id, id, hash, role, name)
      values (${organisationId}, ${mintId()}, ${hashApiKey(key)}, ${role}, ${role})`;
    return key;
  };
  return {
    integrator: await make('integrator'),
    agent: await make('agent'),
    approver: await make('approver'),
  };
};
type Keys = Awaited<ReturnType<typeof keysOf>>;

const putOrder = async (keys: Keys, id: string): Promise<string> => {
  const reference = `pi_${mintId().replaceAll('-', '')}`;
  const amount = { minor: 5_000, currency: 'EUR' };
  await fetch(`${fake.access.apiBase}/fake/payment_intents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ id: reference, amount: 5_000, currency: 'eur' }]),
  });
  const put = await ask('PUT', `/v1/orders/${id}`, keys.integrator, {
    customer: { id: 'c-1', name: 'Ann' },
    payment: { provider: 'stripe', reference, captured: amount },
    lines: [{ sku: 's', title: 'Lamp', quantity: 1, amount }],
    returns: [{ id: `r-${id}`, status: 'received', receivedAt: new Date().toISOString() }],
    placedAt: new Date(Date.now() - 86_400_000).toISOString(),
  });
  expect(put.status).toBe(201);
  return reference;
};

const approved = async (keys: Keys, orderId: string, id = mintId()): Promise<string> => {
  const { body } = await ask('PUT', `/v1/operations/${id}`, keys.agent, proposalOf(orderId, 700));
  const approval = { commandId: mintId(), fingerprint: body['fingerprint'] };
  expect((await ask('POST', `/v1/operations/${id}/approve`, keys.approver, approval)).status).toBe(200);
  return id;
};

const reaches = (keys: Keys, id: string, field: string, value: string) =>
  eventually(`${field} to be ${value}`, async () => {
    const { body } = await ask('GET', `/v1/operations/${id}`, keys.agent);
    return body[field] === value && body;
  });

type Refund = { readonly payment_intent: string; readonly metadata: Readonly<Record<string, string>> };
const refundsOf = async (payment: string): Promise<Refund[]> => {
  const answer = await fetch(`${fake.access.apiBase}/fake/ledger`);
  const { refunds } = (await answer.json()) as { refunds: Refund[] };
  return refunds.filter((refund) => refund.payment_intent === payment);
};

const set = (input: string, ...more: string[]) => holdfastGiven(input, variables, 'provider', 'set', ...more);

describe('provider set', () => {
  // Red when: `isHome` takes an account beside the one on record, or `setProviderAccess` does not record the new one.
  it('a database first used with the fake executes elsewhere only after it, and then by itself', async () => {
    const first = await start();
    const [installed] = await sql<{ id: string }[]>`select default_org_id as id from installation`;
    const keys = await keysOf(installed?.id ?? '');
    const early = await putOrder(keys, 'early');
    await eventually(
      'the fake to be on record',
      async () => (await sql`select 1 from provider_accounts`).length > 0,
    );
    expect(await first.end('SIGTERM')).toBe(0);

    variables = { ...variables, STRIPE_SECRET_KEY: 'sk_test_home', STRIPE_API_BASE: accounts.base };
    await start();
    const late = await putOrder(keys, 'late');
    const ids = [await approved(keys, 'early'), await approved(keys, 'late')];
    for (const id of ids) await reaches(keys, id, 'waitingFor', 'provider-account');
    const doctor = await holdfast(variables, 'doctor', '--json');
    expect(doctor.code).toBe(1);
    expect(doctor.error).toContain('provider set');
    expect([...(await refundsOf(early)), ...(await refundsOf(late))]).toEqual([]);

    const done = await set('sk_test_home\nwhsec_of_the_home\n', '--json');
    expect(done.code, done.error).toBe(0);
    expect(JSON.parse(done.out)).toMatchObject({ accountId: 'acct_home', liveMode: false });
    for (const id of ids) await reaches(keys, id, 'state', 'confirmed');
    expect(await refundsOf(early)).toHaveLength(1);
    expect(await refundsOf(late)).toHaveLength(1);
    expect((await holdfast(variables, 'doctor')).code).toBe(0);
  });

  // Red when: `accountOf` answers only for the default organisation, or `refresh` is never called again.
  it('gives a second organisation its own account beside a running server, and nobody another’s', async () => {
    const made = await holdfast(variables, 'org', 'create', '--name', 'Second', '--json');
    const { id: organisationId } = JSON.parse(made.out) as { id: string };
    const toIt = ['--org', organisationId];
    const keys = await keysOf(organisationId);
    const payment = await putOrder(keys, 'second');
    const id = await approved(keys, 'second');
    await reaches(keys, id, 'waitingFor', 'provider-account');

    const anothers = await set('sk_test_home\n', ...toIt);
    expect([anothers.code, anothers.out]).toEqual([1, '']);
    expect(anothers.error).toContain('belongs to another organisation');
    accounts.away(true);
    const unasked = await set('sk_test_second\n', ...toIt);
    accounts.away(false);
    expect(unasked.code).toBe(1);
    expect(await sql`select 1 from provider_access where org_id = ${organisationId}`).toHaveLength(0);

    const done = await set('sk_test_second\n\nwhsec_of_the_second\n', ...toIt);
    expect(done.code, done.error).toBe(0);
    await reaches(keys, id, 'state', 'confirmed');
    expect(await refundsOf(payment)).toHaveLength(1);

    const payload = JSON.stringify({
      id: 'evt_of_the_second',
      object: 'event',
      type: 'customer.created',
      created: Math.floor(Date.now() / 1_000),
      livemode: false,
      data: { object: { id: 'cus_1', object: 'customer' } },
    });
    const at = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', 'whsec_of_the_second').update(`${at}.${payload}`).digest('hex');
    const delivered = await fetch(`http://127.0.0.1:${variables['PORT'] ?? ''}/v1/webhooks/stripe`, {
      method: 'POST',
      headers: { 'stripe-signature': `t=${at},v1=${signature}` },
      body: payload,
    });
    expect(delivered.status).toBe(200);
    const [event] = await sql`select org_id from provider_events where event_id = 'evt_of_the_second'`;
    expect(event).toEqual({ org_id: organisationId });
  });

  // Red when: the idempotency key is derived from the operation's ID alone: the provider then answers the second
  // organisation's refund with the first one's.
  it('one operation ID in two organisations is two operations, with two provider keys and two refunds', async () => {
    const organisations = await sql<
      { id: string }[]
    >`select org_id as id from provider_access order by set_at`;
    const id = mintId();
    const payments: string[] = [];
    for (const organisation of organisations) {
      const keys = await keysOf(organisation.id);
      payments.push(await putOrder(keys, 'one-id'));
      await approved(keys, 'one-id', id);
      await reaches(keys, id, 'state', 'confirmed');
    }
    const refunds = (await Promise.all(payments.map(refundsOf))).flat();
    expect(refunds.map(({ payment_intent }) => payment_intent)).toEqual(payments);
    const sent = await sql<{ key: string }[]>`
      select request->>'idempotencyKey' as key from attempts where operation_id = ${id}`;
    expect(sent.every(({ key }) => key.startsWith(id))).toBe(true);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });

  // Red when: `sealSecrets` stores its contents as they are, or forgets to bind them to the account.
  it('keeps keys and webhook secrets where the database alone shows neither', async () => {
    const rows = await sql<{ row: string; sealed: Uint8Array }[]>`
      select row_to_json(a)::text as row, sealed from provider_access a`;
    expect(rows).toHaveLength(2);
    const everything = rows.map(({ row, sealed }) => row + Buffer.from(sealed).toString('latin1')).join();
    expect(everything).not.toMatch(/sk_test_|whsec_/);
    const [one, other] = rows;
    expect(one?.sealed).not.toEqual(other?.sealed);
    const swapped = sql`update provider_access a set sealed = b.sealed from provider_access b
      where a.org_id <> b.org_id`;
    await swapped;
    const doctor = await holdfast(variables, 'doctor', '--json');
    expect(doctor.code).toBe(1);
    expect(doctor.error).toContain('HOLDFAST_SECRETS_KEY');
  });
});

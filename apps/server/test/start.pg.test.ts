import { access, cp, readFile, readdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../src/embedded-postgres/cluster.ts';
import { isRunning } from '../src/embedded-postgres/process-identity.ts';
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts';
import { demoSignIns } from '../src/demo/seed-demo.ts';
import { eventually } from './eventually.ts';
import { mintId, proposalOf } from './house-rig.ts';
import { freshDatabase } from './own-cluster.ts';
import { holdfast, holdfastGiven, runProgram, startScript, startServer, type Running } from './program.ts';

let folder = '';
let variables: Record<string, string> = {};
let running: Running[] = [];

/** What a first start leaves behind: to make a database and its schema takes longer than most of what is tried here. */
let startedOnce = '';

const settingsIn = async (dataFolder: string): Promise<Record<string, string>> => ({
  HOLDFAST_DATA_DIR: dataFolder,
  HOLDFAST_DEMO: 'off',
  HOLDFAST_KEY_APPROVALS: 'on',
  HOLDFAST_UNDO_MS: '0',
  PORT: String(await freePort(0)),
  FAKE_STRIPE_PORT: String(await freePort(0)),
});

/** A test that failed in the middle leaves no database behind either. */
const endDatabaseIn = async (dataFolder: string): Promise<void> => {
  const runs = await access(path.join(dataFolder, 'postgres', 'postmaster.pid')).then(
    () => true,
    () => false,
  );
  if (runs) await (await startEmbeddedPostgres(dataFolder).catch(() => undefined))?.stop();
};

beforeAll(async () => {
  startedOnce = await mkdtemp(path.join(tmpdir(), 'holdfast-start-'));
  const server = await startServer(await settingsIn(startedOnce));
  expect(await server.end('SIGTERM')).toBe(0);
});
afterAll(async () => {
  await endDatabaseIn(startedOnce);
  await rm(startedOnce, { recursive: true, force: true });
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'holdfast-start-'));
  variables = await settingsIn(folder);
  running = [];
});
afterEach(async () => {
  for (const server of running) await server.end('SIGTERM');
  await endDatabaseIn(folder);
  await rm(folder, { recursive: true, force: true });
});

const start = async (): Promise<Running> => {
  const server = await startServer(variables);
  running.push(server);
  return server;
};

const base = () => `http://127.0.0.1:${variables['PORT'] ?? ''}`;
const fakeBase = () => `http://127.0.0.1:${variables['FAKE_STRIPE_PORT'] ?? ''}`;

const ask = async (method: string, route: string, key: string, body?: unknown) => {
  const response = await fetch(`${base()}${route}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

const makeKey = async (role: string): Promise<string> => {
  const made = await holdfast(variables, 'api-key', 'create', '--role', role, '--name', role);
  expect(made.code, made.error).toBe(0);
  return made.out;
};

const processes = async () => {
  const pidIn = async (file: string): Promise<number> =>
    Number.parseInt(await readFile(path.join(folder, file), 'utf8'), 10);
  const fake = JSON.parse(await readFile(path.join(folder, 'fake-stripe.json'), 'utf8')) as {
    process: { pid: number };
  };
  return { postgres: await pidIn('postgres/postmaster.pid'), fake: fake.process.pid };
};

const csv = (rows: readonly string[]): string =>
  [
    'order_id,customer_id,customer_name,payment_reference,captured,currency,placed_at,sku,title,quantity,line_amount,return_id,return_status,return_received_at',
    ...rows,
  ].join('\n');
const orderRow = (id: string, captured = '49.99'): string =>
  `${id},c-1,Ann,pi_${id}00000,${captured},EUR,${new Date(Date.now() - 86_400_000).toISOString()},sku,Lamp,1,49.99,r-${id},received,`;

const importOrder = async (id: string): Promise<void> => {
  const file = path.join(folder, `${id}.csv`);
  await writeFile(file, csv([orderRow(id)]));
  const imported = await holdfast(variables, 'import', 'orders', file, '--json');
  expect(imported.code, imported.error).toBe(0);
  const payments = [{ id: `pi_${id}00000`, amount: 4_999, currency: 'eur' }];
  await fetch(`${fakeBase()}/fake/payment_intents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payments),
  });
};

const settled = async (id: string, key: string): Promise<Record<string, unknown>> =>
  eventually('the operation to be confirmed', async () => {
    const { body } = await ask('GET', `/v1/operations/${id}`, key);
    return body['state'] === 'confirmed' && body;
  });

describe('a start', () => {
  beforeEach(() => cp(startedOnce, folder, { recursive: true }));

  it('ends cleanly on SIGTERM, the database last, and the next one has the data', async () => {
    const server = await start();
    const key = await makeKey('operator');
    const before = await processes();
    expect(await server.end('SIGTERM')).toBe(0);
    expect([isRunning(before.postgres), isRunning(before.fake)]).toEqual([false, false]);
    await expect(readFile(path.join(folder, 'postgres', 'postmaster.pid'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    await start();
    expect((await ask('GET', '/v1/me', key)).body).toMatchObject({ role: 'operator', name: 'operator' });
  });

  it('after SIGKILL in the middle of a refund recovers: one refund, confirmed', async () => {
    variables = { ...variables, HOLDFAST_LEASE_MS: '2000', HOLDFAST_CHECK_BACKOFF_MS: '200,500' };
    const server = await start();
    const [agent, approver] = [await makeKey('agent'), await makeKey('approver')];
    await importOrder('killed');
    await fetch(`${fakeBase()}/fake/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ on: 'refund.create', do: 'execute_then_hang', times: 1 }),
    });
    const id = mintId();
    const proposed = await ask('PUT', `/v1/operations/${id}`, agent, proposalOf('killed'));
    expect(proposed.status).toBe(201);
    const approval = { commandId: mintId(), fingerprint: proposed.body['fingerprint'] };
    expect((await ask('POST', `/v1/operations/${id}/approve`, approver, approval)).status).toBe(200);
    const ledger = async () =>
      ((await (await fetch(`${fakeBase()}/fake/ledger`)).json()) as { refunds: { payment_intent: string }[] })
        .refunds;
    await eventually('the refund to be made', async () => (await ledger()).length > 0);
    const left = await processes();
    await server.end('SIGKILL');
    expect([isRunning(left.postgres), isRunning(left.fake)]).toEqual([true, true]);

    const again = await start();
    expect(await processes()).toEqual(left);
    expect(await settled(id, agent)).toMatchObject({ state: 'confirmed', amount: { minor: 1_000 } });
    expect((await ledger()).map(({ payment_intent }) => payment_intent)).toEqual(['pi_killed00000']);
    expect(await again.end('SIGINT')).toBe(0);
    expect([isRunning(left.postgres), isRunning(left.fake)]).toEqual([false, false]);
  });

  it('a database that ends under it is started again; until then /readyz says so, and nothing else ends', async () => {
    await start();
    const key = await makeKey('operator');
    const status = async (route: string) => (await fetch(`${base()}${route}`)).status;
    process.kill((await processes()).postgres, 'SIGKILL');
    await eventually('/readyz to say so', async () => (await status('/readyz')) === 503);
    expect(await status('/healthz')).toBe(200);
    await eventually('/readyz to be fine', async () => (await status('/readyz')) === 200);
    expect((await ask('GET', '/v1/me', key)).status).toBe(200);
  });

  // Red when: `watchLaunchers` is left out of the start.
  it('ends cleanly too when only the package runner that started it gets the SIGTERM', async () => {
    const runner = path.join(folder, 'npm');
    await writeFile(runner, `#!/bin/sh\n"${process.execPath}" "${startScript}"\nexit $?\n`, { mode: 0o755 });
    const server = await startServer(variables, runner);
    const before = await processes();
    await server.end('SIGTERM');
    await eventually('the database to be stopped', () => !isRunning(before.postgres));
    expect(isRunning(before.fake)).toBe(false);
    await start();
  });

  it('runs as an api and a worker apart on one database', async () => {
    variables = { ...variables, HOLDFAST_ROLE: 'api' };
    await start();
    const [agent, approver] = [await makeKey('agent'), await makeKey('approver')];
    await importOrder('apart');
    const id = mintId();
    const proposed = await ask('PUT', `/v1/operations/${id}`, agent, proposalOf('apart'));
    const approval = { commandId: mintId(), fingerprint: proposed.body['fingerprint'] };
    await ask('POST', `/v1/operations/${id}/approve`, approver, approval);
    expect((await ask('GET', `/v1/operations/${id}`, agent)).body['state']).toBe('approved');
    const left = await processes();
    running.unshift(await startServer({ ...variables, HOLDFAST_ROLE: 'worker' }));
    expect(await settled(id, agent)).toMatchObject({ state: 'confirmed', attemptCount: 1 });
    expect(await processes()).toEqual(left);
  });

  it('says in one line why it cannot, and exits 1: port in use, wrong key, unreachable or newer database, bad value', async () => {
    const taken = createServer((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } }),
      );
    });
    await new Promise<void>((resolve) => {
      taken.listen(0, '127.0.0.1', resolve);
    });
    const takenPort = String((taken.address() as AddressInfo).port);
    const newer = await newerDatabase();
    const cases: [Record<string, string>, string][] = [
      [{ PORT: takenPort }, 'PORT'],
      [{ FAKE_STRIPE_PORT: takenPort }, 'FAKE_STRIPE_PORT'],
      [
        { STRIPE_SECRET_KEY: 'sk_test_wrong', STRIPE_API_BASE: `http://127.0.0.1:${takenPort}` },
        'STRIPE_SECRET_KEY',
      ],
      [{ DATABASE_URL: `postgres://u:secret-password@127.0.0.1:1/holdfast` }, 'DATABASE_URL'],
      [{ DATABASE_URL: newer }, 'newer than this program'],
      [{ HOLDFAST_LEASE_MS: 'long' }, 'HOLDFAST_LEASE_MS'],
      [{ HOLDFAST_DEMO: 'on', PUBLIC_ORIGIN: 'https://refunds.example.org' }, 'PUBLIC_ORIGIN'],
    ];
    try {
      for (const [wrong, named] of cases) {
        const ended = await runProgram(startScript, [], { ...variables, ...wrong });
        expect(ended.code, named).toBe(1);
        expect(ended.error.split('\n'), ended.error).toHaveLength(1);
        expect(ended.error).toMatch(/^holdfast: /);
        expect(ended.error).toContain(named);
        expect(ended.error).not.toContain('secret-password');
      }
    } finally {
      await closed(taken);
    }
  });

  // Red when: the demo's bad networks are mounted without the demo, or its sign-ins outlive it.
  it('without a Stripe key is a demo: its sign-ins work there, and nowhere once it is off', async () => {
    // Nobody has been here before: the demo is all there is.
    for (const name of await readdir(folder)) await rm(path.join(folder, name), { recursive: true });
    variables = { ...variables, HOLDFAST_DEMO: 'on' };
    const server = await start();
    await eventually('the welcome', () => server.output().includes('Ctrl-C'));
    for (const { email, password } of demoSignIns)
      expect(server.output()).toContain(`${email}  password: ${password}`);
    const signIn = async () => {
      const [{ email, password } = { email: '', password: '' }] = demoSignIns;
      const body = JSON.stringify({ email, password });
      const headers = { 'content-type': 'application/json', origin: base() };
      return (await fetch(`${base()}/api/auth/sign-in/email`, { method: 'POST', headers, body })).status;
    };
    expect(await signIn()).toBe(200);
    const pretendOffline = () =>
      fetch(`${base()}/v1/demo`, { headers: { cookie: 'holdfast_demo_fault=offline' } });
    await expect(pretendOffline()).rejects.toThrow();
    const key = await makeKey('agent');
    const orders = await ask('GET', '/v1/orders?limit=200', key);
    expect((orders.body['items'] as unknown[]).length).toBe(200);
    const elsewhere = ['provider', 'set', '--api-base', 'http://127.0.0.1:1'];
    const refused = await holdfastGiven('sk_test_elsewhere\n', variables, ...elsewhere);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.error).toContain('--api-base');
    await server.end('SIGTERM');
    expect(server.output()).toContain(`Stopped. Your data is in ${folder}.`);
    const other = await holdfast({ ...variables, HOLDFAST_DEMO: 'off' }, 'hold', 'status');
    expect([other.code, other.out]).toEqual([1, '']);
    variables = { ...variables, HOLDFAST_DEMO: 'off' };
    await start();
    expect(await signIn()).toBe(401);
    expect((await ask('GET', '/v1/me', key)).status).toBe(401);
    expect((await fetch(`${base()}/v1/demo`)).status).toBe(404);
    expect((await pretendOffline()).status).toBe(404);
  });
});

describe('the command line', () => {
  // Red when: a command that only reads or changes what exists opens its database with 'is-made'.
  it('makes no database in order to answer about it', async () => {
    for (const words of [
      ['hold', 'on'],
      ['org', 'list'],
    ]) {
      const refused = await holdfast(variables, ...words);
      expect([refused.code, refused.out], words.join(' ')).toEqual([1, '']);
      expect(refused.error).toContain(folder);
    }
    expect(await readdir(folder)).toEqual([]);
  });

  it('works without a server and beside one, on the same database, and says which', async () => {
    const made = await holdfast(variables, 'org', 'create', '--name', 'Second', '--json');
    expect(made.code, made.error).toBe(0);
    const { id } = JSON.parse(made.out) as { id: string };
    await start();
    const added = await holdfast(
      variables,
      'user',
      'add',
      '--email',
      'a@b.example',
      '--name',
      'A',
      '--role',
      'agent',
      '--org',
      id,
    );
    expect(added.code, added.error).toBe(0);
    expect(added.out).toMatch(
      new RegExp(`^http://localhost:${variables['PORT'] ?? ''}/set-password\\?token=\\S+$`),
    );
    expect(added.error).toContain("the running server's database");
    const twice = await holdfast(
      variables,
      'user',
      'add',
      '--email',
      'a@b.example',
      '--name',
      'A',
      '--role',
      'agent',
      '--org',
      id,
    );
    expect(twice.code).toBe(1);

    expect((await holdfast(variables, 'hold', 'on', '--reason', 'a drill')).code).toBe(0);
    const status = await holdfast(variables, 'hold', 'status', '--json');
    expect(JSON.parse(status.out)).toMatchObject({ on: true, reason: 'a drill', by: 'command-line' });
    expect((await holdfast(variables, 'hold', 'off')).code).toBe(0);

    const doctor = await holdfast(variables, 'doctor', '--json');
    expect(doctor.code, doctor.error).toBe(0);
    const { checks } = JSON.parse(doctor.out) as { checks: { check: string; ok: boolean }[] };
    expect(checks.filter(({ ok }) => ok).map(({ check }) => check)).toEqual(
      expect.arrayContaining(['configuration', 'database', 'provider', 'webhook secret', 'clock']),
    );
  });

  it('imports good rows, names bad ones with exit code 1, and shows operations', async () => {
    await cp(startedOnce, folder, { recursive: true });
    await start();
    const file = path.join(folder, 'orders.csv');
    await writeFile(file, csv([orderRow('one'), orderRow('two', 'much'), orderRow('three')]));
    const imported = await holdfast(variables, 'import', 'orders', file, '--json');
    expect(imported.code).toBe(1);
    expect(JSON.parse(imported.out)).toMatchObject({ rows: 3, created: 2, badRows: [{ row: 3 }] });
    expect(imported.error).toContain('Row 3: captured');
    const again = await holdfast(variables, 'import', 'orders', file, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ created: 0, changed: 0, unchanged: 2 });

    const agent = await makeKey('agent');
    const id = mintId();
    expect((await ask('PUT', `/v1/operations/${id}`, agent, proposalOf('one'))).status).toBe(201);
    const listed = await holdfast(variables, 'op', 'list', '--state', 'proposed', '--json');
    expect((JSON.parse(listed.out) as { items: { id: string }[] }).items.map((item) => item.id)).toEqual([
      id,
    ]);
    const shown = await holdfast(variables, 'op', 'show', id, '--json');
    // Nobody here may approve, which is said at once.
    expect(JSON.parse(shown.out)).toMatchObject({
      id,
      state: 'proposed',
      timeline: [{ type: 'propose' }, { type: 'need-person' }],
    });
    expect(JSON.parse((await holdfast(variables, 'unresolved', '--json')).out)).toMatchObject({
      items: [{ id, attention: [{ reason: 'nobody-can-approve' }] }],
    });
    const missing = await holdfast(variables, 'op', 'show', mintId());
    expect([missing.code, missing.out]).toEqual([1, '']);
    expect((await holdfast(variables, 'op', 'list', '--state', 'lost')).code).toBe(1);
  });
});

const newerDatabase = async (): Promise<string> => {
  const url = await freshDatabase('newer');
  const migrated = await holdfast({ ...variables, DATABASE_URL: url }, 'migrate');
  expect(migrated.code, migrated.error).toBe(0);
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql`insert into schema_migrations (number, name, hash) values (9999, '9999-from-the-future.sql', 'x')`;
  await sql.end();
  return url;
};

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });

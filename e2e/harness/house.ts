import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startFakeProvider, type FakeProvider } from './fake-provider.ts';
import { runProgram, startProgram, until, type Program } from './program.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export type Person = { readonly email: string; readonly password: string; readonly name: string };

/**
 * A whole house for one journey: database, server and worker, provider, and the two networks between them, each of
 * which can be taken away. Nothing of it is imported; all of it is driven from outside.
 */
export type House = {
  /** What people open: through the network that can be cut. */
  readonly origin: string;
  /** The server itself, past that network. */
  readonly serverOrigin: string;
  readonly provider: FakeProvider;
  /** Between browser and server. */
  readonly network: TcpProxy;
  /** Between server and provider. */
  readonly providerNetwork: TcpProxy;
  readonly people: { readonly agent: Person; readonly approver: Person; readonly operator: Person };
  readonly holdfast: (commandArguments: readonly string[], input?: string) => Promise<string>;
  /** Asks the API as an operator's program. */
  readonly ask: (route: string) => Promise<unknown>;
  readonly operation: (id: string) => Promise<OperationRecord>;
  readonly operations: (query: string) => Promise<OperationRecord[]>;
  readonly putOrder: (order: OrderInput) => Promise<void>;
  readonly kill: (signal?: 'SIGKILL' | 'SIGTERM') => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly log: () => string;
};

export type OperationRecord = {
  id: string;
  state: string;
  version: number;
  needsPerson: boolean;
  attemptCount: number;
  sentence: string;
  provider: { reference: string | null };
  amount: { minor: number; currency: string };
  timeline?: { type: string; sentence: string }[];
};

export type OrderInput = {
  readonly id: string;
  readonly payment: string;
  readonly minor: number;
  readonly currency: string;
  readonly customer: string;
  readonly title: string;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
};

const webhookSecret = 'whsec_journeys';

export const startHouse = async (settings: Record<string, string> = {}): Promise<House> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-house-'));
  const provider = await startFakeProvider();
  const providerNetwork = await startTcpProxy(provider.port);
  const serverPort = await freePort();
  const network = await startTcpProxy(serverPort);
  const origin = `http://localhost:${network.port}`;
  const serverOrigin = `http://127.0.0.1:${serverPort}`;
  const environment = {
    PORT: String(serverPort),
    PUBLIC_ORIGIN: origin,
    HOLDFAST_DATA_DIR: folder,
    STRIPE_SECRET_KEY: 'sk_test_journeys',
    STRIPE_API_BASE: `http://127.0.0.1:${providerNetwork.port}`,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    HOLDFAST_UNDO_MS: '0',
    HOLDFAST_PROVIDER_TIMEOUT_MS: '4000',
    HOLDFAST_LEASE_MS: '8000',
    HOLDFAST_CHECK_BACKOFF_MS: '500,1000,2000',
    ...settings,
  };
  await provider.sendWebhooksTo(`${serverOrigin}/v1/webhooks/stripe`, webhookSecret);

  let program: Program | undefined;
  let log = '';
  const begin = async (): Promise<void> => {
    const started = startProgram('apps/server/src/start/start.ts', [], environment);
    program = started;
    await until(
      'the server to be ready',
      async () => {
        if (!started.running()) throw new Error(`the server ended: ${started.output().slice(-2000)}`);
        return (await fetch(`${serverOrigin}/readyz`)).ok ? true : undefined;
      },
      90_000,
    );
  };
  await begin();

  const holdfast = async (commandArguments: readonly string[], input = ''): Promise<string> => {
    const result = await runProgram(
      'apps/server/src/command-line/holdfast.ts',
      commandArguments,
      environment,
      input,
    );
    if (result.code !== 0)
      throw new Error(`holdfast ${commandArguments.join(' ')} exited ${result.code}: ${result.error}`);
    return result.out;
  };

  const addPerson = async (role: string, name: string): Promise<Person> => {
    const person = { email: `${role}@example.test`, password: `a long ${role} password`, name };
    const printed = await holdfast(['user', 'add', '--email', person.email, '--name', name, '--role', role]);
    const token = /[?&]token=([^\s"&]+)/.exec(printed)?.[1];
    if (!token) throw new Error(`user add printed no link: ${printed}`);
    await send('POST', '/v1/set-password', { token: decodeURIComponent(token), password: person.password });
    return person;
  };

  const send = async (method: string, route: string, body?: unknown, key?: string): Promise<unknown> => {
    const response = await fetch(`${serverOrigin}${route}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? { origin } : { authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route} answered ${response.status}: ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  };

  const people = {
    agent: await addPerson('agent', 'Amara Field'),
    approver: await addPerson('approver', 'Lena Lead'),
    operator: await addPerson('operator', 'Otto Desk'),
  };
  const operatorKey = await holdfast(['api-key', 'create', '--role', 'operator', '--name', 'journeys']);
  const integratorKey = await holdfast(['api-key', 'create', '--role', 'integrator', '--name', 'shop']);
  const ask = (route: string): Promise<unknown> => send('GET', route, undefined, operatorKey);

  const putOrder = async (order: OrderInput): Promise<void> => {
    const amount = { minor: order.minor, currency: order.currency };
    await provider.addPayments([
      { id: order.payment, amount: order.minor, currency: order.currency.toLowerCase() },
    ]);
    await send(
      'PUT',
      `/v1/orders/${order.id}`,
      {
        customer: { id: `customer-${order.id}`, name: order.customer },
        payment: { provider: 'stripe', reference: order.payment, captured: amount },
        lines: [{ sku: `sku-${order.id}`, title: order.title, quantity: 1, amount }],
        returns: [{ id: `return-${order.id}`, status: 'received', receivedAt: new Date().toISOString() }],
        placedAt: new Date(Date.now() - 86_400_000).toISOString(),
      },
      integratorKey,
    );
  };

  return {
    origin,
    serverOrigin,
    provider,
    network,
    providerNetwork,
    people,
    holdfast,
    ask,
    operation: async (id) => (await ask(`/v1/operations/${id}`)) as OperationRecord,
    operations: async (query) =>
      ((await ask(`/v1/operations?${query}`)) as { items: OperationRecord[] }).items,
    putOrder,
    kill: async (signal = 'SIGKILL') => {
      log += program?.output() ?? '';
      await program?.end(signal);
    },
    restart: begin,
    log: () => log + (program?.output() ?? ''),
    stop: async () => {
      await program?.end('SIGTERM');
      await network.close();
      await providerNetwork.close();
      await provider.program.end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
};

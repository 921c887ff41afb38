import { once } from 'node:events';
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { askAs, type OperationRecord } from './api.ts';
import { startFakeProvider, type FakeProvider } from './fake-provider.ts';
import { fillFolder } from './kept-folder.ts';
import { runnable } from './built-programs.ts';
import { runProgram, startProgram, until, type Program } from './program.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export type Person = { readonly email: string; readonly password: string; readonly name: string };
export type Role = 'agent' | 'approver' | 'operator';

/**
 * A whole house for one journey: database, server and worker, provider, and the two networks between them, each of
 * which can be taken away. Nothing of it is imported; all of it is driven from outside.
 */
export type House<Network extends TcpProxy = TcpProxy> = {
  /** What people open: through the network that can be cut. */
  readonly origin: string;
  readonly provider: FakeProvider;
  /** Between browser and server. */
  readonly network: Network;
  /** Between server and provider. */
  readonly providerNetwork: TcpProxy;
  readonly people: Readonly<Record<Role, Person>>;
  /** One more person of a role, for tests where two of them decide. */
  readonly welcome: (
    role: Role | 'admin',
    as: { readonly email: string; readonly name: string },
  ) => Promise<Person>;
  /** Where the server keeps its rows, for a test that reads or changes them behind its back. */
  readonly databaseUrl: () => Promise<string>;
  readonly operation: (id: string) => Promise<OperationRecord>;
  readonly operationsOf: (orderId: string) => Promise<OperationRecord[]>;
  /** As this person from another device, whose network is never cut. */
  readonly askAsPerson: (role: Role, route: string, body: unknown) => Promise<unknown>;
  /** Puts a paid order into both the shop's feed and the provider. Its return has arrived. */
  readonly sell: (order: Sale) => Promise<Order>;
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** Ends the server in order and keeps a copy of everything it holds; it runs again afterwards. */
  readonly keepCopy: () => Promise<void>;
  /** Puts that copy in the place of what came since, as whoever restores a snapshot does; the server runs on it. */
  readonly putCopyBack: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly log: () => string;
};

export type Sale = {
  readonly name: string;
  readonly minor: number;
  readonly currency?: string;
  readonly title?: string;
};
export type Order = {
  readonly id: string;
  readonly payment: string;
  readonly customer: string;
  readonly title: string;
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
};

const webhookSecret = 'whsec_journeys';

type Environment = Record<string, string>;

const startServer = async (environment: Environment, serverOrigin: string): Promise<Program> => {
  const program = startProgram(runnable('server').script, [], environment);
  await until(
    'the server to be ready',
    async () => {
      if (!program.running()) throw new Error(`the server ended: ${program.output().slice(-2000)}`);
      return (await fetch(`${serverOrigin}/readyz`)).ok ? true : undefined;
    },
    120_000,
  );
  return program;
};

const holdfast = async (environment: Environment, commandArguments: readonly string[]): Promise<string> => {
  const result = await runProgram(runnable('command-line').script, commandArguments, environment);
  if (result.code === 0) return result.out;
  throw new Error(`holdfast ${commandArguments.join(' ')} exited ${String(result.code)}: ${result.error}`);
};

const names: Readonly<Record<Role, string>> = {
  agent: 'Amara Field',
  approver: 'Lena Lead',
  operator: 'Otto Desk',
};

/** Adds a person as an admin would: the command line prints a link, behind which they choose their password. */
const addPerson = async (
  environment: Environment,
  serverOrigin: string,
  origin: string,
  role: Role | 'admin',
  as: { readonly email: string; readonly name: string },
): Promise<Person> => {
  const person = { ...as, password: `a long ${role} password` };
  const printed = await holdfast(environment, [
    ...['user', 'add', '--email', person.email, '--name', person.name, '--role', role],
  ]);
  const token = /[?&]token=([^\s"&]+)/.exec(printed)?.[1];
  if (!token) throw new Error(`user add printed no link: ${printed}`);
  const response = await fetch(`${serverOrigin}/v1/set-password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ token: decodeURIComponent(token), password: person.password }),
  });
  if (!response.ok) throw new Error(`set-password answered ${response.status}: ${await response.text()}`);
  return person;
};

type MovedIn = {
  readonly operatorKey: string;
  readonly integratorKey: string;
  readonly people: Readonly<Record<Role, Person>>;
};

/** A first start, and the first people and keys; then it is ended in order. */
const moveIn = async (environment: Environment, serverOrigin: string, origin: string): Promise<MovedIn> => {
  const program = await startServer(environment, serverOrigin);
  const firstOf = (role: Role): Promise<Person> =>
    addPerson(environment, serverOrigin, origin, role, { email: `${role}@example.test`, name: names[role] });
  const [operatorKey, integratorKey, agent, approver, operator] = await Promise.all([
    holdfast(environment, ['api-key', 'create', '--role', 'operator', '--name', 'journeys']),
    holdfast(environment, ['api-key', 'create', '--role', 'integrator', '--name', 'shop']),
    firstOf('agent'),
    firstOf('approver'),
    firstOf('operator'),
  ]);
  await program.end('SIGTERM');
  return { operatorKey, integratorKey, people: { agent, approver, operator } };
};

type StartNetwork<Network extends TcpProxy> = (serverPort: number) => Promise<Network>;

/** Signs in as this person past the network that can be cut, and asks. */
const askAsPerson =
  (serverOrigin: string, origin: string, people: Readonly<Record<Role, Person>>) =>
  async (role: Role, route: string, body: unknown): Promise<unknown> => {
    const post = async (path: string, content: unknown, cookie?: string): Promise<Response> => {
      const response = await fetch(`${serverOrigin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, ...(cookie && { cookie }) },
        body: JSON.stringify(content),
      });
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return response;
    };
    const { email, password } = people[role];
    const signedIn = await post('/api/auth/sign-in/email', { email, password });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; ');
    return (await post(route, body, cookie)).json();
  };

export const startHouse = (settings: Environment = {}): Promise<House> =>
  startHouseBehind((port) => startTcpProxy(port), settings);

/** A house behind a network of this kind. */
export const startHouseBehind = async <Network extends TcpProxy>(
  startNetwork: StartNetwork<Network>,
  settings: Environment = {},
): Promise<House<Network>> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-house-'));
  const provider = await startFakeProvider();
  const providerNetwork = await startTcpProxy(provider.port);
  const serverPort = await freePort();
  const network = await startNetwork(serverPort);
  const origin = `http://localhost:${network.port}`;
  const serverOrigin = `http://127.0.0.1:${serverPort}`;
  let environment: Environment = {
    PORT: String(serverPort),
    PUBLIC_ORIGIN: origin,
    HOLDFAST_DATA_DIR: folder,
    // The app is built once before all journeys.
    HOLDFAST_WEB_BUILD: 'off',
    STRIPE_SECRET_KEY: 'sk_test_journeys',
    STRIPE_API_BASE: `http://127.0.0.1:${providerNetwork.port}`,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    HOLDFAST_UNDO_MS: '0',
    HOLDFAST_RATE_LIMIT: 'off',
    HOLDFAST_PROVIDER_TIMEOUT_MS: '4000',
    HOLDFAST_LEASE_MS: '8000',
    // The first look comes late enough for a person to read that the outcome is not known.
    HOLDFAST_CHECK_BACKOFF_MS: '4500,1000,1000,2000',
  };
  await provider.sendWebhooksTo(`${serverOrigin}/v1/webhooks/stripe`, webhookSecret);
  const { operatorKey, integratorKey, people } = await fillFolder(
    'house',
    folder,
    await freePort(),
    (empty) => moveIn({ ...environment, HOLDFAST_DATA_DIR: empty }, serverOrigin, origin),
  );
  environment = { ...environment, ...settings };
  let program = await startServer(environment, serverOrigin);
  let log = '';
  const asOperator = askAs(serverOrigin, operatorKey);
  const asShop = askAs(serverOrigin, integratorKey);

  const sell = async ({ name, minor, currency = 'EUR', title = 'Headphones' }: Sale): Promise<Order> => {
    const id = `order-${name}`;
    const customer = `Customer of ${name}`;
    const payment = `pi_${name.replaceAll('-', '_')}`;
    const amount = { minor, currency };
    await provider.addPayments([{ id: payment, amount: minor, currency: currency.toLowerCase() }]);
    const order = {
      customer: { id: `customer-${name}`, name: customer },
      payment: { provider: 'stripe', reference: payment, captured: amount },
      lines: [{ sku: `sku-${name}`, title, quantity: 1, amount }],
      returns: [{ id: `return-${name}`, status: 'received', receivedAt: new Date().toISOString() }],
      placedAt: new Date(Date.now() - 86_400_000).toISOString(),
    };
    // The shop's own program sends again, too, when it is told that too much is asked at once.
    await until(`${id} to be taken`, async () => {
      await asShop('PUT', `/v1/orders/${id}`, order);
      return true;
    });
    return { id, payment, customer, title };
  };

  return {
    origin,
    provider,
    network,
    providerNetwork,
    people,
    welcome: (role, as) => addPerson(environment, serverOrigin, origin, role, as),
    databaseUrl: async () => {
      const text = await readFile(path.join(folder, 'server.json'), 'utf8');
      return (JSON.parse(text) as { databaseUrl: string }).databaseUrl;
    },
    operation: async (id) => (await asOperator('GET', `/v1/operations/${id}`)) as OperationRecord,
    operationsOf: async (orderId) => {
      const answer = await asOperator('GET', `/v1/operations?orderId=${encodeURIComponent(orderId)}`);
      return (answer as { items: OperationRecord[] }).items;
    },
    askAsPerson: askAsPerson(serverOrigin, origin, people),
    sell,
    kill: async () => {
      log += program.output();
      await program.end('SIGKILL');
    },
    restart: async () => {
      program = await startServer(environment, serverOrigin);
    },
    keepCopy: async () => {
      await program.end('SIGTERM');
      await cp(folder, `${folder}-copy`, { recursive: true });
      program = await startServer(environment, serverOrigin);
    },
    putCopyBack: async () => {
      log += program.output();
      await program.end('SIGTERM');
      await rm(folder, { recursive: true });
      await rename(`${folder}-copy`, folder);
      program = await startServer(environment, serverOrigin);
    },
    log: () => log + program.output(),
    stop: async () => {
      await program.end('SIGTERM');
      await network.close();
      await providerNetwork.close();
      await provider.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

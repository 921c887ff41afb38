import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { runnable } from '../../harness/built-programs.ts';
import { startFakeProvider, type FakeProvider, type ProviderRequest } from '../../harness/fake-provider.ts';
import { freePort } from '../../harness/house.ts';
import { fillFolder } from '../../harness/kept-folder.ts';
import { runProgram, startProgram, until, type Program } from '../../harness/program.ts';
import { startProviderWire, type ProviderWire } from './provider-wire.ts';

/** Programs with keys. `secondOperator`'s key acts for a person, so that the two operators are two people. */
export type Who = 'agent' | 'approver' | 'operator' | 'secondOperator' | 'shop';

export type Answer = { readonly status: number; readonly body: Record<string, unknown> };

export type SeenOperation = {
  readonly id: string;
  readonly state: string;
  readonly version: number;
  readonly needsPerson: boolean;
  readonly attention: readonly { readonly reason: string }[];
  readonly waitingFor: string | null;
  readonly paymentReference: string | null;
  readonly fingerprint: string;
  readonly sentence: string;
  readonly attemptCount: number;
  readonly approvals: readonly unknown[];
  readonly replayDeadline: string | null;
  readonly provider: { readonly reference: string | null; readonly status: string | null };
  readonly resolution: { readonly waiting: boolean } | null;
  readonly timeline: readonly {
    readonly type: string;
    readonly state?: string;
    readonly sentence: string;
  }[];
  readonly attempts: readonly {
    readonly number: number;
    readonly result: string | null;
    readonly status: number | null;
    readonly replayed: boolean;
  }[];
  readonly observations: readonly {
    readonly source: string;
    readonly kind: string;
    readonly reference: string | null;
  }[];
};

export type SeenOrder = {
  readonly captured: number;
  readonly refunded: number;
  readonly refundedElsewhere: number;
  readonly reserved: number;
  readonly refundable: number;
  readonly disputed: boolean;
};

export type Order = { readonly id: string; readonly payment: string; readonly minor: number };

/** Server and worker, the provider, and the database behind them: each its own process, driven from outside. */
export type ProviderHouse = {
  readonly provider: FakeProvider;
  readonly wire: ProviderWire;
  readonly sql: postgres.Sql;
  readonly ask: (who: Who, method: string, route: string, body?: unknown) => Promise<Answer>;
  readonly operation: (id: string) => Promise<SeenOperation>;
  readonly order: (id: string) => Promise<SeenOrder>;
  /** The value of one metric, its labels as `{name="value"}` where it has some. */
  readonly metric: (name: string) => Promise<number>;
  /** Delivers a body to the webhook as the provider would: signed now, with its secret. */
  readonly deliver: (event: unknown) => Promise<number>;
  readonly log: () => string;
  readonly stop: () => Promise<void>;
};

type Environment = Record<string, string>;

const webhookSecret = 'whsec_failures';

/** A new ID for an operation or a command: UUIDv7, as a client mints it. */
export const mintId = (): string => {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const startServer = async (environment: Environment, origin: string): Promise<Program> => {
  const program = startProgram(runnable('server').script, [], environment);
  await until(
    'the server to be ready',
    async () => {
      if (!program.running()) throw new Error(`the server ended: ${program.output().slice(-2000)}`);
      return (await fetch(`${origin}/readyz`)).ok ? true : undefined;
    },
    120_000,
  );
  return program;
};

const makeKeys = async (environment: Environment): Promise<Record<Who, string>> => {
  const holdfast = async (...commandArguments: string[]): Promise<string> => {
    const result = await runProgram(runnable('command-line').script, commandArguments, environment);
    if (result.code === 0) return result.out;
    throw new Error(`holdfast ${commandArguments.join(' ')}: ${result.error}`);
  };
  const key = (role: string, ...more: string[]): Promise<string> =>
    holdfast('api-key', 'create', '--role', role, '--name', `${role} of the failures`, ...more);
  const ownedKey = async (): Promise<string> => {
    const email = 'otto@example.test';
    await holdfast('user', 'add', '--email', email, '--name', 'Otto Desk', '--role', 'operator');
    return key('operator', '--owner', email);
  };
  const [agent, approver, operator, secondOperator, shop] = await Promise.all([
    key('agent'),
    key('approver'),
    key('operator'),
    ownedKey(),
    key('integrator'),
  ]);
  return { agent, approver, operator, secondOperator, shop };
};

/** A first start, and the first keys; then it is ended in order. */
const moveIn = async (environment: Environment, origin: string): Promise<Record<Who, string>> => {
  const program = await startServer(environment, origin);
  const keys = await makeKeys(environment);
  await program.end('SIGTERM');
  return keys;
};

const openDatabase = async (dataFolder: string): Promise<postgres.Sql> => {
  const text = await readFile(path.join(dataFolder, 'postgres-connection.json'), 'utf8');
  const { port, user, password } = JSON.parse(text) as { port: number; user: string; password: string };
  return postgres({
    host: '127.0.0.1',
    port,
    user,
    password,
    database: 'holdfast',
    max: 4,
    onnotice: () => undefined,
  });
};

const minorOf = (value: unknown): number => (value as { minor: number }).minor;

export const startProviderHouse = async (settings: Environment = {}): Promise<ProviderHouse> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-provider-house-'));
  const provider = await startFakeProvider();
  const wire = await startProviderWire(provider.port);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const environment: Environment = {
    PORT: String(port),
    HOLDFAST_DATA_DIR: folder,
    HOLDFAST_WEB_BUILD: 'off',
    HOLDFAST_KEY_APPROVALS: 'on',
    STRIPE_SECRET_KEY: 'sk_test_failures',
    STRIPE_API_BASE: `http://127.0.0.1:${wire.port}`,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    HOLDFAST_UNDO_MS: '0',
    HOLDFAST_RATE_LIMIT: 'off',
    HOLDFAST_PROVIDER_TIMEOUT_MS: '2500',
    HOLDFAST_LEASE_MS: '15000',
    HOLDFAST_CHECK_BACKOFF_MS: '200,200,300,1000',
  };
  await provider.sendWebhooksTo(`${origin}/v1/webhooks/stripe`, webhookSecret);
  const keys = await fillFolder('provider-house', folder, await freePort(), (empty) =>
    moveIn({ ...environment, HOLDFAST_DATA_DIR: empty }, origin),
  );
  const program = await startServer({ ...environment, ...settings }, origin);
  const sql = await openDatabase(folder);

  const ask: ProviderHouse['ask'] = async (who, method, route, body) => {
    const response = await fetch(`${origin}${route}`, {
      method,
      headers: {
        authorization: `Bearer ${keys[who]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text },
    };
  };

  return {
    provider,
    wire,
    sql,
    ask,
    operation: async (id) => {
      const { status, body } = await ask('operator', 'GET', `/v1/operations/${id}`);
      if (status !== 200) throw new Error(`operation ${id}: ${status} ${JSON.stringify(body)}`);
      return body as unknown as SeenOperation;
    },
    order: async (id) => {
      const { status, body } = await ask('operator', 'GET', `/v1/orders/${id}`);
      if (status !== 200) throw new Error(`order ${id}: ${status} ${JSON.stringify(body)}`);
      return {
        captured: minorOf(body['captured']),
        refunded: minorOf(body['refunded']),
        refundedElsewhere: minorOf(body['refundedElsewhere']),
        reserved: minorOf(body['reserved']),
        refundable: minorOf(body['refundable']),
        disputed: body['disputed'] === true,
      };
    },
    metric: async (name) => {
      const { body } = await ask('operator', 'GET', '/metrics');
      const line = String(body['text'])
        .split('\n')
        .find((text) => text.startsWith(`${name} `));
      if (line === undefined) throw new Error(`no metric ${name}`);
      return Number(line.slice(name.length + 1));
    },
    deliver: async (event) => {
      const payload = JSON.stringify(event);
      const at = Math.floor(Date.now() / 1000);
      const signature = createHmac('sha256', webhookSecret).update(`${at}.${payload}`).digest('hex');
      const response = await fetch(`${origin}/v1/webhooks/stripe`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': `t=${at},v1=${signature}` },
        body: payload,
      });
      await response.body?.cancel();
      return response.status;
    },
    log: () => program.output(),
    stop: async () => {
      await sql.end({ timeout: 5 });
      await program.end('SIGTERM');
      await wire.close();
      await provider.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

export type { ProviderRequest };

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { makePeople, roles, type People, type Who } from './cluster-people.ts';
import { startFakeProvider, type FakeProvider, type ProviderRequest } from './fake-provider.ts';
import { freePort } from './house.ts';
import type { PostgresServer } from './postgres-server.ts';
import { runnable } from './built-programs.ts';
import { runProgram, startProgram, until, type Program } from './program.ts';
import { startTcpProxy, type CuttingProxy } from './tcp-proxy.ts';

/** A server or a worker as a process of its own, with a way to the database that can be cut for it alone. */
export type ClusterProcess = {
  readonly program: Program;
  /** Where it answers; a worker answers nowhere. */
  readonly origin: string;
  readonly database: CuttingProxy;
  readonly kill: () => Promise<void>;
  /** Lets it end what it is doing. */
  readonly stop: () => Promise<void>;
};

export type ProcessOptions = {
  /** `<point>[:kill|stop][:<n-th pass>]` */
  readonly crashAt?: string;
  /** Whether the program is started so that a crash point can be armed at all. */
  readonly crashTest?: boolean;
  readonly settings?: Record<string, string>;
  /** A port to answer on, so that a restarted server is found where it was. */
  readonly port?: number;
};

export type StoredOperation = {
  readonly id: string;
  readonly state: string;
  readonly version: number;
  readonly fence: number;
  readonly attempt_count: number;
  readonly generation: string;
  readonly lease_until: Date | null;
  readonly wake_at: Date | null;
  readonly waiting_for: string | null;
  readonly provider_reference: string | null;
  readonly attention: readonly { readonly reason: string }[];
};

export type StoredAttempt = {
  readonly number: number;
  readonly fence: number;
  readonly result: string | null;
  readonly ended_at: Date | null;
  readonly finding: { readonly kind: string; readonly because?: string } | null;
};

/** One database, one provider, and as many processes between them as a test starts. */
export type Cluster = People & {
  readonly provider: FakeProvider;
  /** Between all processes and the provider. */
  readonly providerNetwork: CuttingProxy;
  readonly sql: postgres.Sql;
  readonly organisationId: string;
  readonly startApi: (options?: ProcessOptions) => Promise<ClusterProcess>;
  /** Resolves at once: it may be meant to die before it is ready. */
  readonly startWorker: (options?: ProcessOptions) => Promise<ClusterProcess>;
  /** Makes this the server that is asked where none is named. */
  readonly useApi: (api: ClusterProcess) => void;
  /** Has the provider send its events there; `undefined`: nowhere, as it is from the beginning. */
  readonly sendEventsTo: (api: ClusterProcess | undefined) => Promise<void>;
  readonly key: (who: Who) => string;
  /** The same as people whose answer may be lost: they ask again, the same thing, at one server or the other. */
  readonly asking: (origins: () => readonly string[]) => People;
  readonly operation: (id: string) => Promise<StoredOperation>;
  readonly attempts: (id: string) => Promise<readonly StoredAttempt[]>;
  /** What was written down about it, in order. */
  readonly auditTypes: (id: string) => Promise<readonly string[]>;
  readonly reach: (id: string, state: string) => Promise<StoredOperation>;
  /** The requests for a refund of this payment that the provider got, whatever became of them. */
  readonly posts: (payment: string) => Promise<readonly ProviderRequest[]>;
  /** Nothing is left to do for a worker, so that the next test's worker meets its own work alone. */
  readonly quiet: () => Promise<void>;
  readonly command: (...commandArguments: string[]) => Promise<string>;
  /** Kills what still runs of it but these. */
  readonly killAll: (...but: readonly ClusterProcess[]) => Promise<void>;
  readonly log: () => string;
  readonly close: () => Promise<void>;
};

const webhookSecret = 'whsec_failures';

/** Times short enough for a test; what a row is about it sets itself. */
const settings: Record<string, string> = {
  HOLDFAST_WEB_BUILD: 'off',
  HOLDFAST_UNDO_MS: '0',
  HOLDFAST_RATE_LIMIT: 'off',
  HOLDFAST_KEY_APPROVALS: 'on',
  HOLDFAST_PROVIDER_TIMEOUT_MS: '1500',
  HOLDFAST_LEASE_MS: '3000',
  HOLDFAST_CHECK_BACKOFF_MS: '200,500,1000',
  STRIPE_SECRET_KEY: 'sk_test_failures',
  STRIPE_WEBHOOK_SECRET: webhookSecret,
};

const processOf = (program: Program, origin: string, database: CuttingProxy): ClusterProcess => ({
  program,
  origin,
  database,
  kill: async () => {
    await program.end('SIGKILL');
    await database.close();
  },
  stop: async () => {
    await program.end('SIGTERM');
    await database.close();
  },
});

/** What starts the programs of one cluster and remembers them. */
const makeStarter = (databaseUrl: string, databasePort: number, providerPort: number, folder: string) => {
  const all: ClusterProcess[] = [];
  const start = async (role: 'api' | 'worker', options: ProcessOptions): Promise<ClusterProcess> => {
    const port = options.port ?? (await freePort());
    const database = await startTcpProxy(databasePort);
    const url = new URL(databaseUrl);
    url.port = String(database.port);
    const armed = options.crashTest ?? options.crashAt !== undefined;
    const { script, environment } = runnable(armed ? 'server-that-crashes' : 'server');
    const program = startProgram(script, [], {
      ...settings,
      HOLDFAST_ROLE: role,
      PORT: String(port),
      PUBLIC_ORIGIN: `http://localhost:${port}`,
      DATABASE_URL: url.href,
      HOLDFAST_DATA_DIR: path.join(folder, `${role}-${all.length}`),
      STRIPE_API_BASE: `http://127.0.0.1:${providerPort}`,
      ...(options.crashAt === undefined ? {} : { HOLDFAST_CRASH_AT: options.crashAt }),
      ...environment,
      ...options.settings,
    });
    const one = processOf(program, `http://127.0.0.1:${port}`, database);
    all.push(one);
    return one;
  };
  return { all, start };
};

/** Several that start at once take their time; one that cannot start ends. */
const longestStartMs = 120_000;

const untilReady = (api: ClusterProcess): Promise<unknown> =>
  Promise.race([
    until(
      'a server to be ready',
      async () => ((await fetch(`${api.origin}/readyz`)).ok ? true : undefined),
      longestStartMs,
    ),
    api.program.ended.then(() => {
      throw new Error(`a server ended: ${api.program.output().slice(-2000)}`);
    }),
  ]);

export const startCluster = async (server: PostgresServer, databaseName: string): Promise<Cluster> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-cluster-'));
  const admin = postgres(server.url('postgres'), { max: 1, onnotice: () => undefined });
  await admin.unsafe(`create database ${databaseName}`);
  await admin.end();
  const databaseUrl = server.url(databaseName);
  const provider = await startFakeProvider();
  const providerNetwork = await startTcpProxy(provider.port);
  const { all, start } = makeStarter(databaseUrl, server.port, providerNetwork.port, folder);
  const sql = postgres(databaseUrl, { max: 3, onnotice: () => undefined });
  const command = async (...commandArguments: string[]): Promise<string> => {
    const result = await runProgram(runnable('command-line').script, commandArguments, {
      ...settings,
      DATABASE_URL: databaseUrl,
      STRIPE_API_BASE: `http://127.0.0.1:${provider.port}`,
      HOLDFAST_DATA_DIR: path.join(folder, 'command-line'),
    });
    if (result.code === 0) return result.out;
    throw new Error(`holdfast ${commandArguments.join(' ')} exited ${String(result.code)}: ${result.error}`);
  };
  await command('migrate');
  const keys = new Map<Who, string>();
  await Promise.all(
    roles.map(async (role) =>
      keys.set(role, await command('api-key', 'create', '--role', role, '--name', role)),
    ),
  );
  const key = (who: Who): string => keys.get(who) ?? '';
  const [installation] = await sql<{ id: string }[]>`select default_org_id as id from installation`;
  let origin = '';

  const operation: Cluster['operation'] = async (id) => {
    const [row] = await sql<
      StoredOperation[]
    >`select *, fence::int as fence from operations where id = ${id}`;
    if (row === undefined) throw new Error(`operation ${id} is not stored`);
    return row;
  };

  return {
    provider,
    providerNetwork,
    sql,
    organisationId: installation?.id ?? '',
    startApi: async (options = {}) => {
      const api = await start('api', options);
      await untilReady(api);
      return api;
    },
    startWorker: (options = {}) => start('worker', options),
    useApi: (api) => {
      origin = api.origin;
    },
    sendEventsTo: async (api) => {
      const url = api === undefined ? null : `${api.origin}/v1/webhooks/stripe`;
      await provider.post('/fake/webhook_endpoint', { url, secret: webhookSecret });
    },
    ...makePeople(provider, key, () => [origin]),
    asking: (origins) => makePeople(provider, key, origins),
    key,
    operation,
    attempts: (id) => sql<
      StoredAttempt[]
    >`select number, fence::int as fence, result, ended_at, finding from attempts
      where operation_id = ${id} order by number`,
    auditTypes: async (id) =>
      (
        await sql<{ type: string }[]>`select type from audit where operation_id = ${id} order by sequence`
      ).map(({ type }) => type),
    reach: (id, state) =>
      until(
        `operation ${id} to be ${state}`,
        async () => {
          const row = await operation(id);
          if (row.state === state) return row;
          throw new Error(`it is ${row.state}, ${JSON.stringify(row.attention)}`);
        },
        60_000,
      ),
    posts: async (payment) =>
      (await provider.requests()).filter(
        (request) => request.path === '/v1/refunds' && request.body.includes(`=${payment}&`),
      ),
    quiet: async () => {
      await until('nothing to be left to do', async () => {
        const [left] = await sql<{ count: number }[]>`select (
            (select count(*) from operations where state in ('approved', 'submitting', 'outcome_unknown', 'pending'))
            + (select count(*) from provider_events where applied_at is null))::int as count`;
        return left?.count === 0 ? true : undefined;
      });
    },
    command,
    killAll: async (...but) => {
      for (const one of all) if (!but.includes(one)) await one.kill();
    },
    log: () => all.map((one, index) => `── process ${index}\n${one.program.output()}`).join('\n'),
    close: async () => {
      for (const one of all) await one.kill();
      await sql.end({ timeout: 2 });
      await providerNetwork.close();
      await provider.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import type { LedgerSummary } from '../provider/ledger.ts';
import {
  freePort,
  NeverSo,
  runScript,
  startScript,
  until,
  type Environment,
  type Program,
} from '../program.ts';
import type { Endings } from './endings.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { openStock, type Stock } from './stock.ts';

export type HouseOptions = {
  /** Given to PostgreSQL, e.g. `track_commit_timestamp=on`. */
  readonly postgresSettings?: readonly string[];
  /** Given to the Node that runs the server, e.g. `--cpu-prof`. */
  readonly nodeArguments?: readonly string[];
};

/** Everything a measurement needs, each in its own process: PostgreSQL, the server with its worker, the provider. */
export type House = {
  readonly cluster: Cluster;
  readonly server: Program;
  /** By `performance.now()`. */
  readonly serverStartedAt: number;
  readonly provider: Program;
  readonly origin: string;
  /** As a superuser, in the product's own database. */
  readonly sql: postgres.Sql;
  /** The bare SQL's database: the same schema, its own tables. */
  readonly bareUrl: string;
  readonly organisationId: string;
  readonly keys: { readonly agent: string; readonly approver: string };
  readonly stock: Stock;
  readonly providerSummary: () => Promise<LedgerSummary>;
  /** Stops the server alone, so that it writes what it has to write. */
  readonly stopServer: () => Promise<void>;
};

export const startScriptOfServer = 'apps/server/src/start/start.ts';
const commandLine = 'apps/server/src/command-line/holdfast.ts';
const productDatabase = 'holdfast';
const bareDatabase = 'holdfast_bare';

const startProvider = async (endings: Endings): Promise<{ program: Program; origin: string }> => {
  const program = startScript('bench/src/provider/quick-provider.ts', []);
  endings.add(() => program.end());
  const port = await until('the provider to listen', () => {
    if (!program.running()) throw new NeverSo(program.output());
    return Promise.resolve(/^port (\d+)$/m.exec(program.output())?.[1]);
  });
  return { program, origin: `http://127.0.0.1:${port}` };
};

const untilReady = (program: Program, origin: string): Promise<boolean> =>
  until('the server to be ready', async () => {
    if (!program.running()) throw new NeverSo(`the server ended: ${program.output().slice(-2000)}`);
    return (await fetch(`${origin}/readyz`)).ok ? true : undefined;
  });

const makeDatabases = async (cluster: Cluster): Promise<void> => {
  const admin = postgres(cluster.urlOf('postgres'), { max: 1, onnotice: () => undefined });
  await admin.unsafe(`create database ${productDatabase}`);
  await admin.unsafe(`create database ${bareDatabase}`);
  await admin.unsafe('create extension if not exists pg_walinspect');
  await admin.end();
};

const settingsOf = (folder: string, databaseUrl: string, port: number, provider: string): Environment => ({
  PORT: String(port),
  PUBLIC_ORIGIN: `http://localhost:${String(port)}`,
  DATABASE_URL: databaseUrl,
  HOLDFAST_DATA_DIR: path.join(folder, 'holdfast'),
  HOLDFAST_WEB_BUILD: 'off',
  HOLDFAST_KEY_APPROVALS: 'on',
  HOLDFAST_UNDO_MS: '0',
  HOLDFAST_RATE_LIMIT: 'off',
  STRIPE_SECRET_KEY: 'sk_test_bench',
  STRIPE_API_BASE: provider,
  STRIPE_WEBHOOK_SECRET: 'whsec_bench',
  LOG_LEVEL: 'warn',
});

const migrateBare = (cluster: Cluster, folder: string): Promise<string> =>
  runScript(commandLine, ['migrate'], {
    DATABASE_URL: cluster.urlOf(bareDatabase),
    HOLDFAST_DATA_DIR: path.join(folder, 'bare'),
    HOLDFAST_DEMO: 'off',
  });

/** @throws with the server's last words when it does not start */
export const startHouse = async (endings: Endings, options: HouseOptions = {}): Promise<House> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-bench-'));
  endings.add(() => rm(folder, { recursive: true, force: true }));
  const cluster = await startCluster(endings, folder, options.postgresSettings);
  await makeDatabases(cluster);
  const provider = await startProvider(endings);
  const port = await freePort();
  const environment = settingsOf(folder, cluster.urlOf(productDatabase), port, provider.origin);
  const serverStartedAt = performance.now();
  const server = startScript(startScriptOfServer, [], environment, options.nodeArguments);
  endings.add(() => server.end());
  const origin = `http://127.0.0.1:${String(port)}`;
  await Promise.all([untilReady(server, origin), migrateBare(cluster, folder)]);
  const key = (role: string): Promise<string> =>
    runScript(commandLine, ['api-key', 'create', '--role', role, '--name', `bench ${role}`], environment);
  const agent = await key('agent');
  const approver = await key('approver');
  const sql = postgres(cluster.urlOf(productDatabase), { max: 4, onnotice: () => undefined });
  endings.add(() => sql.end({ timeout: 5 }));
  const bareUrl = cluster.urlOf(bareDatabase);
  const stock = await openStock(sql, bareUrl);
  return {
    ...{ cluster, server, serverStartedAt, origin, sql, bareUrl, stock },
    provider: provider.program,
    organisationId: stock.organisationId,
    keys: { agent, approver },
    providerSummary: async () =>
      (await (await fetch(`${provider.origin}/bench/summary`)).json()) as LedgerSummary,
    stopServer: () => server.end(),
  };
};

import { test as base, expect } from '@playwright/test';
import { startCluster, type Cluster, type ClusterProcess } from './cluster.ts';
import { makePostgresServer, type PostgresServer } from './postgres-server.ts';

type OfOneRun = {
  /** Settings of the database server, as `name=value`. */
  postgresSettings: readonly string[];
  /** Whether its tables and its log are on disks that can be filled. */
  smallDisks: boolean;
  /** Whether the one server is a worker, too: whatever befalls the database, it is the same process afterwards. */
  withWorker: boolean;
  postgresServer: PostgresServer;
  /** One database with one server, for all tests that do not take the database itself away. */
  cluster: Cluster & { readonly api: ClusterProcess };
};

/** Tests of what happens to processes. A test starts the workers it needs; whatever it leaves running is killed. */
export const test = base.extend<{ logged: undefined }, OfOneRun>({
  // A crash of the program loses nothing without fsync: only a crash of the machine would.
  postgresSettings: [
    ['fsync=off', 'max_connections=300', 'shared_buffers=64MB', 'log_min_messages=fatal'],
    { option: true, scope: 'worker' },
  ],
  smallDisks: [false, { option: true, scope: 'worker' }],
  withWorker: [false, { option: true, scope: 'worker' }],
  postgresServer: [
    async ({ postgresSettings, smallDisks }, use) => {
      const server = await makePostgresServer(postgresSettings, smallDisks);
      await server.start();
      await use(server);
      await server.remove();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  cluster: [
    async ({ postgresServer, withWorker }, use) => {
      const cluster = await startCluster(postgresServer, 'processes');
      const api = await cluster.startApi(withWorker ? { settings: { HOLDFAST_ROLE: 'all' } } : {});
      cluster.useApi(api);
      await use({ ...cluster, api });
      await cluster.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  logged: [
    async ({ cluster }, use, testInfo) => {
      await use(undefined);
      cluster.provider.program().thaw();
      await cluster.provider.clearFaults();
      await cluster.providerNetwork.mend();
      await cluster.killAll(cluster.api);
      if (testInfo.status === testInfo.expectedStatus) return;
      await testInfo.attach('logs', { body: cluster.log().slice(-40_000), contentType: 'text/plain' });
    },
    { auto: true },
  ],
});

export { expect };

import { connect as connectSocket, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres-rig.ts';
import { connect, organisationTransactions, type Connection, type InOrganisation } from './connection.ts';

let database: TestDatabase;
let through: Server;
let connection: Connection;
let inOrganisation: InOrganisation;
const sockets = new Set<Socket>();

/** A way to the database that can be cut. */
const cut = (): void => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
};

beforeAll(async () => {
  database = await createTestDatabase();
  const target = new URL(database.url);
  const { port, hostname } = target;
  through = createServer((near) => {
    const far = connectSocket(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => through.listen(0, '127.0.0.1', resolve));
  target.port = String((through.address() as AddressInfo).port);
  target.hostname = '127.0.0.1';
  connection = connect({ url: target.href, maximum: 2 });
  inOrganisation = organisationTransactions(connection);
});
afterAll(async () => {
  await connection.close();
  cut();
  through.close();
  await database.drop();
});

const organisationId = 'shop';

/** An error that nobody caught fails the whole run, so what would end the server's process fails these tests. */
const works = async (): Promise<unknown> => {
  const rows = await inOrganisation(organisationId, (tx) => tx.ask('select 1 as one', []));
  return rows[0];
};

// Red when: a transaction whose connection is gone is told to roll back over it (`isConnectionGone`).
test.each([
  ['one question is', (ask: (text: string) => Promise<unknown>) => ask('select pg_sleep(20)')],
  [
    'several questions are',
    (ask: (text: string) => Promise<unknown>) => Promise.all([ask('select pg_sleep(20)'), ask('select 1')]),
  ],
])('a connection that is cut while %s under way fails its transaction alone', async (_what, asked) => {
  const working = inOrganisation(organisationId, (tx) => {
    const asking = asked((text) => tx.ask(text, []));
    setImmediate(() => setTimeout(cut, 50));
    return asking;
  });
  await expect(working).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await expect(works()).resolves.toEqual({ one: 1 });
});

// Red when: the end that the database gives to a connection is answered with a rollback.
test('a connection that the database ends fails its transaction alone', async () => {
  const working = inOrganisation(organisationId, async (tx) => {
    const [own] = await tx.ask<{ pid: number }>('select pg_backend_pid() as pid', []);
    const asking = Promise.all([tx.ask('select pg_sleep(20)', []), tx.ask('select 1', [])]);
    await database.admin`select pg_terminate_backend(${own?.pid ?? 0})`;
    return asking;
  });
  await expect(working).rejects.toThrow();
  await expect(works()).resolves.toEqual({ one: 1 });
});

import { connect as connectSocket, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import postgres from 'postgres';
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
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
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
    asking.catch(() => undefined);
    await database.admin`select pg_terminate_backend(${own?.pid ?? 0})`;
    return asking;
  });
  await expect(working).rejects.toThrow();
  await expect(works()).resolves.toEqual({ one: 1 });
});

const ways: readonly (readonly [string, (pid: number) => Promise<unknown> | void])[] = [
  ['cut', () => cut()],
  ['ended by the database', (pid) => database.admin`select pg_terminate_backend(${pid})`],
];
const goesOn: readonly (readonly [string, (ask: () => Promise<unknown>) => unknown])[] = [
  ['asks more', (ask) => ask()],
  ['asks twice, whatever comes of it', (ask) => ask().catch(ask)],
  ['has nothing more to ask', () => 'done'],
  [
    'fails by itself',
    () => {
      throw new Error('the work has a trouble of its own');
    },
  ],
];

// The driver remembers the words with which the database ended a connection, and says them to whoever comes next.
// Red when: a transaction that never began is not begun anew.
test('the end of one connection fails nobody who comes after', async () => {
  for (let time = 0; time < 4; time += 1) {
    const working = inOrganisation(organisationId, async (tx) => {
      const [own] = await tx.ask<{ pid: number }>('select pg_backend_pid() as pid', []);
      // Of a question that is asked for the first time the driver has more to write when it fails.
      const asking = tx.ask(`select pg_sleep(20), $1::text as time${String(time)}`, ['first']);
      asking.catch(() => undefined);
      await database.admin`select pg_terminate_backend(${own?.pid ?? 0})`;
      return asking;
    });
    await expect(working).rejects.toThrow();
    const after = await Promise.allSettled([works(), works(), works()]);
    expect(after.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  }
});

// Red when: `over` decides neither what is sent nor whether the driver is answered (each line of it by itself).
test.each(ways.flatMap(([how, end]) => goesOn.map(([what, go]) => ({ how, what, end, go }))))(
  'work whose idle connection is $how and that then $what comes to nothing, alone',
  async ({ end, go }) => {
    let goOn: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let ended: Promise<unknown> = Promise.resolve();
    const working = inOrganisation(organisationId, async (tx) => {
      const [own] = await tx.ask<{ pid: number }>('select pg_backend_pid() as pid', []);
      ended = Promise.resolve(end(own?.pid ?? 0));
      await closed;
      // What stands behind this runs once the driver has seen to the closed connection.
      return go(() => tx.ask('select 1', []));
    });
    await expect(working).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await ended;
    goOn();
    // Sent over a closed connection, it would end the process within the next turn.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await expect(works()).resolves.toEqual({ one: 1 });
  },
);

// Red when: the driver is the published one, without our patch (docs/decisions/0009): the process ends by it, or the
// connection never writes again.
test('what is asked over a connection that has closed fails alone, and the connection works again', async () => {
  let hasClosed = (): void => undefined;
  const closed = new Promise<void>((resolve) => (hasClosed = resolve));
  const driver = postgres(connection.url, { max: 1, onclose: () => hasClosed() });
  const working = driver.begin(async (client) => {
    cut();
    await closed;
    return client.unsafe('select 1 as one');
  });
  await expect(working).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
  await expect(driver.unsafe('select 1 as one')).resolves.toEqual([{ one: 1 }]);
  await driver.end({ timeout: 1 });
});

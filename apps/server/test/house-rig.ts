import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Role } from '@holdfast/operation';
import { mintOperationId } from '@holdfast/operation';
import type { Hono } from 'hono';
import postgres from 'postgres';
import { wayTo, type Way } from './cut-connection.ts';
import { freshDatabase } from './own-cluster.ts';
import { freePort } from '../src/embedded-postgres/cluster.ts';
import { readSettings, type Settings } from '../src/settings/settings.ts';
import { hashApiKey, mintApiKey } from '../src/sign-in/api-key.ts';
import { startFakeStripe, type FakeStripe } from '../src/start/fake-stripe.ts';
import { makeLog } from '../src/start/log.ts';
import { openDatabase } from '../src/start/open-database.ts';
import { appOf, openServer, type OpenServer } from '../src/start/run-server.ts';

export const origin = 'http://localhost:4780';

export type AskOptions = {
  readonly key?: string;
  readonly cookie?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly raw?: string;
};
export type Answered = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
};

/** The real server over a real database and the real fake Stripe, with no port of its own. */
export type House = {
  readonly app: Hono;
  readonly opened: OpenServer;
  readonly organisationId: string;
  readonly fake: FakeStripe;
  /** Behind row-level security. */
  readonly admin: postgres.Sql;
  /** What the server reaches its database by. */
  readonly way: Way;
  readonly key: (role: Role, owner?: { userId: string }, assistant?: boolean) => Promise<string>;
  /** Somebody who is known by this address already joins one more organisation. */
  readonly person: (
    role: Role,
    email: string,
    inOrganisation?: string,
  ) => Promise<{ userId: string; cookie: string }>;
  readonly ask: (method: string, route: string, options?: AskOptions) => Promise<Answered>;
  readonly order: (id: string, minor?: number) => Promise<{ reference: string }>;
  readonly stop: () => Promise<void>;
};

export const mintId = (): string => mintOperationId(Date.now(), randomBytes(10));

export const proposalOf = (orderId: string, minor = 1_000) => ({
  kind: 'refund',
  orderId,
  amount: { minor, currency: 'EUR' },
  reason: 'returned',
});

const password = 'a password for tests';

const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

export const openHouse = async (variables: Record<string, string> = {}): Promise<House> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'holdfast-server-house-'));
  const url = await freshDatabase('house', 'migrated');
  const way = await wayTo(url);
  const settings: Settings = readSettings({
    DATABASE_URL: way.url,
    HOLDFAST_DEMO: 'off',
    HOLDFAST_DATA_DIR: folder,
    HOLDFAST_KEY_APPROVALS: 'on',
    HOLDFAST_UNDO_MS: '0',
    LOG_LEVEL: 'silent',
    ...variables,
  });
  const fake = await startFakeStripe(folder, await freePort(0), 'http://127.0.0.1:9/v1/webhooks/stripe');
  const database = await openDatabase(settings);
  const { opened, organisationId, close } = await openServer(
    settings,
    database,
    fake.access,
    makeLog('silent'),
  );
  const app = appOf(opened);
  const admin = postgres(url, { max: 2, onnotice: () => undefined });
  const { store, people } = opened;

  const ask = async (method: string, route: string, options: AskOptions = {}): Promise<Answered> => {
    const response = await app.request(`${origin}${route}`, {
      method,
      headers: {
        host: 'localhost:4780',
        ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
        ...(options.cookie === undefined ? {} : { cookie: options.cookie, origin }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.raw === undefined ? {} : { body: options.raw }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text },
      headers: response.headers,
    };
  };

  const key = async (role: Role, owner?: { userId: string }, assistant = false): Promise<string> => {
    const made = mintApiKey();
    const id = randomBytes(8).toString('hex');
    const ownerUserId = owner?.userId ?? null;
    await store.addKey(organisationId, {
      id,
      hash: hashApiKey(made),
      role,
      name: `${role} key`,
      ownerUserId,
      assistant,
    });
    return made;
  };

  const signIn = async (email: string): Promise<string> =>
    cookieOf(
      await app.request(`${origin}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin },
        body: JSON.stringify({ email, password }),
      }),
    );

  return {
    app,
    opened,
    organisationId,
    fake,
    admin,
    way,
    ask,
    key,
    person: async (role, email, inOrganisation = organisationId) => {
      const { userId } = await people.invite(email, `The ${role}`);
      await people.setPassword(userId, password);
      await store.addMember(inOrganisation, { userId, role, name: `The ${role}`, email });
      return { userId, cookie: await signIn(email) };
    },
    order: async (id, minor = 5_000) => {
      const reference = `pi_${randomBytes(8).toString('hex')}`;
      const amount = { minor, currency: 'EUR' };
      await fetch(`${fake.access.apiBase}/fake/payment_intents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([{ id: reference, amount: minor, currency: 'eur' }]),
      });
      const answer = await ask('PUT', `/v1/orders/${id}`, {
        key: await key('integrator'),
        body: {
          customer: { id: 'c-1', name: 'Ann' },
          payment: { provider: 'stripe', reference, captured: amount },
          lines: [{ sku: 's', title: 'Lamp', quantity: 1, amount }],
          returns: [{ id: `r-${id}`, status: 'received', receivedAt: new Date().toISOString() }],
          placedAt: new Date(Date.now() - 86_400_000).toISOString(),
        },
      });
      if (answer.status !== 201) throw new Error(`the order was answered ${JSON.stringify(answer.body)}`);
      return { reference };
    },
    stop: async () => {
      opened.streams.closeAll();
      await close();
      await admin.end();
      await way.close();
      await fake.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

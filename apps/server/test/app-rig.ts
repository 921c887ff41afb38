import type { Engine } from '@holdfast/engine';
import { defaultPolicy, type Actor, type Role } from '@holdfast/operation';
import type { Hono } from 'hono';
import { buildApp } from '../src/http/app.ts';
import { createOverload, type Overload } from '../src/http/overload.ts';
import { noProxies, trustedProxies } from '../src/http/client-address.ts';
import { rateLimiter } from '../src/http/rate-limit.ts';
import type { Route } from '../src/http/route.ts';
import { allRoutes } from '../src/http/routes/all-routes.ts';
import type { SecurityParts } from '../src/http/routes/security-parts.ts';
import { openStreams, type OpenStreams } from '../src/http/routes/feed-routes.ts';
import type { ServeStatic } from '../src/http/static-files.ts';
import type { Identity } from '../src/sign-in/identify.ts';
import { keyStore } from '../src/sign-in/key-store.ts';
import { peopleStore } from '../src/sign-in/people-store.ts';
import { recoveryStore } from '../src/sign-in/recovery-store.ts';
import { deviceCookie } from '../src/sign-in/device-cookie.ts';
import type { People } from '../src/sign-in/people.ts';
import { signInTries } from '../src/sign-in/sign-in-tries.ts';

export const publicOrigin = 'http://localhost:4780';
export const organisationId = 'organisation-1';

export type Credentials = { role: Role; via?: Actor['via']; assistant?: boolean; id?: string };

/** Test identities travel in one header; the rig's `identify` reads them as the real one reads keys and cookies. */
export const as = (credentials: Credentials): Record<string, string> => ({
  'x-test-identity': JSON.stringify(credentials),
});

const identityOf = (headers: Headers): Identity | undefined => {
  const text = headers.get('x-test-identity');
  if (text === null) return undefined;
  const { role, via = 'session', assistant = false, id = `${role}-1` } = JSON.parse(text) as Credentials;
  return {
    principal: { organisationId, actor: { id, name: `The ${role}`, role, assistant, via } },
    subject: id,
    credential: `${via} ${id}`,
    byCookie: via === 'session',
    ...(via === 'session'
      ? { session: { sessionId: `session of ${id}`, userId: id, organisationId: null } }
      : {}),
  };
};

const noDatabase = (): Promise<never> => Promise.reject(new Error('not in this test'));

const nobody: People = {
  handle: () => Promise.resolve(new Response(null, { status: 401 })),
  sessionOf: () => Promise.resolve(undefined),
  endSession: () => Promise.resolve(undefined),
  chooseOrganisation: () => Promise.resolve(),
  invite: () => Promise.reject(new Error('not in this test')),
  personByEmail: () => Promise.resolve(undefined),
  makePerson: () => Promise.reject(new Error('not in this test')),
  setPassword: () => Promise.reject(new Error('not in this test')),
  choosePassword: () => Promise.resolve('token-unknown'),
  resetToken: () => Promise.resolve(undefined),
  hasPassword: () => Promise.resolve(false),
  isPassword: () => Promise.resolve(false),
  openSession: () => Promise.reject(new Error('not in this test')),
  sessions: {
    ofPerson: () => Promise.resolve([]),
    proofOf: () => Promise.resolve(undefined),
    prove: () => Promise.resolve(),
    see: () => Promise.resolve(),
    end: () => Promise.resolve(false),
    endOthers: () => Promise.resolve(0),
    endAll: () => Promise.resolve(0),
    endOfPasskey: () => Promise.resolve(0),
  },
  close: () => Promise.resolve(),
};

const notInThisTest = () => Promise.reject(new Error('not in this test'));

const noSecurity: SecurityParts = {
  home: { possible: true, rpId: 'localhost', origin: publicOrigin },
  ceremonies: undefined,
  passkeys: {
    byCredentialId: () => Promise.resolve(undefined),
    ofPerson: () => Promise.resolve([]),
    add: notInThisTest,
    noteUse: notInThisTest,
    rename: () => Promise.resolve(false),
    revoke: () => Promise.resolve('unknown'),
    spendChallenge: notInThisTest,
  },
  acts: {
    mayRegister: () => Promise.resolve('confirm'),
    register: notInThisTest,
    rename: () => Promise.resolve(false),
    revoke: () => Promise.resolve('unknown'),
  },
  tell: () => Promise.resolve(),
  recoveryUsed: () => Promise.resolve(),
  people: nobody,
  membershipsOf: () => Promise.resolve([]),
  letters: { later: () => undefined, done: () => Promise.resolve() },
  mailWay: 'nowhere',
  tries: rateLimiter(20, Date.now),
  letterLimit: rateLimiter(3, Date.now),
  sessionsEnded: () => undefined,
};

export type AppRig = {
  readonly app: Hono;
  readonly routes: readonly Route[];
  readonly streams: OpenStreams;
  readonly failures: unknown[];
  /** Each time an assistant was held back. */
  readonly bursts: string[];
  readonly ask: (method: string, path: string, options?: AskOptions) => Promise<Response>;
};
export type AskOptions = {
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
  /** The address of the socket it comes by. */
  from?: string;
};

export type RigOptions = {
  engine: Engine;
  keyApprovals?: boolean;
  rateLimit?: number;
  strangers?: number;
  trustedProxies?: readonly string[];
  identify?: (headers: Headers) => Promise<Identity | undefined>;
  serveStatic?: ServeStatic;
  publicOrigin?: string;
  overload?: Overload;
  mostStreams?: number;
  assistantLimit?: number;
  receiptWithinMs?: number;
  mcpLongestMs?: number;
};

/** The whole app over an engine of the test's choosing, asked without a port. */
export const appRig = (options: RigOptions): AppRig => {
  const identify = options.identify ?? ((headers: Headers) => Promise.resolve(identityOf(headers)));
  const streams = openStreams(options.mostStreams);
  const overload =
    options.overload ??
    createOverload({
      connections: 20,
      isDatabaseAnswering: () => Promise.resolve(true),
      nowMs: Date.now,
      chance: () => 0.5,
    });
  const failures: unknown[] = [];
  const bursts: string[] = [];
  const routes = allRoutes({
    engine: options.engine,
    me: {
      store: {
        organisationName: () => Promise.resolve('Test organisation'),
        membershipsOf: () => Promise.resolve([]),
      },
      people: nobody,
      rightsChanged: streams.recheck,
    },
    people: {
      store: peopleStore(noDatabase),
      recoveries: recoveryStore(noDatabase),
      organisationName: () => Promise.resolve('Test organisation'),
      mail: { way: 'nowhere', send: () => Promise.reject(new Error('not in this test')) },
      publicOrigin,
      nowMs: Date.now,
      rightsChanged: streams.recheck,
    },
    recovery: {
      store: recoveryStore(noDatabase),
      recordAct: notInThisTest,
      sessions: { endAll: notInThisTest },
      mail: { way: 'nowhere', send: notInThisTest },
      letters: noSecurity.letters,
      publicOrigin,
      rightsChanged: streams.recheck,
    },
    accept: {
      access: { invitationByToken: () => Promise.resolve(undefined) },
      store: peopleStore(noDatabase),
      people: nobody,
    },
    providerAccount: { accountOf: () => undefined },
    keys: { store: keyStore(noDatabase), nowMs: Date.now, rightsChanged: streams.recheck },
    audit: {
      inOrganisation: () => Promise.reject(new Error('there is no database here')),
      store: { recordAct: () => Promise.resolve() },
      sealKeys: () => Promise.resolve(null),
    },
    sweeps: { inOrganisation: notInThisTest, accountOf: () => undefined, everyMs: null },
    notifications: {
      inOrganisation: () => Promise.reject(new Error('there is no database here')),
      ...{ publicKey: '', mail: 'nowhere', services: [] },
    },
    endpoints: { inOrganisation: notInThisTest, sealingKey: notInThisTest, allowLoopback: false },
    assistant: {
      limiter: rateLimiter(options.assistantLimit, Date.now),
      during: overload.during,
      retryAfter: overload.retryAfter,
      streams,
      onFailure: (error) => failures.push(error),
      askModel: undefined,
    },
    mcp: {
      sharedKey: new Uint8Array(32),
      limiter: rateLimiter(options.assistantLimit, Date.now),
      onBurst: (who) => bursts.push(who.organisationId),
      onFailure: (error) => failures.push(error),
      nowMs: Date.now,
      receiptWithinMs: options.receiptWithinMs ?? 8_000,
      ...(options.mcpLongestMs === undefined ? {} : { longestMs: options.mcpLongestMs }),
      during: overload.during,
      streams,
    },
    demoCases: undefined,
    keyApprovals: options.keyApprovals ?? false,
    signing: {
      passkeys: { ofPerson: () => Promise.resolve([]) },
      policyOf: () => Promise.resolve(defaultPolicy),
    },
    readiness: () => Promise.resolve({ ready: true }),
    feed: { identify, streams, retryAfter: overload.retryAfter, onFailure: (error) => failures.push(error) },
    signIn: {
      people: nobody,
      tries: signInTries(deviceCookie(new Uint8Array(32), false), Date.now),
      shownSignIns: undefined,
      onSignOut: streams.recheck,
      security: noSecurity,
    },
  });
  const app = buildApp({
    engine: options.engine,
    identify,
    limiter: rateLimiter(options.rateLimit, Date.now),
    strangers: rateLimiter(options.strangers, Date.now),
    trustedProxies: trustedProxies(options.trustedProxies ?? []) ?? noProxies,
    overload,
    publicOrigin: options.publicOrigin ?? publicOrigin,
    routes,
    serveStatic: options.serveStatic ?? (() => Promise.resolve(undefined)),
    logFailure: (error) => failures.push(error),
    logRequest: () => undefined,
  });
  const ask = async (
    method: string,
    path: string,
    { headers = {}, body, text, from }: AskOptions = {},
  ): Promise<Response> =>
    app.request(
      `${publicOrigin}${path}`,
      {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          host: 'localhost:4780',
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(text === undefined ? {} : { body: text }),
      },
      from === undefined ? {} : { incoming: { socket: { remoteAddress: from } } },
    );
  return { app, routes, streams, failures, bursts, ask };
};

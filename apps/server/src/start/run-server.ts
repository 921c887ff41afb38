import type { ProviderDirectory } from '@holdfast/engine';
import { accountArrived, readPolicy } from '@holdfast/engine/postgres';
import { createAdaptorServer } from '@hono/node-server';
import type { Server } from 'node:http';
import { portProblem } from './port.ts';
import { sealSignerOf } from '../audit/seal-key.ts';
import { mountDemoFaults } from '../demo/demo-faults.ts';
import { seedDemo, demoSignIns } from '../demo/seed-demo.ts';
import { buildApp } from '../http/app.ts';
import { isDatabaseAway } from '../http/failure.ts';
import { createOverload, feedInTurns } from '../http/overload.ts';
import { noProxies, trustedProxies } from '../http/client-address.ts';
import { rateLimiter } from '../http/rate-limit.ts';
import { allRoutes } from '../http/routes/all-routes.ts';
import { openStreams, type OpenStreams } from '../http/routes/feed-routes.ts';
import { staticFiles } from '../http/static-files.ts';
import { openAccessStore, type AccessStore } from '../sign-in/access-store.ts';
import { identifier } from '../sign-in/identify.ts';
import { deviceCookie } from '../sign-in/device-cookie.ts';
import { openPeople, type People } from '../sign-in/people.ts';
import { signInTries } from '../sign-in/sign-in-tries.ts';
import { openMail, type Mail } from '../mail/mail.ts';
import type { Settings } from '../settings/settings.ts';
import { launchers } from './launchers.ts';
import { loggableError, type Logger } from './log.ts';
import { makeEngine, type MadeEngine } from './make-engine.ts';
import type { OpenDatabase } from './open-database.ts';
import { demoCasesOf } from './demo-cases-of.ts';
import { registerAllPayments, withPaymentsAtTheFake, fakeShop } from './payments-at-the-fake.ts';
import { organisationParts } from './organisation-parts.ts';
import { assistantParts } from './assistant-parts.ts';
import { endpointParts, runAnnouncing } from './announcing-of.ts';
import { notificationParts, runNotifying } from './notifications-of.ts';
import { openAccountDirectory } from './account-directory.ts';
import type { StripeAccess } from './provider-account.ts';
import { readSealingKey } from './sealed-secrets.ts';
import { runSealing } from './sealing-of.ts';
import { runSweeping, sweepParts } from './sweeping-of.ts';
import { isDatabaseAnswering, readinessOf } from './readiness.ts';
import { securityOf } from './security-of.ts';
import { forgetServer, recordServer } from './server-record.ts';
import { staticFolders } from './web-build.ts';

export type RunningServer = { readonly stop: () => Promise<void> };

/** Everything a server is made of, open and not yet listening. */
export type OpenServer = {
  readonly settings: Settings;
  readonly database: OpenDatabase;
  readonly log: Logger;
  readonly store: AccessStore;
  readonly people: People;
  /** Shared by every process on this database. */
  readonly sharedKey: Uint8Array;
  readonly mail: Mail;
  readonly accountOf: ProviderDirectory['accountOf'];
  readonly accounts: ProviderDirectory['accounts'];
  readonly made: MadeEngine;
  readonly streams: OpenStreams;
  /** Of the demo: where cases to try are made. */
  readonly demoAt: { readonly organisationId: string; readonly fakeStripeBase: string } | undefined;
};

/** How long requests under way may take once a stop was asked for. */
const drainMs = 10_000;

/** HTTP as one function: it can be asked without a port. */
export const appOf = (opened: OpenServer) => {
  const { settings, log, store, people, made, streams } = opened;
  const overload = createOverload({
    connections: settings.databaseConnections,
    isDatabaseAnswering: isDatabaseAnswering(store),
    nowMs: Date.now,
    chance: Math.random,
  });
  const identify = identifier(store, people);
  const engine = { ...made.engine, feed: feedInTurns(made.engine.feed, overload) };
  const logFailure = (error: unknown, away: boolean): void => {
    log.error({ error: loggableError(error) }, away ? 'the database is away' : 'a request failed');
  };
  return buildApp({
    engine,
    identify,
    limiter: rateLimiter(settings.rateLimit, Date.now),
    strangers: rateLimiter(settings.rateLimit, Date.now),
    trustedProxies: trustedProxies(settings.trustedProxies) ?? noProxies,
    overload,
    publicOrigin: settings.publicOrigin,
    serveStatic: staticFiles(staticFolders(settings.dataFolder)),
    logFailure,
    logRequest: (line) => {
      log.debug(line, 'request');
    },
    routes: allRoutes({
      engine,
      ...organisationParts(opened),
      ...assistantParts(opened, overload, logFailure),
      audit: {
        inOrganisation: made.inOrganisation,
        store,
        sealKeys: async () => {
          const key = await readSealingKey(settings.dataFolder, settings.secretsKey);
          return key === undefined ? null : [sealSignerOf(key).publicKey];
        },
      },
      ...{ sweeps: sweepParts(opened), endpoints: endpointParts(opened) },
      notifications: notificationParts(opened),
      demoCases: demoCasesOf(opened),
      keyApprovals: settings.keyApprovals,
      signing: { passkeys: made.passkeys, policyOf: (id) => made.inOrganisation(id, readPolicy) },
      readiness: readinessOf(store, opened.database.schemaVersion),
      feed: {
        // Open streams look again and again whether their reader may still read: in turns, like all they ask.
        identify: (headers) => overload.during('feed', () => identify(headers)),
        streams,
        retryAfter: overload.retryAfter,
        onFailure: (error) => {
          logFailure(error, isDatabaseAway(error));
        },
      },
      signIn: {
        people,
        tries: signInTries(
          deviceCookie(opened.sharedKey, settings.publicOrigin.startsWith('https://')),
          Date.now,
        ),
        shownSignIns: settings.demo ? demoSignIns : undefined,
        onSignOut: streams.recheck,
        security: securityOf(opened),
      },
    }),
  });
};

const listen = async (opened: OpenServer): Promise<Server> => {
  const { settings } = opened;
  const server = createAdaptorServer({ fetch: appOf(opened).fetch, overrideGlobalObjects: false }) as Server;
  if (settings.demo) mountDemoFaults(server, Date.now);
  // A request must be whole within a minute; a stream of events has no such end.
  server.requestTimeout = 60_000;
  server.headersTimeout = 20_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(portProblem('PORT', settings.host, settings.port, error));
    });
    server.listen(settings.port, settings.host, resolve);
  });
  return server;
};

const closeServer = async (server: Server, streams: OpenStreams): Promise<void> => {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  streams.closeAll();
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, drainMs);
  await closed;
  clearTimeout(timer);
};

/** Runs the worker until stopped. It outlives a database that is away; should it end all the same, so does the process. */
const runWorker = (opened: OpenServer): (() => Promise<void>) => {
  const stop = new AbortController();
  const ended = opened.made.worker.run(stop.signal).catch((error: unknown) => {
    opened.log.fatal({ error: loggableError(error) }, 'the worker ended');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  return async () => {
    stop.abort();
    await ended;
  };
};

/** @throws StartProblem when the provider refuses the key */
export const openServer = async (
  settings: Settings,
  database: OpenDatabase,
  stripe: StripeAccess | undefined,
  log: Logger,
) => {
  const store = openAccessStore(database.url);
  const organisationId = await store.defaultOrganisationId();
  // The directory comes before the engine, which is made with it, and wakes through it what waited for an account.
  let wake: (organisationId: string) => Promise<void> = () => Promise.resolve();
  const directory = await openAccountDirectory({
    defaultOrganisationId: organisationId,
    given: stripe,
    recorded: await store.accountsOf(organisationId),
    readStored: store.providerAccess,
    sealingKey: () => readSealingKey(settings.dataFolder, settings.secretsKey),
    onArrival: (id) => wake(id),
    onUnopened: (id) => {
      log.error({ organisationId: id }, 'its provider key was sealed elsewhere; set HOLDFAST_SECRETS_KEY');
    },
  }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const sharedKey = await store.sharedKey();
  const people = openPeople({ url: database.url, publicOrigin: settings.publicOrigin, sharedKey });
  const mail = openMail({
    smtp: settings.smtp,
    demo: settings.demo,
    show: (text) => process.stderr.write(text),
    onNowhere: () => {
      log.warn(
        'a letter could not be sent: mail is not set up; set HOLDFAST_SMTP_URL and HOLDFAST_MAIL_FROM',
      );
    },
  });
  const bare = makeEngine(database.url, settings, directory, settings.databaseConnections, log);
  wake = (id) => accountArrived(bare.inOrganisation, id);
  const made =
    stripe?.fake === true
      ? { ...bare, engine: withPaymentsAtTheFake(bare.engine, stripe.apiBase, directory.defaultServedByFake) }
      : bare;
  const opened: OpenServer = {
    settings,
    database,
    log,
    store,
    people,
    sharedKey,
    mail,
    accountOf: directory.accountOf,
    accounts: directory.accounts,
    made,
    streams: openStreams(settings.mostStreams),
    demoAt: settings.demo && stripe ? { organisationId, fakeStripeBase: stripe.apiBase } : undefined,
  };
  const close = async (): Promise<void> => {
    directory.stop();
    await made.close();
    await people.close();
    mail.close();
    await store.close();
  };
  return { opened, organisationId, directory, close };
};

/**
 * Runs the server and, by role, its worker.
 * @throws StartProblem when the port is taken or the provider refuses the key
 */
export const runServer = async (
  settings: Settings,
  database: OpenDatabase,
  stripe: StripeAccess | undefined,
  log: Logger,
): Promise<RunningServer> => {
  const { opened, organisationId, directory, close } = await openServer(settings, database, stripe, log);
  try {
    if (settings.demo && stripe !== undefined) {
      const { made, store, people } = opened;
      await seedDemo(
        { engine: made.engine, store, people, organisationId, fakeStripeBase: stripe.apiBase },
        Date.now(),
      );
    }
    if (stripe?.fake === true && directory.defaultServedByFake()) {
      await registerAllPayments(opened.made.engine, fakeShop(organisationId), stripe.apiBase);
    }
    const server = settings.role === 'worker' ? undefined : await listen(opened);
    const stopWorker = settings.role === 'api' ? undefined : runWorker(opened);
    const stopSealing = settings.role === 'api' ? undefined : runSealing(opened);
    const stopSweeping = settings.role === 'api' ? undefined : runSweeping(opened);
    const stopNotifying = settings.role === 'api' ? undefined : runNotifying(opened);
    const stopAnnouncing = settings.role === 'api' ? undefined : runAnnouncing(opened);
    await recordServer(settings.dataFolder, {
      databaseUrl: database.url,
      givenDatabaseUrl: settings.databaseUrl,
      schemaVersion: database.schemaVersion,
      publicOrigin: settings.publicOrigin,
      demo: settings.demo,
      launchers: launchers(),
    });
    return {
      stop: async () => {
        if (server !== undefined) await closeServer(server, opened.streams);
        await stopSweeping?.();
        await stopAnnouncing?.();
        await stopNotifying?.();
        await stopSealing?.();
        await stopWorker?.();
        await forgetServer(settings.dataFolder);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};

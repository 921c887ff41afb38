import { freePort } from '../embedded-postgres/cluster.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import { StartProblem } from '../settings/start-problem.ts';
import { unknownSettings, unknownSettingText } from '../settings/unknown-settings.ts';
import { demoSignIns } from '../demo/seed-demo.ts';
import { isDatabaseAway } from '../http/failure.ts';
import { startFakeStripe } from './fake-stripe.ts';
import { launchers, watchLaunchers } from './launchers.ts';
import { loggableError, makeLog } from './log.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';
import { openAccessStore } from '../sign-in/access-store.ts';
import { checkedPort } from './port.ts';
import type { StripeAccess } from './provider-account.ts';
import { runServer } from './run-server.ts';
import { waitForLeavingServer } from './server-record.ts';
import { readStartWords } from './start-words.ts';
import { watch } from './watch.ts';
import { buildWebWhenStale } from './web-build.ts';

/** What was started, ended in the opposite order: the database last. */
type Endings = (() => Promise<void>)[];

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const endAll = async (endings: Endings): Promise<void> => {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
};

const withPort = async (settings: Settings): Promise<Settings> => {
  if (settings.port !== 0) return settings;
  const port = await freePort(0);
  const publicOrigin = process.env['PUBLIC_ORIGIN']
    ? settings.publicOrigin
    : `http://localhost:${String(port)}`;
  return { ...settings, port, publicOrigin };
};

const welcome = (settings: Settings, place: string, onFake: boolean): void => {
  const lines = [`Holdfast runs at ${settings.publicOrigin}`, `Database: ${place}`];
  if (onFake) {
    lines.push(
      `Fake Stripe, with its ledger and its faults: http://127.0.0.1:${String(settings.fakeStripePort)}/fake/`,
    );
  }
  if (settings.demo) {
    lines.push(
      'Sign in as:',
      ...demoSignIns.map(({ email, password }) => `  ${email}  password: ${password}`),
    );
  } else {
    lines.push('Add people with: pnpm --silent holdfast user add --email … --name … --role …');
  }
  lines.push('Ctrl-C stops all of it.');
  say(lines.join('\n'));
};

const startAll = async (endings: Endings): Promise<void> => {
  const settings = await withPort(readSettings(process.env));
  for (const unknown of unknownSettings(process.env)) {
    process.stderr.write(`holdfast: ${unknownSettingText(unknown)}\n`);
  }
  const log = makeLog(settings.logLevel);
  if (settings.role !== 'worker') {
    await waitForLeavingServer(settings.dataFolder);
    await checkedPort('PORT', settings.host, settings.port);
    if (settings.buildsWeb) await buildWebWhenStale(settings.dataFolder, say);
  }
  const database = await openDatabase(settings);
  endings.push(() => {
    // The last of the endings. A stop because of a fault has said something else.
    const where = settings.databaseUrl === undefined ? settings.dataFolder : database.place;
    if (settings.role !== 'worker' && process.exitCode === undefined)
      say(`Stopped. Your data is in ${where}.`);
    return Promise.resolve();
  }, database.close);
  database.keepRunning((failure) => {
    if (failure === undefined) log.warn('the embedded database had ended and was started again');
    else log.error({ error: loggableError(failure) }, 'the embedded database has ended and does not start');
  });
  const stripe = await openStripe(settings, database, endings);
  const server = await runServer(settings, database, stripe, log);
  endings.push(server.stop);
  if (settings.role !== 'worker') welcome(settings, database.place, stripe?.fake === true);
  log.info({ role: settings.role, origin: settings.publicOrigin, demo: settings.demo }, 'started');
};

/** Whether `holdfast provider set` gave the default organisation an account of its own: then no fake stands in for it. */
const hasOwnAccount = async (settings: Settings, database: OpenDatabase): Promise<boolean> => {
  if (settings.demo) return false;
  const store = openAccessStore(database.url, 1);
  try {
    const organisationId = await store.defaultOrganisationId();
    return (await store.providerAccess()).some((one) => one.organisationId === organisationId);
  } finally {
    await store.close();
  }
};

const openStripe = async (
  settings: Settings,
  database: OpenDatabase,
  endings: Endings,
): Promise<StripeAccess | undefined> => {
  if (settings.stripe !== undefined) return { ...settings.stripe, fake: false };
  if (await hasOwnAccount(settings, database)) return undefined;
  // A worker alone hears no webhooks; the process that serves HTTP says where they go.
  const webhookUrl =
    settings.role === 'worker' ? undefined : `http://127.0.0.1:${String(settings.port)}/v1/webhooks/stripe`;
  const fake = await startFakeStripe(settings.dataFolder, settings.fakeStripePort, webhookUrl);
  endings.push(fake.stop);
  return fake.access;
};

const fail = (error: unknown): void => {
  if (error instanceof StartProblem) process.stderr.write(`holdfast: ${error.line}\n`);
  else
    process.stderr.write(`holdfast: something failed unforeseen: ${JSON.stringify(loggableError(error))}\n`);
};

const main = async (): Promise<void> => {
  if (readStartWords(process.argv.slice(2)).watch) {
    await watch();
    return;
  }
  const endings: Endings = [];
  let stopping: Promise<void> | undefined;
  let started: Promise<void> = Promise.resolve();
  const stop = (): void => {
    // A stop in the middle of a start waits for it, so that nothing is left half started.
    stopping ??= started
      .catch(() => undefined)
      .then(() => endAll(endings))
      .then(() => process.exit(process.exitCode ?? 0));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  watchLaunchers(launchers(), stop);
  // Whoever read our output may go first.
  process.stdout.on('error', () => undefined);
  // A fault of our own ends the program, but not the order in which things are ended.
  const fault = (error: unknown): void => {
    fail(error);
    process.exitCode = 1;
    stop();
  };
  process.on('uncaughtException', fault);
  process.on('unhandledRejection', (error) => {
    // The driver asks the database a question of its own on each new connection and lets nobody hear how it ends. A
    // database that goes away at that moment is trouble for who uses the connection, and no fault of ours.
    if (!isDatabaseAway(error)) fault(error);
  });
  started = startAll(endings);
  try {
    await started;
  } catch (error) {
    fault(error);
  }
};

try {
  await main();
} catch (error) {
  fail(error);
  process.exit(1);
}

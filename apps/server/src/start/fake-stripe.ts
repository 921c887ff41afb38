import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeDataFolder } from '../embedded-postgres/data-folder.ts';
import { underLock } from '../embedded-postgres/folder-lock.ts';
import {
  identify,
  isStillRunning,
  waitForEnd,
  type ProcessIdentity,
} from '../embedded-postgres/process-identity.ts';
import { usersIn } from '../embedded-postgres/users.ts';
import { repositoryFolder } from '../settings/repository-folder.ts';
import { StartProblem } from '../settings/start-problem.ts';
import { checkedPort } from './port.ts';
import type { StripeAccess } from './provider-account.ts';

const program = path.join(repositoryFolder, 'apps', 'fake-stripe', 'src', 'fake-stripe.ts');

export type FakeStripe = {
  readonly access: StripeAccess;
  /** Leaves it; the last one to leave ends it. */
  readonly stop: () => Promise<void>;
};

/** What the running one was started with: another address or secret means that it has to be started anew. */
type Started = {
  readonly process: ProcessIdentity;
  readonly port: number;
  readonly webhookUrl: string | null;
};

const foldersIn = (dataFolder: string) => ({
  ledger: path.join(dataFolder, 'fake-stripe'),
  users: path.join(dataFolder, 'fake-stripe-users'),
  lock: path.join(dataFolder, 'fake-stripe.lock'),
  record: path.join(dataFolder, 'fake-stripe.json'),
  log: path.join(dataFolder, 'fake-stripe.log'),
  secret: path.join(dataFolder, 'fake-stripe-webhook-secret'),
});
type Folders = ReturnType<typeof foldersIn>;

const readSecret = async (file: string): Promise<string> => {
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known !== '') return known;
  const made = `whsec_${randomBytes(24).toString('hex')}`;
  await writeFile(file, made, { mode: 0o600 });
  return made;
};

const readRecord = async (file: string): Promise<Started | undefined> => {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Started;
  } catch {
    return undefined;
  }
};

const answers = async (port: number): Promise<boolean> => {
  try {
    const response = await fetch(`http://127.0.0.1:${String(port)}/fake/ledger`, {
      signal: AbortSignal.timeout(2_000),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
};

const end = async (identity: ProcessIdentity): Promise<void> => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isStillRunning(identity)) return;
    process.kill(identity.pid, signal);
    if (await waitForEnd(identity, 5_000)) return;
  }
};

const lastWords = async (file: string): Promise<string> =>
  (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').slice(-2).join(' / ');

const launch = async (
  folders: Folders,
  port: number,
  webhookUrl: string | undefined,
  secret: string,
): Promise<Started> => {
  // Somebody else's fake on this port would answer in place of ours.
  await checkedPort('FAKE_STRIPE_PORT', '127.0.0.1', port);
  const log = await open(folders.log, 'a', 0o600);
  const child = spawn(process.execPath, [program], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      FAKE_STRIPE_PORT: String(port),
      FAKE_STRIPE_DATA_DIR: folders.ledger,
      FAKE_STRIPE_WEBHOOK_URL: webhookUrl ?? '',
      FAKE_STRIPE_WEBHOOK_SECRET: webhookUrl === undefined ? '' : secret,
    },
  });
  child.unref();
  await log.close();
  const until = Date.now() + 20_000;
  while (
    child.exitCode === null &&
    child.signalCode === null &&
    child.pid !== undefined &&
    Date.now() < until
  ) {
    if (await answers(port)) return { process: identify(child.pid), port, webhookUrl: webhookUrl ?? null };
    await pause(50);
  }
  child.kill('SIGKILL');
  throw new StartProblem(
    `The bundled fake Stripe did not start on port ${String(port)}: ${await lastWords(folders.log)}.`,
    'Free the port, or set FAKE_STRIPE_PORT to another one.',
  );
};

const secretKey = 'sk_test_fake';

/** The fake that runs on this data folder now, as a client sees it. */
export const runningFakeStripe = async (dataFolder: string): Promise<StripeAccess | undefined> => {
  const folders = foldersIn(dataFolder);
  const known = await readRecord(folders.record);
  if (known === undefined || !isStillRunning(known.process)) return undefined;
  const webhookSecrets = [await readSecret(folders.secret)];
  return { apiBase: `http://127.0.0.1:${String(known.port)}`, secretKey, webhookSecrets, fake: true };
};

/**
 * Starts the bundled fake Stripe as a process of its own, or goes to the one that runs there already: beside another
 * of ours, or left over from a killed start (its ledger is on disk either way).
 * @param webhookUrl where its events go; `undefined` takes a running one as it is
 */
export const startFakeStripe = async (
  dataFolder: string,
  port: number,
  webhookUrl: string | undefined,
): Promise<FakeStripe> => {
  const folders = foldersIn(dataFolder);
  await makeDataFolder(dataFolder);
  const users = usersIn(folders.users);
  const webhookSecret = await underLock(folders.lock, async () => {
    const secret = await readSecret(folders.secret);
    const known = await readRecord(folders.record);
    const running = known !== undefined && isStillRunning(known.process) ? known : undefined;
    const fits =
      running?.port === port &&
      (webhookUrl === undefined || running.webhookUrl === webhookUrl) &&
      (await answers(port));
    if (!fits) {
      if (running !== undefined) await end(running.process);
      const started = await launch(folders, port, webhookUrl, secret);
      await writeFile(folders.record, JSON.stringify(started), { mode: 0o600 });
    }
    await users.enter();
    return secret;
  });
  return {
    access: {
      apiBase: `http://127.0.0.1:${String(port)}`,
      secretKey,
      webhookSecrets: [webhookSecret],
      fake: true,
    },
    stop: () =>
      underLock(folders.lock, async () => {
        const known = await readRecord(folders.record);
        if (!(await users.leave()) || known === undefined) return;
        await end(known.process);
        await rm(folders.record, { force: true });
      }),
  };
};

import path from 'node:path';
import { environmentSchema, type Environment } from './environment.ts';
import { readModel, type ModelSettings } from './model-settings.ts';
import { repositoryFolder } from './repository-folder.ts';
import { StartProblem } from './start-problem.ts';

/** What the process runs with, judged as a whole. All times in milliseconds. */
export type Settings = {
  readonly port: number;
  readonly host: string;
  readonly publicOrigin: string;
  readonly databaseUrl: string | undefined;
  readonly dataFolder: string;
  readonly role: 'all' | 'api' | 'worker';
  readonly demo: boolean;
  readonly stripe:
    | { readonly secretKey: string; readonly apiBase: string; readonly webhookSecrets: readonly string[] }
    | undefined;
  readonly fakeStripePort: number;
  /** Seals the provider secrets in the database; without it the data folder has a key of its own. */
  readonly secretsKey: string | undefined;
  readonly providerTimeoutMs: number;
  readonly leaseMs: number;
  readonly checkBackoffMs: readonly number[];
  readonly needsPersonAfterMs: number;
  /** How long a case that needs a person may be nobody's before operators and admins are told. */
  readonly escalateAfterMs: number;
  readonly undoMs: number;
  /** The pause between sweeps by the schedule; `null` when switched off. */
  readonly sweepEveryMs: number | null;
  readonly keyApprovals: boolean;
  /** Proxies that say truly whom they pass on; none unless set. */
  readonly trustedProxies: readonly string[];
  /** Requests a minute for one principal; `undefined` when switched off. */
  readonly rateLimit: number | undefined;
  /** Connections that this process keeps to its database for requests and work, beside a few for sign-in. */
  readonly databaseConnections: number;
  /** Event streams that may be open at once in this process. */
  readonly mostStreams: number;
  readonly buildsWeb: boolean;
  /** How letters leave: `url` may hold a password. Without it the demo shows them, and else there are none. */
  readonly smtp: { readonly url: string; readonly from: string } | undefined;
  /** Push services that may be in our own network, by origin. */
  readonly pushServices: readonly string[];
  /** Whether webhooks may go to this machine itself, without https too: for development, and in the demo. */
  readonly webhooksAllowLoopback: boolean;
  /** A model that the assistant may ask for plainer words; without it nothing leaves. */
  readonly assistantModel: ModelSettings | undefined;
  readonly logLevel: Environment['LOG_LEVEL'];
};

const loopbackNames = ['localhost', '127.0.0.1', '[::1]', '::1'];

export const isLoopbackOrigin = (origin: string): boolean => loopbackNames.includes(new URL(origin).hostname);

const readEnvironment = (variables: NodeJS.ProcessEnv): Environment => {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = environmentSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  // The value itself stays out of the line: it may be a secret.
  throw new StartProblem(
    `${name} cannot be used: it ${issue?.message ?? 'is not valid'}.`,
    'Change it, or unset it for the default.',
  );
};

/** Rules between variables: each refusal names the one to change. */
const judgeTogether = (environment: Environment, demo: boolean, publicOrigin: string): void => {
  if (demo && environment.STRIPE_SECRET_KEY !== undefined) {
    throw new StartProblem(
      'HOLDFAST_DEMO cannot be used: it is "on" together with STRIPE_SECRET_KEY.',
      'Unset one of them: the demo runs on the bundled fake Stripe alone.',
    );
  }
  if (demo && !isLoopbackOrigin(publicOrigin)) {
    throw new StartProblem(
      `PUBLIC_ORIGIN cannot be used: the demo's sign-ins are public, so the demo runs on loopback only, not at ${publicOrigin}.`,
      'Set HOLDFAST_DEMO=off, or PUBLIC_ORIGIN to http://localhost:PORT.',
    );
  }
  if (environment.STRIPE_SECRET_KEY === undefined && environment.STRIPE_API_BASE !== undefined) {
    throw new StartProblem(
      'STRIPE_API_BASE cannot be used: it is set without STRIPE_SECRET_KEY.',
      'Set both, or neither for the bundled fake Stripe.',
    );
  }
};

/** @throws StartProblem when only one of the two is given */
const readSmtp = ({ HOLDFAST_SMTP_URL: url, HOLDFAST_MAIL_FROM: from }: Environment): Settings['smtp'] => {
  if (url === undefined && from === undefined) return undefined;
  if (url !== undefined && from !== undefined) return { url, from };
  const [given, missing] =
    url === undefined
      ? ['HOLDFAST_MAIL_FROM', 'HOLDFAST_SMTP_URL']
      : ['HOLDFAST_SMTP_URL', 'HOLDFAST_MAIL_FROM'];
  throw new StartProblem(
    `${given} cannot be used: it is set without ${missing}.`,
    'Set both, or neither: then no mail is sent.',
  );
};

/**
 * Reads and judges the environment.
 * @param workingFolder relative paths are taken from here
 * @throws StartProblem naming the variable that cannot be used
 */
export const readSettings = (
  variables: NodeJS.ProcessEnv,
  workingFolder: string = process.cwd(),
): Settings => {
  const environment = readEnvironment(variables);
  const publicOrigin = environment.PUBLIC_ORIGIN ?? `http://localhost:${String(environment.PORT)}`;
  const demo =
    (environment.HOLDFAST_DEMO ?? (environment.STRIPE_SECRET_KEY === undefined ? 'on' : 'off')) === 'on';
  judgeTogether(environment, demo, publicOrigin);
  return {
    port: environment.PORT,
    host: environment.HOST,
    publicOrigin,
    databaseUrl: environment.DATABASE_URL,
    dataFolder:
      environment.HOLDFAST_DATA_DIR === undefined
        ? path.join(repositoryFolder, '.holdfast')
        : path.resolve(workingFolder, environment.HOLDFAST_DATA_DIR),
    role: environment.HOLDFAST_ROLE,
    demo,
    stripe:
      environment.STRIPE_SECRET_KEY === undefined
        ? undefined
        : {
            secretKey: environment.STRIPE_SECRET_KEY,
            apiBase: environment.STRIPE_API_BASE ?? 'https://api.stripe.com',
            webhookSecrets: environment.STRIPE_WEBHOOK_SECRET,
          },
    fakeStripePort: environment.FAKE_STRIPE_PORT,
    secretsKey: environment.HOLDFAST_SECRETS_KEY,
    providerTimeoutMs: environment.HOLDFAST_PROVIDER_TIMEOUT_MS,
    leaseMs: environment.HOLDFAST_LEASE_MS,
    checkBackoffMs: environment.HOLDFAST_CHECK_BACKOFF_MS,
    needsPersonAfterMs: environment.HOLDFAST_NEEDS_PERSON_AFTER_MS,
    escalateAfterMs: environment.HOLDFAST_ESCALATE_AFTER_MS,
    undoMs: environment.HOLDFAST_UNDO_MS,
    sweepEveryMs: environment.HOLDFAST_SWEEP_EVERY_MS === 'off' ? null : environment.HOLDFAST_SWEEP_EVERY_MS,
    keyApprovals: environment.HOLDFAST_KEY_APPROVALS === 'on',
    trustedProxies: environment.HOLDFAST_TRUSTED_PROXIES,
    rateLimit: environment.HOLDFAST_RATE_LIMIT === 'off' ? undefined : environment.HOLDFAST_RATE_LIMIT,
    databaseConnections: environment.HOLDFAST_DATABASE_CONNECTIONS,
    mostStreams: environment.HOLDFAST_STREAMS,
    buildsWeb: environment.HOLDFAST_WEB_BUILD === 'on',
    smtp: readSmtp(environment),
    pushServices: environment.HOLDFAST_PUSH_SERVICES,
    webhooksAllowLoopback: (environment.HOLDFAST_WEBHOOKS_ALLOW_LOOPBACK ?? (demo ? 'on' : 'off')) === 'on',
    assistantModel: readModel(environment),
    logLevel: environment.LOG_LEVEL,
  };
};

import { readSettings, type Settings } from '../settings/settings.ts';
import { StartProblem } from '../settings/start-problem.ts';
import { stripeAdapter } from '../start/provider-account.ts';
import { runningFakeStripe } from '../start/fake-stripe.ts';
import type { StripeAccess } from '../start/provider-account.ts';
import type { Output } from './output.ts';
import { inWorkplace } from './workplace.ts';

export type Check = {
  readonly check: 'configuration' | 'database' | 'provider' | 'webhook secret' | 'clock';
  readonly ok: boolean;
  readonly finding: string;
  readonly remedy?: string;
};

const questionMs = 10_000;
/** Webhooks older or younger than 300 s are refused, and the replay window has a margin of an hour. */
const harmlessSkewMs = 60_000;

const configuration = (): { check: Check; settings: Settings | undefined } => {
  try {
    const settings = readSettings(process.env);
    const finding = `${settings.publicOrigin}, role ${settings.role}, demo ${settings.demo ? 'on' : 'off'}, data in ${settings.dataFolder}`;
    return { check: { check: 'configuration', ok: true, finding }, settings };
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error;
    const check = {
      check: 'configuration' as const,
      ok: false,
      finding: error.message,
      remedy: error.remedy,
    };
    return { check, settings: undefined };
  }
};

const database = async (output: Output): Promise<Check> => {
  try {
    let finding = '';
    await inWorkplace(output, async ({ database: open, store }) => {
      finding = `${open.place}, schema version ${String(await store.schemaVersion())}`;
    });
    return { check: 'database', ok: true, finding };
  } catch (error) {
    const remedy = error instanceof StartProblem ? error.remedy : 'Look at the database and its log.';
    return {
      check: 'database',
      ok: false,
      finding: error instanceof Error ? error.message : String(error),
      remedy,
    };
  }
};

const accessOf = async (settings: Settings): Promise<StripeAccess | undefined> =>
  settings.stripe === undefined
    ? runningFakeStripe(settings.dataFolder)
    : { ...settings.stripe, fake: false };

const providerChecks = async (access: StripeAccess | undefined): Promise<Check[]> => {
  if (access === undefined) {
    const finding = 'the bundled fake Stripe is not running; `pnpm start` starts it';
    return [{ check: 'provider', ok: true, finding }];
  }
  const adapter = stripeAdapter(access);
  const account = await adapter.askAccount(Date.now() + questionMs);
  const listing = await adapter.listSince(Date.now() - 60_000, Date.now() + questionMs);
  const where = new URL(access.apiBase).host;
  const provider: Check =
    listing.kind === 'answer'
      ? {
          check: 'provider',
          ok: true,
          finding: `${where}, ${account.kind === 'answer' ? account.accountId : 'account not named'}`,
        }
      : {
          check: 'provider',
          ok: false,
          finding: `${where} did not answer: ${listing.because}`,
          remedy: listing.ourKeyRefused
            ? 'Put in STRIPE_SECRET_KEY a key that may read and make refunds.'
            : 'See that this machine reaches STRIPE_API_BASE.',
        };
  return [provider, ...clock(listing.kind === 'answer' ? listing.providerDateMs : null)];
};

const clock = (providerDateMs: number | null): Check[] => {
  if (providerDateMs === null) return [];
  const skewMs = providerDateMs - Date.now();
  const finding = `${String(Math.round(Math.abs(skewMs) / 1_000))} s from the provider's`;
  return Math.abs(skewMs) <= harmlessSkewMs
    ? [{ check: 'clock', ok: true, finding }]
    : [{ check: 'clock', ok: false, finding, remedy: "Set this machine's clock." }];
};

const webhookSecret = (access: StripeAccess | undefined): Check =>
  access === undefined || access.webhookSecrets.length > 0
    ? {
        check: 'webhook secret',
        ok: true,
        finding:
          access === undefined ? 'made by `pnpm start`' : `${String(access.webhookSecrets.length)} given`,
      }
    : {
        check: 'webhook secret',
        ok: false,
        finding: "none is given, so every event of the provider's is refused; outcomes come by look-up alone",
        remedy: 'Set STRIPE_WEBHOOK_SECRET.',
      };

/** Looks at everything a start needs, and at what only shows later. Changes nothing but missing migrations. */
export const examine = async (output: Output): Promise<Check[]> => {
  const { check, settings } = configuration();
  if (settings === undefined) return [check];
  const access = await accessOf(settings);
  return [check, await database(output), ...(await providerChecks(access)), webhookSecret(access)];
};

import { readSettings, type Settings } from '../settings/settings.ts';
import { StartProblem } from '../settings/start-problem.ts';
import { askAccount, stripeAdapter, type StripeAccess } from '../start/provider-account.ts';
import { givenAccess } from './account-of.ts';
import { examineAccounts, storedWebhookSecrets } from './doctor-accounts.ts';
import { examineAdmins } from './doctor-admins.ts';
import { examineSeals } from './doctor-seals.ts';
import { examineSignatures } from './doctor-signatures.ts';
import { examineMail } from './doctor-mail.ts';
import { weakSettings } from './weak-settings.ts';
import { unknownSettings, unknownSettingText } from '../settings/unknown-settings.ts';
import { examineHolds } from './doctor-holds.ts';
import type { Output } from './output.ts';
import { inWorkplace, type Workplace } from './workplace.ts';

export type Check = {
  readonly check:
    | 'configuration'
    | 'database'
    | 'provider'
    | 'provider account'
    | 'webhook secret'
    | 'clock'
    | 'mail'
    | 'audit seals'
    | 'hold'
    | 'weak setting';
  readonly ok: boolean;
  /** Nothing is wrong, but something waits for a person's choice. */
  readonly note?: true;
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

/** The database, and what it knows of each organisation's account: one visit. */
const database = async (output: Output, access: StripeAccess | undefined): Promise<Check[]> => {
  try {
    const found: Check[] = [];
    const look = async (workplace: Workplace): Promise<void> => {
      const version = String(await workplace.store.schemaVersion());
      const finding = `${workplace.database.place}, schema version ${version}`;
      found.push({ check: 'database', ok: true, finding }, ...(await examineAccounts(workplace, access)));
      found.push(webhookSecret(access, await storedWebhookSecrets(workplace)));
      found.push(...(await examineSeals(workplace)), ...(await examineAdmins(workplace)));
      found.push(...(await examineSignatures(workplace)), ...(await examineHolds(workplace)));
    };
    await inWorkplace(output, look, 'is-made');
    return found;
  } catch (error) {
    const remedy = error instanceof StartProblem ? error.remedy : 'Look at the database and its log.';
    const finding = error instanceof Error ? error.message : String(error);
    return [{ check: 'database', ok: false, finding, remedy }];
  }
};

const providerChecks = async (access: StripeAccess | undefined): Promise<Check[]> => {
  if (access === undefined) {
    const finding = 'the bundled fake Stripe is not running; `pnpm start` starts it';
    return [{ check: 'provider', ok: true, finding }];
  }
  const adapter = stripeAdapter(access);
  const account = await askAccount(adapter);
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

const webhookSecret = (access: StripeAccess | undefined, stored: number): Check =>
  access === undefined || access.webhookSecrets.length + stored > 0
    ? {
        check: 'webhook secret',
        ok: true,
        finding:
          access === undefined
            ? 'made by `pnpm start`'
            : `${String(access.webhookSecrets.length + stored)} given`,
      }
    : {
        check: 'webhook secret',
        ok: false,
        finding: "none is given, so every event of the provider's is refused; outcomes come by look-up alone",
        remedy: 'Set STRIPE_WEBHOOK_SECRET, or give it with `holdfast provider set`.',
      };

/** Looks at everything a start needs, and at what only shows later. Changes nothing but missing migrations. */
export const examine = async (output: Output): Promise<Check[]> => {
  const { check, settings } = configuration();
  if (settings === undefined) return [check];
  const access = await givenAccess(settings);
  return [
    check,
    ...(await database(output, access)),
    ...(await providerChecks(access)),
    await examineMail(settings),
    ...weakSettings(settings).map((weak) => ({
      check: 'weak setting' as const,
      ok: true,
      note: true as const,
      ...weak,
    })),
    ...unknownSettings(process.env).map((unknown) => ({
      check: 'configuration' as const,
      ok: true,
      note: true as const,
      finding: unknownSettingText(unknown),
      remedy: `Unset ${unknown.name}, or spell it as the setting.`,
    })),
  ];
};

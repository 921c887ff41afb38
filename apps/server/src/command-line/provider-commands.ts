import { setProviderAccess } from '@holdfast/engine/postgres';
import { InvalidArgumentError, type Command } from 'commander';
import {
  accountIn,
  askAccount,
  stripe,
  stripeAdapter,
  type KnownAccount,
  type StripeAccess,
} from '../start/provider-account.ts';
import { runningFakeStripe } from '../start/fake-stripe.ts';
import { makeSealingKey, sealingKeyFile, sealSecrets, type AccountSecrets } from '../start/sealed-secrets.ts';
import { accountSecretsIn, readLines } from './standard-input.ts';
import { commandFailed, outputFor } from './output.ts';
import { inWorkplace, type Workplace } from './workplace.ts';

type Options = { json?: boolean; org?: string; apiBase?: string };

const baseIn = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidArgumentError('It must be a URL like https://api.stripe.com.');
  }
  return text;
};

/** The demo's only provider is the bundled fake: no key of a real account can move money there. */
const fakeBase = async ({ settings }: Workplace, secretKey: string): Promise<string> => {
  if (/^(sk|rk)_live_/.test(secretKey)) {
    throw commandFailed(
      'A live key cannot be used in the demo.',
      'Start with HOLDFAST_DEMO=off for a database of its own, and set it there.',
    );
  }
  const fake = await runningFakeStripe(settings.dataFolder);
  if (fake !== undefined) return fake.apiBase;
  throw commandFailed('The bundled fake Stripe is not running.', 'Start it with `pnpm start`.');
};

const accessFor = async (
  workplace: Workplace,
  secrets: AccountSecrets,
  apiBase: string | undefined,
): Promise<StripeAccess> => {
  if (workplace.demo) {
    if (apiBase !== undefined) {
      throw commandFailed(
        'In the demo --api-base cannot be used: the bundled fake Stripe, which has one account, is its only provider.',
        'Leave it out, or start with HOLDFAST_DEMO=off for a database of its own, and set it there. Nothing was changed.',
      );
    }
    return { ...secrets, apiBase: await fakeBase(workplace, secrets.secretKey), fake: true };
  }
  const base = apiBase ?? workplace.settings.stripe?.apiBase ?? 'https://api.stripe.com';
  return { ...secrets, apiBase: base, fake: false };
};

const namedBy = async (access: StripeAccess): Promise<KnownAccount> => {
  const answer = await askAccount(stripeAdapter(access));
  const known = accountIn(answer, access);
  if (known !== undefined) return known;
  const host = new URL(access.apiBase).host;
  if (answer.kind === 'no-answer' && answer.reason === 'key-refused') {
    throw commandFailed(
      `${host} refuses this key (401).`,
      'Give the key of the account. Nothing was changed.',
    );
  }
  throw commandFailed(
    `${host} does not say which account this key is of.`,
    'See that this machine reaches it and try again. Nothing was changed.',
  );
};

const set = async ({ json, org, apiBase }: Options): Promise<void> => {
  const output = outputFor(json === true);
  const secrets = accountSecretsIn(await readLines(process.stdin));
  await inWorkplace(output, async (workplace) => {
    const { settings, store, inOrganisation, organisation } = workplace;
    const organisationId = await organisation(org);
    const access = await accessFor(workplace, secrets, apiBase);
    const { accountId, liveMode } = await namedBy(access);
    const key = await makeSealingKey(settings.dataFolder, settings.secretsKey);
    const outcome = await inOrganisation(organisationId, (tx) =>
      setProviderAccess(tx, {
        provider: stripe,
        accountId,
        liveMode,
        fake: access.fake,
        apiBase: access.apiBase,
        sealed: sealSecrets(key, { organisationId, provider: stripe, accountId }, secrets),
      }),
    );
    if (outcome === 'held-by-another') {
      if (workplace.demo) {
        throw commandFailed(
          `The bundled fake Stripe has one account, ${accountId}, and it belongs to another organisation.`,
          'In the demo only one organisation can have an account; start with HOLDFAST_DEMO=off for more. Nothing was changed.',
        );
      }
      throw commandFailed(
        `The account ${accountId} belongs to another organisation.`,
        'One account belongs to one organisation: give the key of another one. Nothing was changed.',
      );
    }
    const mode = liveMode ? 'live' : 'test';
    output.result({ organisationId, accountId, liveMode }, [
      `Organisation ${organisationId} uses the account ${accountId} (${mode} mode).`,
    ]);
    if (secrets.webhookSecrets.length === 0) {
      output.note('No webhook secret was given: its events are refused, and outcomes come by look-up alone.');
    }
    if (settings.secretsKey === undefined && settings.databaseUrl !== undefined) {
      output.note(
        `Its secrets are sealed with ${sealingKeyFile(settings.dataFolder)}; servers with another data folder need that as HOLDFAST_SECRETS_KEY.`,
      );
    }
    if (settings.stripe !== undefined && organisationId === (await store.defaultOrganisationId())) {
      output.note('For the default organisation STRIPE_SECRET_KEY of the server goes before it.');
    }
  });
};

export const addProviderCommands = (program: Command): void => {
  program
    .command('provider')
    .description('provider accounts')
    .command('set')
    .description(
      'give an organisation its provider account: the key on the first line of standard input, then webhook secrets, one a line',
    )
    .option('--org <id>', 'organisation; without it the default one')
    .option(
      '--api-base <url>',
      'where the provider is asked, if not at https://api.stripe.com; not in the demo',
      baseIn,
    )
    .option('--json', 'print {organisationId, accountId, liveMode}')
    .action(set);
};

import type { ProviderAccount } from '@holdfast/engine';
import { openAccountDirectory } from '../start/account-directory.ts';
import { runningFakeStripe } from '../start/fake-stripe.ts';
import type { StripeAccess } from '../start/provider-account.ts';
import { readSealingKey } from '../start/sealed-secrets.ts';
import type { Settings } from '../settings/settings.ts';
import { commandFailed } from './output.ts';
import type { Workplace } from './workplace.ts';

/** The account that the environment gives, or the bundled fake that runs on this data folder. */
export const givenAccess = async (settings: Settings): Promise<StripeAccess | undefined> =>
  settings.stripe === undefined
    ? runningFakeStripe(settings.dataFolder)
    : { ...settings.stripe, fake: false };

/**
 * The provider account of one organisation, as a server on this database and with these settings would reach it.
 * @throws a failed command where there is none, or its secrets were sealed elsewhere
 */
export const accountOf = async (
  { settings, store }: Pick<Workplace, 'settings' | 'store'>,
  organisationId: string,
): Promise<ProviderAccount> => {
  const defaultOrganisationId = await store.defaultOrganisationId();
  const given = organisationId === defaultOrganisationId ? await givenAccess(settings) : undefined;
  const unopened = new Set<string>();
  const directory = await openAccountDirectory({
    defaultOrganisationId,
    given,
    recorded: await store.accountsOf(organisationId),
    readStored: store.providerAccess,
    sealingKey: () => readSealingKey(settings.dataFolder, settings.secretsKey),
    onArrival: () => Promise.resolve(),
    onUnopened: (id) => {
      unopened.add(id);
    },
  });
  directory.stop();
  const account = directory.accountOf(organisationId);
  if (account !== undefined) return account;
  if (unopened.has(organisationId)) {
    throw commandFailed(
      "The organisation's provider key was sealed with another key than this machine's.",
      'Set HOLDFAST_SECRETS_KEY to the one it was set with, or set the account again with `holdfast provider set`.',
    );
  }
  if (given !== undefined) {
    throw commandFailed(
      `${new URL(given.apiBase).host} does not say which account the key is of.`,
      'See that this machine reaches it, and try again.',
    );
  }
  throw commandFailed(
    'The organisation has no provider account that can be reached from here.',
    'Set STRIPE_SECRET_KEY as the server has it, or give the organisation an account with `holdfast provider set`.',
  );
};

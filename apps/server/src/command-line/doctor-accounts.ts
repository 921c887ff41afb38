import type { StoredAccess } from '../sign-in/access-store.ts';
import { accountIn, askAccount, stripeAdapter, type StripeAccess } from '../start/provider-account.ts';
import { openSecrets, readSealingKey, type AccountSecrets } from '../start/sealed-secrets.ts';
import type { Settings } from '../settings/settings.ts';
import type { Check } from './doctor.ts';
import type { Workplace } from './workplace.ts';

const good = (finding: string): Check => ({ check: 'provider account', ok: true, finding });
const note = (finding: string): Check => ({ ...good(finding), note: true });
const wrong = (finding: string, remedy: string): Check => ({
  check: 'provider account',
  ok: false,
  finding,
  remedy,
});

const setAgain = (organisationId: string): string =>
  `Give it its account with \`holdfast provider set --org ${organisationId}\`.`;

const openedHere = async (settings: Settings, stored: StoredAccess): Promise<AccountSecrets | undefined> => {
  const key = await readSealingKey(settings.dataFolder, settings.secretsKey);
  return key === undefined ? undefined : openSecrets(key, stored, stored.sealed);
};

/** How many webhook secrets `provider set` stored for the default organisation. */
export const storedWebhookSecrets = async ({ settings, store }: Workplace): Promise<number> => {
  const organisationId = await store.defaultOrganisationId();
  const own = (await store.providerAccess()).find((one) => one.organisationId === organisationId);
  return own === undefined ? 0 : ((await openedHere(settings, own))?.webhookSecrets.length ?? 0);
};

const answersAs = async (access: StripeAccess): Promise<string | undefined> =>
  accountIn(await askAccount(stripeAdapter(access)), access)?.accountId;

/** Accounts that `provider set` stored: their secrets open here, and their keys are still of those accounts. */
const examineStored = async ({ settings }: Workplace, stored: StoredAccess, name: string): Promise<Check> => {
  const secrets = await openedHere(settings, stored);
  if (secrets === undefined) {
    return wrong(
      `${name}: the secrets of ${stored.accountId} were sealed with another key`,
      `Set HOLDFAST_SECRETS_KEY as where it was set, or: ${setAgain(stored.organisationId)}`,
    );
  }
  const answered = await answersAs({ ...secrets, apiBase: stored.apiBase, fake: stored.fake });
  if (answered === stored.accountId) return good(`${name}: ${stored.accountId}`);
  const finding = answered === undefined ? 'its key has no answer' : `its key is of ${answered}`;
  return wrong(`${name}: ${stored.accountId}, but ${finding}`, setAgain(stored.organisationId));
};

/** The environment's account, or the fake: nothing is executed there unless the database belongs to it. */
const examineDefault = async (
  { store }: Workplace,
  access: StripeAccess | undefined,
  organisationId: string,
  name: string,
): Promise<Check> => {
  const recorded = await store.accountsOf(organisationId);
  const names = recorded
    .map(({ accountId, fake }) => (fake ? `${accountId} (the fake)` : accountId))
    .join(', ');
  if (access === undefined) return names === '' ? note(`${name}: none used yet`) : good(`${name}: ${names}`);
  const answered = await answersAs(access);
  if (answered === undefined)
    return good(`${name}: not named by the provider just now; known: ${names || 'none'}`);
  const isHome = recorded.some(({ accountId, fake }) => accountId === answered && fake === access.fake);
  if (isHome || recorded.length === 0) return good(`${name}: ${answered}`);
  return wrong(
    `${name}: the key is of ${answered}, but this database belongs to ${names}, so nothing is submitted`,
    setAgain(organisationId),
  );
};

/** What each organisation's approved operations are carried out with; one without an account lets them wait. */
export const examineAccounts = async (
  workplace: Workplace,
  access: StripeAccess | undefined,
): Promise<readonly Check[]> => {
  const { store, settings } = workplace;
  const defaultId = await store.defaultOrganisationId();
  const stored = await store.providerAccess();
  const checks: Check[] = [];
  const organisations = await store.organisations();
  for (const { id, name: given } of organisations) {
    const isShared = organisations.some((one) => one.name === given && one.id !== id);
    const name = isShared ? `${given} (${id})` : given;
    const own = stored.find(({ organisationId }) => organisationId === id);
    const byEnvironment = id === defaultId && (settings.stripe !== undefined || own === undefined);
    if (byEnvironment) checks.push(await examineDefault(workplace, access, id, name));
    else if (own === undefined) checks.push(note(`${name}: none; its approved operations wait for one`));
    else checks.push(await examineStored(workplace, own, name));
  }
  return checks;
};

import type { ProviderAccount, ProviderDirectory } from '@holdfast/engine';
import type { StoredAccess } from '../sign-in/access-store.ts';
import {
  accountIn,
  askAccount,
  demandKeyTaken,
  stripeAdapter,
  type KnownAccount,
  type StripeAccess,
} from './provider-account.ts';
import { openSecrets } from './sealed-secrets.ts';

/**
 * Every organisation's provider account. The default organisation's comes from the environment where a key is given
 * there; everybody's, its own too, from what `holdfast provider set` stored; the bundled fake serves the default
 * organisation while it has neither.
 */
export type AccountDirectory = ProviderDirectory & {
  /** Reads what is stored once more. Keeps what it knows while the database is away. */
  readonly refresh: () => Promise<void>;
  /** How the default organisation is served now; `undefined` while nobody knows. */
  readonly defaultServedByFake: () => boolean;
  readonly stop: () => void;
};

export type DirectoryParts = {
  readonly defaultOrganisationId: string;
  /** The environment's account, or the bundled fake; `undefined` where there is neither. */
  readonly given: StripeAccess | undefined;
  /** Accounts that the default organisation was used with. */
  readonly recorded: readonly (KnownAccount & { readonly fake: boolean })[];
  readonly readStored: () => Promise<readonly StoredAccess[]>;
  readonly sealingKey: () => Promise<Uint8Array | undefined>;
  /** Called when an account has become known, or is reached in another way than before. */
  readonly onArrival: (organisationId: string) => Promise<void>;
  /** Called once for stored secrets that this process cannot open. */
  readonly onUnopened: (organisationId: string) => void;
};

const askAgainMs = 5_000;
const readAgainMs = 2_000;

type Stored = { readonly sealed: string; readonly account: ProviderAccount | undefined };

const ofAccess = (organisationId: string, access: StripeAccess, known: KnownAccount): ProviderAccount => ({
  organisationId,
  ...known,
  fake: access.fake,
  adapter: stripeAdapter(access),
  webhookSecrets: access.webhookSecrets,
});

const openStored = (row: StoredAccess, key: Uint8Array | undefined): ProviderAccount | undefined => {
  const secrets = key === undefined ? undefined : openSecrets(key, row, row.sealed);
  if (secrets === undefined) return undefined;
  const { organisationId, accountId, liveMode, apiBase, fake } = row;
  return ofAccess(organisationId, { ...secrets, apiBase, fake }, { accountId, liveMode });
};

/** What is stored for all organisations, read again and again. */
const storedAccounts = ({ readStored, sealingKey, onArrival, onUnopened }: DirectoryParts) => {
  let known: ReadonlyMap<string, Stored> = new Map();
  const refresh = async (): Promise<void> => {
    const rows = await readStored();
    const before = known;
    const key = rows.length === 0 ? undefined : await sealingKey();
    known = new Map(
      rows.map((row) => {
        const sealed = Buffer.from(row.sealed).toString('base64');
        const same = before.get(row.organisationId);
        const isSame = same?.sealed === sealed && same.account !== undefined;
        return [row.organisationId, isSame ? same : { sealed, account: openStored(row, key) }];
      }),
    );
    for (const [organisationId, { sealed, account }] of known) {
      const was = before.get(organisationId);
      if (was?.sealed === sealed && was.account === account) continue;
      if (account === undefined) onUnopened(organisationId);
      else await onArrival(organisationId);
    }
  };
  return { refresh, of: (organisationId: string) => known.get(organisationId)?.account, all: () => known };
};

/** The account that the environment (or the bundled fake) gives the default organisation, asked for until it is named. */
const givenAccount = async ({ defaultOrganisationId, given, recorded, onArrival }: DirectoryParts) => {
  if (given === undefined) return { account: () => undefined, ask: () => Promise.resolve() };
  const adapter = stripeAdapter(given);
  const first = await askAccount(adapter);
  if (!given.fake) demandKeyTaken(first, given);
  let named = accountIn(first, given);
  const fitting = recorded.filter(({ fake }) => fake === given.fake);
  // While the provider does not say: the one account it can be, if there is but one.
  const likely = fitting.length === 1 ? fitting[0] : undefined;
  const known = (): KnownAccount | undefined => named ?? likely;
  return {
    account: (): ProviderAccount | undefined => {
      const now = known();
      if (now === undefined) return undefined;
      const { accountId, liveMode } = now;
      const { fake, webhookSecrets } = given;
      return { organisationId: defaultOrganisationId, accountId, liveMode, fake, adapter, webhookSecrets };
    },
    ask: async (): Promise<void> => {
      if (named !== undefined) return;
      named = accountIn(await askAccount(adapter), given);
      if (named !== undefined) await onArrival(defaultOrganisationId);
    },
  };
};

/** Runs `work` every so often, one at a time; what it throws is left for the next time. */
const repeatedly = (work: () => Promise<void>, everyMs: number): (() => void) => {
  let underWay = false;
  const timer = setInterval(() => {
    if (underWay) return;
    underWay = true;
    void work()
      .catch(() => undefined)
      .finally(() => {
        underWay = false;
      });
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
};

/** @throws StartProblem when the provider refuses the environment's key */
export const openAccountDirectory = async (parts: DirectoryParts): Promise<AccountDirectory> => {
  const { defaultOrganisationId, given: access } = parts;
  const stored = storedAccounts(parts);
  const given = await givenAccount(parts);
  await stored.refresh();
  const stops = [repeatedly(given.ask, askAgainMs), repeatedly(stored.refresh, readAgainMs)];

  const fromEnvironment = access?.fake === false;
  const ofDefault = (): ProviderAccount | undefined => {
    const [own, set] = [given.account(), stored.of(defaultOrganisationId)];
    if (!fromEnvironment) return set ?? own;
    // The environment's key, and every webhook secret that is known of the same account.
    return own !== undefined && set?.accountId === own.accountId
      ? { ...own, webhookSecrets: [...own.webhookSecrets, ...set.webhookSecrets] }
      : own;
  };
  return {
    accountOf: (asked) => (asked === defaultOrganisationId ? ofDefault() : stored.of(asked)),
    accounts: () => {
      const others = [...stored.all().keys()].filter((id) => id !== defaultOrganisationId);
      return [ofDefault(), ...others.map(stored.of)].filter((account) => account !== undefined);
    },
    refresh: stored.refresh,
    defaultServedByFake: () => ofDefault()?.fake ?? access?.fake ?? false,
    stop: () => {
      for (const stop of stops) stop();
    },
  };
};

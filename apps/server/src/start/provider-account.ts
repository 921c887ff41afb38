import { createHash } from 'node:crypto';
import type { ProviderAccount, ProviderDirectory } from '@holdfast/engine';
import type { AccountAnswer, ProviderAdapter } from '@holdfast/providers';
import { createStripeAdapter } from '@holdfast/providers/stripe';
import { StartProblem } from '../settings/start-problem.ts';

export type StripeAccess = {
  readonly secretKey: string;
  readonly apiBase: string;
  readonly webhookSecrets: readonly string[];
  readonly fake: boolean;
};

type KnownAccount = { readonly accountId: string; readonly liveMode: boolean };

/** The default organisation's account: known at once, or as soon as the provider answers. */
export type AccountDirectory = ProviderDirectory & { readonly stop: () => void };

const askAgainMs = 5_000;
const questionMs = 10_000;

/** Where a Stripe-compatible service has no account question, the address stands for the account. */
const unnamedAccount = ({ apiBase, secretKey }: StripeAccess): KnownAccount => ({
  accountId: `unnamed_${createHash('sha256').update(new URL(apiBase).origin).digest('hex').slice(0, 16)}`,
  liveMode: /^(sk|rk)_live_/.test(secretKey),
});

/** An answer that will be the same tomorrow: there is no such question here, or this key may not ask it. */
const willNeverSay = (answer: AccountAnswer): boolean =>
  answer.kind === 'no-answer' && /^(account|mode): no answer$|^answer 403$/.test(answer.because);

const judge = (answer: AccountAnswer, access: StripeAccess): KnownAccount | undefined => {
  if (answer.kind === 'answer') return { accountId: answer.accountId, liveMode: answer.liveMode };
  if (answer.ourKeyRefused && answer.because === 'answer 401') {
    throw new StartProblem(
      `STRIPE_SECRET_KEY cannot be used: ${new URL(access.apiBase).host} refuses it (401).`,
      'Put in the key of the account that refunds are made from.',
    );
  }
  return undefined;
};

export const stripeAdapter = (access: StripeAccess): ProviderAdapter =>
  createStripeAdapter({ secretKey: access.secretKey, apiBase: access.apiBase, nowMs: Date.now });

/**
 * Asks the provider whose key this is. While it does not answer and nothing is recorded, the organisation has no
 * account yet: approved operations wait, and it is asked again.
 * @throws StartProblem when the provider refuses the key
 */
export const openAccountDirectory = async (
  organisationId: string,
  access: StripeAccess,
  recorded: KnownAccount | undefined,
): Promise<AccountDirectory> => {
  const adapter = stripeAdapter(access);
  const ask = (): Promise<AccountAnswer> => adapter.askAccount(Date.now() + questionMs);
  const first = await ask();
  let known = judge(first, access) ?? recorded ?? (willNeverSay(first) ? unnamedAccount(access) : undefined);
  const timer = setInterval(() => {
    if (known !== undefined) {
      clearInterval(timer);
      return;
    }
    void ask().then((answer) => {
      if (answer.kind === 'answer') known = { accountId: answer.accountId, liveMode: answer.liveMode };
      else if (willNeverSay(answer)) known = unnamedAccount(access);
    });
  }, askAgainMs);
  timer.unref();

  const account = (): ProviderAccount | undefined =>
    known === undefined
      ? undefined
      : { organisationId, ...known, fake: access.fake, adapter, webhookSecrets: access.webhookSecrets };
  return {
    accountOf: (asked) => (asked === organisationId ? account() : undefined),
    accounts: () => {
      const one = account();
      return one === undefined ? [] : [one];
    },
    stop: () => {
      clearInterval(timer);
    },
  };
};

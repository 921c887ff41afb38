import { createHash } from 'node:crypto';
import type { AccountAnswer, ProviderAdapter } from '@holdfast/providers';
import { createStripeAdapter } from '@holdfast/providers/stripe';
import { StartProblem } from '../settings/start-problem.ts';

/** How one provider account is reached. */
export type StripeAccess = {
  readonly secretKey: string;
  readonly apiBase: string;
  readonly webhookSecrets: readonly string[];
  readonly fake: boolean;
};

export type KnownAccount = { readonly accountId: string; readonly liveMode: boolean };

/** The name under which Stripe's accounts are filed in the database. */
export const stripe = 'stripe';

const questionMs = 10_000;

export const stripeAdapter = (access: StripeAccess): ProviderAdapter =>
  createStripeAdapter({ secretKey: access.secretKey, apiBase: access.apiBase, nowMs: Date.now });

export const askAccount = (adapter: ProviderAdapter): Promise<AccountAnswer> =>
  adapter.askAccount(Date.now() + questionMs);

/** Where a Stripe-compatible service has no account question, the address stands for the account. */
const unnamedAccount = ({ apiBase, secretKey }: StripeAccess): KnownAccount => ({
  accountId: `unnamed_${createHash('sha256').update(new URL(apiBase).origin).digest('hex').slice(0, 16)}`,
  liveMode: /^(sk|rk)_live_/.test(secretKey),
});

/** Which account an answer means; `undefined` where asking again may tell. */
export const accountIn = (answer: AccountAnswer, access: StripeAccess): KnownAccount | undefined => {
  if (answer.kind === 'answer') return { accountId: answer.accountId, liveMode: answer.liveMode };
  switch (answer.reason) {
    case 'not-said-here':
      return unnamedAccount(access);
    case 'key-refused':
    case 'no-answer-now':
      return undefined;
  }
};

/** @throws StartProblem when the provider refuses the environment's key */
export const demandKeyTaken = (answer: AccountAnswer, access: StripeAccess): void => {
  if (answer.kind === 'answer' || answer.reason !== 'key-refused') return;
  throw new StartProblem(
    `STRIPE_SECRET_KEY cannot be used: ${new URL(access.apiBase).host} refuses it (401).`,
    'Put in the key of the account that refunds are made from.',
  );
};

import type { ProviderAccount } from '../engine-interface.ts';

const pageOf = (reference: string): string | null =>
  /^(pi|ch|py)_\w+$/.test(reference) ? 'payments' : /^(re|pyr)_\w+$/.test(reference) ? 'refunds' : null;

/**
 * Where a person sees a payment or a refund in the provider's own dashboard. The bundled fake has none, and a reference
 * that is not of the provider's shape leads nowhere: it came from outside and goes into an address.
 */
export const dashboardLink = (
  account: Pick<ProviderAccount, 'accountId' | 'liveMode' | 'fake'> & {
    readonly adapter: { readonly contract: { readonly displayName: string } };
  },
  reference: string | null,
): string | null => {
  const page = reference === null ? null : pageOf(reference);
  if (account.fake || page === null || account.adapter.contract.displayName !== 'Stripe') return null;
  const ofAccount = /^acct_\w+$/.test(account.accountId) ? `${account.accountId}/` : '';
  return `https://dashboard.stripe.com/${ofAccount}${account.liveMode ? '' : 'test/'}${page}/${reference ?? ''}`;
};

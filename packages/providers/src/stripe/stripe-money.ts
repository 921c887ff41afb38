import type { Amount } from '@holdfast/operation';
import { fromProviderAmount, toProviderAmount, type ProviderAmount } from '../provider-money.ts';
import { stripeContract } from './stripe-contract.ts';

/** ISO minor units to Stripe's: the currency in lower case, as Stripe writes it. Never rounds: it refuses. */
export const toStripeAmount = (amount: Amount): ProviderAmount => toProviderAmount(stripeContract, amount);

/** Stripe's units to ISO minor units; `undefined` where that cannot be done exactly. Zero is a figure too. */
export const fromStripeAmount = (amount: unknown, currency: unknown): Amount | undefined =>
  fromProviderAmount(stripeContract, amount, currency);

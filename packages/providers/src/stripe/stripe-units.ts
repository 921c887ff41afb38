import { knownCurrencies, minorUnitDigits } from '@holdfast/operation';
import type { ProviderMoney } from '../provider-money.ts';

/**
 * Stripe's smallest unit is not everywhere the ISO minor unit. Source: docs.stripe.com/currencies
 * ("Zero-decimal currencies", "Three-decimal currencies", "Special cases"). Two decimals is Stripe's rule.
 */
const zeroDecimal = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
/** Settled in two decimals, so the last of Stripe's three must be 0. */
const threeDecimal = 'BHD JOD KWD OMR TND'.split(' ');
/** Without decimals for people, but two for Stripe, and those two must be 00. */
const twoDecimalButWhole = ['ISK', 'UGX'];
/** A currency with other than two ISO digits that Stripe does not name (IQD, LYD, UYI) is not guessed at. */
const twoDecimal = knownCurrencies.filter(
  (currency) => minorUnitDigits(currency) === 2 && !zeroDecimal.includes(currency),
);

const each = (currencies: readonly string[], value: number): Readonly<Record<string, number>> =>
  Object.fromEntries(currencies.map((currency) => [currency, value]));

export const stripeUnits: ProviderMoney = {
  digits: {
    ...each(twoDecimal, 2),
    ...each(zeroDecimal, 0),
    ...each(threeDecimal, 3),
    ...each(twoDecimalButWhole, 2),
  },
  steps: { ...each(threeDecimal, 10), ...each(twoDecimalButWhole, 100) },
  /**
   * Documented ("Minimum and maximum charge amounts"): an amount has at most twelve digits, and for most currencies
   * fewer. The widest is taken: whether a payment can be that large is Stripe's to say, and has been said when it
   * was taken.
   */
  largest: 999_999_999_999,
};

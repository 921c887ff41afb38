import { knownCurrencies, minorUnitDigits } from '@holdfast/operation';
import { describe, expect, test } from 'vitest';
import { fromStripeAmount, toStripeAmount } from '../src/stripe/stripe-money.ts';

/** ISO minor units beside what Stripe wants for the same money. */
const pairs: readonly (readonly [currency: string, minor: number, stripe: number])[] = [
  ['USD', 4999, 4999],
  ['EUR', 1, 1],
  ['JPY', 500, 500],
  ['KRW', 12_000, 12_000],
  ['VND', 1_000_000_000_000, 1_000_000_000_000],
  // Whole for people, two decimals of 00 for Stripe.
  ['ISK', 5, 500],
  ['UGX', 3_700, 370_000],
  // Two decimals for people, none for Stripe.
  ['MGA', 50_000, 500],
  ['KWD', 12_340, 12_340],
  ['BHD', 10, 10],
  ['TND', 1_000, 1_000],
  ['HUF', 12_345, 12_345],
  ['TWD', 80_000, 80_000],
  // Past what 32 bits hold.
  ['USD', 2 ** 31, 2 ** 31],
  ['IDR', 999_999_999_999, 999_999_999_999],
  ['USD', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
];

describe('money on its way to Stripe and back', () => {
  // Red when: UGX is put among the zero-decimal currencies; a shift is turned round.
  test.each(pairs)(
    '%s %i is %i for Stripe, and the same again on the way back',
    (currency, minor, stripe) => {
      expect(toStripeAmount({ minor, currency })).toEqual({
        ok: true,
        amount: stripe,
        currency: currency.toLowerCase(),
      });
      expect(fromStripeAmount(stripe, currency.toLowerCase())).toEqual({ minor, currency });
    },
  );

  test.each([
    ['MGA', 50_001, 'Stripe has no hundredths of it'],
    ['KWD', 12_345, 'the last digit must be 0'],
    ['OMR', 1, 'the last digit must be 0'],
    ['ISK', Number.MAX_SAFE_INTEGER, 'not exact any more'],
    ['IQD', 1_000, 'Stripe’s unit of it is not known'],
    ['UYI', 10, 'Stripe’s unit of it is not known'],
    ['XXX', 10, 'no currency'],
    ['USD', 0, 'nothing'],
    ['USD', -1, 'less than nothing'],
    ['USD', 1.5, 'not whole'],
    ['USD', Number.NaN, 'no number'],
    ['USD', 2 ** 53, 'not exact'],
  ])('%s %d is refused, never rounded: %s', (currency, minor) => {
    expect(toStripeAmount({ minor, currency })).toMatchObject({
      ok: false,
      because: expect.any(String) as string,
    });
  });

  test.each([
    [550, 'isk'],
    [1.5, 'usd'],
    [-1, 'usd'],
    ['100', 'usd'],
    [100, undefined],
    [100, 'iqd'],
    [100, 'zzz'],
    [2 ** 53, 'usd'],
    [2 ** 50, 'mga'],
  ])('%s %s from Stripe is not understood rather than guessed', (amount, currency) => {
    expect(fromStripeAmount(amount, currency)).toBeUndefined();
  });

  test('every currency that Stripe’s unit is known for comes back as it left', () => {
    for (const currency of knownCurrencies) {
      const minor = 10 ** (minorUnitDigits(currency) ?? 0) * 120;
      const there = toStripeAmount({ minor, currency });
      if (there.ok) expect(fromStripeAmount(there.amount, there.currency)).toEqual({ minor, currency });
      else expect(['IQD', 'LYD', 'UYI']).toContain(currency);
    }
  });
});

import fc from 'fast-check';
import { knownCurrencies, minorUnitDigits, type Amount } from '@holdfast/operation';
import { describe, expect, test } from 'vitest';
import { stripeContract } from '../src/stripe/stripe-contract.ts';
import { fromStripeAmount, toStripeAmount } from '../src/stripe/stripe-money.ts';

/** ISO minor units beside what Stripe wants for the same money. */
const pairs: readonly (readonly [currency: string, minor: number, stripe: number])[] = [
  ['USD', 4999, 4999],
  ['EUR', 1, 1],
  ['JPY', 500, 500],
  ['KRW', 12_000, 12_000],
  ['VND', 999_999_999_999, 999_999_999_999],
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
  ['KWD', 2 ** 32 + 4, 2 ** 32 + 4],
  ['ISK', 2 ** 31, 2 ** 31 * 100],
  // The most that Stripe's field holds.
  ['IDR', 999_999_999_999, 999_999_999_999],
  ['UGX', 9_999_999_999, 999_999_999_900],
  ['MGA', 99_999_999_999_900, 999_999_999_999],
];

/** Written down apart from the product's own list: what docs.stripe.com/currencies says of each exception. */
const stripeDigitsOf = (currency: string): number => {
  if ('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.includes(currency)) return 0;
  return 'BHD JOD KWD OMR TND'.includes(currency) ? 3 : 2;
};
const notTaken = ['IQD', 'LYD', 'UYI'];

/** A whole number of units as people write it, zeros at the end left out: the same money reads the same. */
const inWords = (units: number, digits: number): string => {
  const all = String(units).padStart(digits + 1, '0');
  const whole = all.slice(0, all.length - digits);
  return `${whole}.${all.slice(all.length - digits)}`.replace(/\.?0*$/, '');
};

const currencies = fc.constantFrom(...knownCurrencies);
const amounts = fc.oneof(
  fc.integer({ min: 1, max: 2 ** 34 }),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
);

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

  // Red when: an amount is rounded to Stripe's step, a factor is wrong for one currency, or a check is left out.
  test('whatever the currency and the amount, it is the same money there and back, or it is refused', () => {
    fc.assert(
      fc.property(currencies, amounts, (currency, minor) => {
        const isoDigits = minorUnitDigits(currency) ?? Number.NaN;
        const sent = toStripeAmount({ minor, currency });
        if (!sent.ok) return true;
        expect(notTaken).not.toContain(currency);
        expect(inWords(sent.amount, stripeDigitsOf(currency))).toBe(inWords(minor, isoDigits));
        if (stripeDigitsOf(currency) === 3) expect(sent.amount % 10).toBe(0);
        if (currency === 'ISK' || currency === 'UGX') expect(sent.amount % 100).toBe(0);
        expect(sent.amount).toBeLessThanOrEqual(999_999_999_999);
        expect(fromStripeAmount(sent.amount, sent.currency)).toEqual({ minor, currency });
        return true;
      }),
      { numRuns: 5_000 },
    );
  });

  // Red when: a currency is missing from Stripe's units, or one whose unit is not known is guessed at.
  test.each(knownCurrencies)(
    '%s: 120 of its major unit can be refunded, unless Stripe’s unit is not known',
    (currency) => {
      const minor = 120 * 10 ** (minorUnitDigits(currency) ?? 0);
      expect(toStripeAmount({ minor, currency }).ok).toBe(!notTaken.includes(currency));
    },
  );

  // Red when: a figure from Stripe is rounded, or read by the ISO exponent.
  test('whatever Stripe says of its own money is read exactly, or not at all', () => {
    fc.assert(
      fc.property(currencies, fc.nat({ max: Number.MAX_SAFE_INTEGER }), (currency, stripe) => {
        const read = fromStripeAmount(stripe, currency.toLowerCase());
        if (read === undefined) return true;
        expect(inWords(read.minor, minorUnitDigits(currency) ?? Number.NaN)).toBe(
          inWords(stripe, stripeDigitsOf(currency)),
        );
        return true;
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    [550, 'isk'],
    [1.5, 'usd'],
    [-1, 'usd'],
    ['100', 'usd'],
    [100, undefined],
    [100, 'iqd'],
    [100, 'zzz'],
    [100, 'constructor'],
    [2 ** 53, 'usd'],
    [2 ** 50, 'mga'],
  ])('%s %s from Stripe is not understood rather than guessed', (amount, currency) => {
    expect(fromStripeAmount(amount, currency)).toBeUndefined();
  });
});

describe('money that Stripe cannot be asked for', () => {
  const unfit: readonly (readonly [
    currency: string,
    minor: number,
    field: 'minor' | 'currency',
    because: RegExp,
  ])[] = [
    ['MGA', 50_001, 'minor', /steps of MGA 1\.00\. Ask for MGA 500\.00 or MGA 501\.00/],
    ['KWD', 12_345, 'minor', /steps of KWD 0\.010\. Ask for KWD 12\.340 or KWD 12\.350/],
    ['OMR', 1, 'minor', /Ask for OMR 0\.010\.$/],
    ['ISK', 10_000_000_000, 'minor', /at most ISK 9,999,999,999 at once/],
    ['USD', 1_000_000_000_000, 'minor', /at most USD 9,999,999,999\.99 at once/],
    ['MGA', 100_000_000_000_000, 'minor', /at most MGA 999,999,999,999\.00 at once/],
    ['IQD', 1_000, 'currency', /not known to take IQD/],
    ['UYI', 10, 'currency', /not known to take UYI/],
    ['XXX', 10, 'currency', /not known to take XXX/],
    ['usd', 10, 'currency', /not known to take usd/],
    ['USD', 0, 'minor', /above zero/],
    ['USD', -1, 'minor', /above zero/],
    ['USD', -0, 'minor', /above zero/],
    ['USD', 1.5, 'minor', /whole number/],
    ['USD', Number.NaN, 'minor', /whole number/],
    ['USD', 2 ** 53, 'minor', /whole number/],
  ];
  // Red when: it is rounded, or the refusal names no field or no way out.
  test.each(unfit)('%s %d is refused by its field %s, with what to do', (currency, minor, field, because) => {
    expect(toStripeAmount({ minor, currency })).toEqual({
      ok: false,
      field,
      because: expect.stringMatching(because) as string,
    });
  });

  // Red when: the amount is put into the request without being read (Stripe refunds everything without one).
  test.each([undefined, null, '1000', {}])('F076: a minor of %s is refused, never left out', (minor) => {
    const amount = { minor, currency: 'USD' } as unknown as Amount;
    expect(toStripeAmount(amount)).toMatchObject({ ok: false, field: 'minor' });
  });

  test('the contract says in data what the adapter keeps to', () => {
    const { digits, steps, largest } = stripeContract.money;
    expect(Object.keys(digits).toSorted()).toEqual(knownCurrencies.filter((one) => !notTaken.includes(one)));
    expect(steps).toEqual({ BHD: 10, JOD: 10, KWD: 10, OMR: 10, TND: 10, ISK: 100, UGX: 100 });
    expect(largest).toBe(999_999_999_999);
  });
});

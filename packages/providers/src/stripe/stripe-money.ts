import { minorUnitDigits, type Amount } from '@holdfast/operation';

/**
 * Stripe's smallest unit is not everywhere the ISO minor unit. Source: docs.stripe.com/currencies
 * ("Zero-decimal currencies", "Three-decimal currencies", "Special cases"). Two decimals is Stripe's rule.
 */
const zeroDecimal = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const threeDecimal = new Set('BHD JOD KWD OMR TND'.split(' '));
/** Without decimals for people, but two for Stripe, and those two must be 00. */
const twoDecimalButWhole = new Set(['ISK', 'UGX']);

/** Digits after the decimal mark in Stripe's amounts; `undefined` where they are not known for sure. */
const stripeDigits = (currency: string): number | undefined => {
  if (zeroDecimal.has(currency)) return 0;
  if (threeDecimal.has(currency)) return 3;
  if (twoDecimalButWhole.has(currency)) return 2;
  // A currency with other than two ISO digits that Stripe does not name is not guessed at.
  return minorUnitDigits(currency) === 2 ? 2 : undefined;
};

export type StripeAmount =
  | { readonly ok: true; readonly amount: number; readonly currency: string }
  | { readonly ok: false; readonly because: string };

const refuse = (because: string): StripeAmount => ({ ok: false, because });

/** ISO minor units to Stripe's: the currency in lower case, as Stripe writes it. Never rounds: it refuses. */
export const toStripeAmount = ({ minor, currency }: Amount): StripeAmount => {
  if (!Number.isSafeInteger(minor) || minor <= 0)
    return refuse('The amount must be a whole number above zero.');
  const isoDigits = minorUnitDigits(currency);
  const digits = stripeDigits(currency);
  if (isoDigits === undefined || digits === undefined)
    return refuse(`Stripe's unit of ${currency} is not known.`);
  const shift = digits - isoDigits;
  const amount = shift >= 0 ? minor * 10 ** shift : minor / 10 ** -shift;
  if (!Number.isInteger(amount)) return refuse(`Stripe takes ${currency} only without decimals.`);
  if (!Number.isSafeInteger(amount)) return refuse('The amount is too large to be written exactly.');
  if (digits === 3 && amount % 10 !== 0)
    return refuse(`Stripe wants the last digit of ${currency} amounts to be 0.`);
  return { ok: true, amount, currency: currency.toLowerCase() };
};

/** Stripe's units to ISO minor units; `undefined` where that cannot be done exactly. Zero is a figure too. */
export const fromStripeAmount = (amount: unknown, currency: unknown): Amount | undefined => {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0) return undefined;
  if (typeof currency !== 'string') return undefined;
  const code = currency.toUpperCase();
  const isoDigits = minorUnitDigits(code);
  const digits = stripeDigits(code);
  if (isoDigits === undefined || digits === undefined) return undefined;
  const shift = isoDigits - digits;
  const minor = shift >= 0 ? amount * 10 ** shift : amount / 10 ** -shift;
  return Number.isSafeInteger(minor) ? { minor, currency: code } : undefined;
};

import * as z from 'zod/mini';
import { minorUnitDigits } from './currency.ts';

/** Money: a whole number of the currency's ISO 4217 minor unit. Never a float, never without its currency. */
export type Amount = { readonly minor: number; readonly currency: string };

export const currencySchema = z
  .string()
  .check(
    z.refine(
      (code) => minorUnitDigits(code) !== undefined,
      'must be an ISO 4217 currency code in upper case, like "EUR"',
    ),
  );

/** A figure that may be zero or, for a payment overdrawn by outside facts, below it. */
export const figureSchema = z.object({ minor: z.int(), currency: currencySchema });

/** An amount of money to move: always above zero. */
export const amountSchema = z.object({
  minor: z.int('must be a whole number of minor units').check(z.positive('must be above zero')),
  currency: currencySchema,
});

export const sameAmount = (one: Amount, other: Amount): boolean =>
  one.minor === other.minor && one.currency === other.currency;

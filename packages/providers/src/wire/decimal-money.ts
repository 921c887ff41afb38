import { minorUnitDigits, type Amount } from '@holdfast/operation';
import { fromProviderAmount, toProviderAmount, type ProviderMoney } from '../provider-money.ts';

type Writer = { readonly displayName: string; readonly money: ProviderMoney };

export type DecimalAmount =
  | { readonly ok: true; readonly value: string; readonly currency: string }
  | { readonly ok: false; readonly because: string };

/** An amount as a provider writes it that uses decimal text ("25.00"). Digits are moved, nothing is computed. */
export const toDecimalAmount = (provider: Writer, amount: Amount | undefined): DecimalAmount => {
  const money = toProviderAmount(provider, amount);
  if (!money.ok) return { ok: false, because: money.because };
  const currency = money.currency.toUpperCase();
  const digits = provider.money.digits[currency] ?? 0;
  const text = String(money.amount).padStart(digits + 1, '0');
  const value = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return { ok: true, value, currency };
};

/** `undefined` where the text does not have exactly the digits that the currency has there. */
export const fromDecimalAmount = (
  provider: Writer,
  value: unknown,
  currency: unknown,
): Amount | undefined => {
  if (typeof value !== 'string' || typeof currency !== 'string') return undefined;
  const digits = provider.money.digits[currency];
  if (digits === undefined) return undefined;
  const [whole = '', fraction = '', ...more] = value.split('.');
  const isWritten = /^\d{1,15}$/.test(whole) && fraction.length === digits && /^\d*$/.test(fraction);
  if (!isWritten || more.length > 0 || value.includes('.') !== digits > 0) return undefined;
  return fromProviderAmount(provider, Number(whole + fraction), currency);
};

/** The currencies of a list whose unit is the ISO one: any other would have to be known for sure, and is left out. */
export const isoDigitsOf = (currencies: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    currencies.flatMap((currency) => {
      const digits = minorUnitDigits(currency);
      return digits === undefined ? [] : [[currency, digits]];
    }),
  );

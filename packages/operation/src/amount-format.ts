import type { Amount } from './amount.ts';
import { minorUnitDigits } from './currency.ts';

export type DecimalMark = '.' | ',';

/**
 * An amount as people read it, "EUR 1.234,50" with a comma as decimal mark. Only digits are moved about: no float.
 * Also for figures below zero (a payment that outside facts have overdrawn).
 * @throws for a currency we do not know, which no schema of ours lets in
 */
export const formatAmount = (amount: Amount, decimalMark: DecimalMark = '.'): string => {
  const digits = minorUnitDigits(amount.currency);
  if (digits === undefined) throw new Error(`unknown currency ${amount.currency}`);
  if (!Number.isSafeInteger(amount.minor)) throw new Error('an amount must be a whole number of minor units');
  const all = String(Math.abs(amount.minor)).padStart(digits + 1, '0');
  const whole = all.slice(0, all.length - digits);
  const fraction = all.slice(all.length - digits);
  const sign = amount.minor < 0 ? '-' : '';
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, decimalMark === '.' ? ',' : '.');
  return `${amount.currency} ${sign}${grouped}${fraction === '' ? '' : decimalMark + fraction}`;
};

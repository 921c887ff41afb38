import { minorUnitDigits } from '@holdfast/operation';

export type ParsedAmount =
  { readonly ok: true; readonly minor: number } | { readonly ok: false; readonly because: string };

const refused = (because: string): ParsedAmount => ({ ok: false, because });

const decimal = /^(\d{1,15})(?:\.(\d{1,15}))?$/;

/** Why a text is no amount in whatever currency. */
export const decimalFault = (text: string): string | undefined =>
  decimal.test(text)
    ? undefined
    : `"${text}" is not an amount like 49.99 (digits, with a dot for the decimals)`;

/**
 * Major units with a dot ("49.99") as whole minor units, by digits alone: no float ever holds money. Zeros past the
 * currency's digits are harmless ("4999.00" in JPY); anything else there is refused, never rounded.
 */
export const parseDecimalAmount = (text: string, currency: string): ParsedAmount => {
  const digits = minorUnitDigits(currency);
  if (digits === undefined) return refused(`"${currency}" is not an ISO 4217 currency code in upper case`);
  const fault = decimalFault(text);
  if (fault !== undefined) return refused(fault);
  const [, whole = '', fraction = ''] = decimal.exec(text) ?? [];
  if (/[1-9]/.test(fraction.slice(digits))) {
    return refused(`"${text}" has more decimals than ${currency} has (${String(digits)})`);
  }
  const minor = Number(`${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`);
  return Number.isSafeInteger(minor) ? { ok: true, minor } : refused(`"${text}" is too large`);
};

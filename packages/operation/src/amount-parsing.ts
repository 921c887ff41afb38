import type { Amount } from './amount.ts';
import type { DecimalMark } from './amount-format.ts';
import { minorUnitDigits } from './currency.ts';
import { english } from './messages/en.ts';

export const amountProblems = [
  'empty',
  'other-digits',
  'not-a-number',
  'other-currency',
  'unknown-currency',
  'negative',
  'zero',
  'ambiguous',
  'too-many-decimals',
  'bad-grouping',
  'too-large',
] as const;
export type AmountProblem = (typeof amountProblems)[number];

/** `because` says what is wrong and what to type instead. */
export type TypedAmount =
  | { readonly ok: true; readonly amount: Amount }
  | { readonly ok: false; readonly problem: AmountProblem; readonly because: string };

/**
 * Reads an amount as a person types it. Both decimal marks are understood whatever the locale, and what could be
 * read in two ways is refused rather than guessed. Works on digits as text: no float at any point.
 * @param decimalMark the mark of the person's own locale; it decides only where a reading would else be open
 */
export const parseTypedAmount = (text: string, currency: string, decimalMark: DecimalMark): TypedAmount => {
  const digits = minorUnitDigits(currency);
  if (digits === undefined) return refuse('unknown-currency', { currency, digits: 2, decimalMark });
  const context: Context = { currency, digits, decimalMark };
  const number = withoutCurrency(text.trim(), currency);
  const unfit = unfitText(number);
  if (unfit !== undefined) return refuse(unfit, context);
  const parts = splitNumber(number, context);
  if (typeof parts === 'string') return refuse(parts, context);
  if (parts.fraction.length > digits) return refuse('too-many-decimals', context);
  const minorText = (parts.whole + parts.fraction.padEnd(digits, '0')).replace(/^0+(?=\d)/, '');
  if (minorText.length > longestMinor) return refuse('too-large', context);
  const minor = Number(minorText);
  return minor === 0 ? refuse('zero', context) : { ok: true, amount: { minor, currency } };
};

type Context = { readonly currency: string; readonly digits: number; readonly decimalMark: DecimalMark };

/** Every number of 15 digits is exact; larger refunds than that do not exist. */
const longestMinor = 15;

const refuse = (problem: AmountProblem, context: Context): TypedAmount => ({
  ok: false,
  problem,
  because: english.amount(problem, context),
});

/** Takes off the payment's own currency code, before or after the number. */
const withoutCurrency = (text: string, currency: string): string => {
  const upper = text.toUpperCase();
  if (upper.startsWith(currency)) return text.slice(currency.length).trim();
  if (upper.endsWith(currency)) return text.slice(0, -currency.length).trim();
  return text;
};

const unfitText = (text: string): AmountProblem | undefined => {
  if (text === '') return 'empty';
  if (/(?![0-9])\p{Nd}/u.test(text)) return 'other-digits';
  if (/^[-\u2212(]/.test(text) || /[-\u2212]$/.test(text)) return 'negative';
  const code = /[A-Za-z]+/.exec(text)?.[0].toUpperCase();
  if (code !== undefined) return minorUnitDigits(code) === undefined ? 'not-a-number' : 'other-currency';
  return /^[0-9.,'\u2019 \u00a0\u2009\u202f]+$/.test(text) && /[0-9]/.test(text) ? undefined : 'not-a-number';
};

type Parts = { readonly whole: string; readonly fraction: string };

/** Which mark is which. Spaces and apostrophes can only group. */
const splitNumber = (text: string, context: Context): Parts | AmountProblem => {
  const marks = [...text].filter((character) => character === '.' || character === ',');
  const decimal = decimalMarkOf(text, marks, context);
  if (decimal === 'ambiguous' || decimal === 'bad-grouping' || decimal === 'too-many-decimals')
    return decimal;
  if (decimal === undefined) return grouped(text, '');
  const at = text.lastIndexOf(decimal);
  const fraction = text.slice(at + 1);
  if (!/^[0-9]+$/.test(fraction)) return 'not-a-number';
  return grouped(text.slice(0, at), fraction);
};

type Reading = DecimalMark | undefined | 'ambiguous' | 'bad-grouping' | 'too-many-decimals';

const decimalMarkOf = (text: string, marks: readonly string[], context: Context): Reading => {
  const last = marks.at(-1) as DecimalMark | undefined;
  if (last === undefined) return undefined;
  if (new Set(marks).size === 2) {
    return marks.filter((mark) => mark === last).length === 1 ? last : 'bad-grouping';
  }
  if (marks.length > 1) return undefined;
  if (!/[.,][0-9]{3}$/.test(text) || /[^0-9.,]/.test(text)) return last;
  return singleMarkBeforeThree(last, context);
};

/** "1,234": a thousand, or a bit more than one? Only the currency and the locale together can say. */
const singleMarkBeforeThree = (mark: DecimalMark, { digits, decimalMark }: Context): Reading => {
  if (digits === 3) return mark === decimalMark ? mark : 'ambiguous';
  if (digits === 0) return mark === decimalMark ? 'too-many-decimals' : undefined;
  return 'ambiguous';
};

/** The whole part without its grouping: one kind of mark, groups of three. */
const grouped = (text: string, fraction: string): Parts | AmountProblem => {
  if (text === '') return fraction === '' ? 'empty' : { whole: '0', fraction };
  if (/^[0-9]+$/.test(text)) return { whole: text, fraction };
  const kinds = new Set(
    text
      .replace(/[0-9]/g, '')
      .replace(/[ \u00a0\u2009\u202f]/g, ' ')
      .replaceAll('\u2019', "'"),
  );
  if (kinds.size !== 1 || !/^[1-9][0-9]{0,2}([^0-9][0-9]{3})+$/.test(text)) return 'bad-grouping';
  return { whole: text.replace(/[^0-9]/g, ''), fraction };
};

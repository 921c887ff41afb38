import { parseTypedAmount, type Amount, type DecimalMark } from '@holdfast/operation';
import type { RequestText } from './request-text.ts';
import { words } from './request-text.ts';
import { halfPhrases } from './phrases.ts';

/** Money as it was said: a number as text, and what its currency was called. */
export type SaidAmount = {
  readonly number: string;
  readonly currency: string | undefined;
  readonly said: string;
};

const currencyWords: Readonly<Record<string, readonly string[]>> = {
  '€': ['EUR'],
  eur: ['EUR'],
  euro: ['EUR'],
  euros: ['EUR'],
  // A dollar sign is many countries' own; the payment says which one is meant, or that none is.
  $: ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD', 'MXN'],
  dollar: ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD'],
  dollars: ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD'],
  dolares: ['USD', 'CAD', 'AUD', 'NZD', 'SGD', 'HKD'],
  usd: ['USD'],
  '£': ['GBP'],
  pound: ['GBP'],
  pounds: ['GBP'],
  pfund: ['GBP'],
  libras: ['GBP'],
  gbp: ['GBP'],
  '¥': ['JPY', 'CNY'],
  yen: ['JPY'],
  jpy: ['JPY'],
  dinar: ['KWD', 'BHD', 'JOD'],
  dinars: ['KWD', 'BHD', 'JOD'],
  ...Object.fromEntries(
    [
      'chf',
      'kwd',
      'bhd',
      'jod',
      'sek',
      'nok',
      'dkk',
      'pln',
      'cad',
      'aud',
      'nzd',
      'czk',
      'huf',
      'inr',
      'cny',
    ].map((code) => [code, [code.toUpperCase()]]),
  ),
};

const currency = `(?:${Object.keys(currencyWords)
  .map((word) => word.replace('$', '\\$'))
  .join('|')})`;
const number = "\\d+(?:[.,'\u2019]\\d+)*w?";
const small = 'cents?|centimes?|centimos?|pence';

const plainNumber = (text: string | undefined): string => (text ?? '').replace(/w$/, '');

/** Every amount that names its currency. */
export const takeAmounts = (request: RequestText): readonly SaidAmount[] => {
  const said: SaidAmount[] = [];
  const after = request.take(
    words(`(${number}) (${currency})(?: (?:(?:and|und|et|y|en) )?(\\d\\dw?)(?: (?:${small}))?)?`),
    '§a',
  );
  for (const [all, whole, word, part] of after) {
    const fraction = part === undefined ? '' : `.${plainNumber(part)}`;
    said.push({ number: plainNumber(whole) + fraction, currency: word, said: all });
  }
  for (const [all, word, whole] of request.take(words(`(${currency}) (${number})`), '§a')) {
    said.push({ number: plainNumber(whole), currency: word, said: all });
  }
  for (const [all, part] of request.take(words(`(\\d\\d?w?) (?:${small})`), '§a')) {
    said.push({ number: `0.${plainNumber(part).padStart(2, '0')}`, currency: undefined, said: all });
  }
  return said;
};

/** Numbers that were typed and that nothing else has read: an amount in the payment's own currency. */
export const takeBareNumbers = (request: RequestText): readonly SaidAmount[] =>
  request
    .take(words(`(${number.slice(0, -2)})`), '§a')
    .map(([all]) => ({ number: all, currency: undefined, said: all }));

/** A share of something, in hundredths: "half", "10 %". */
export const takeShares = (request: RequestText): readonly number[] => [
  ...request.take(halfPhrases, '§a').map(() => 50),
  ...request
    .take(words('(\\d{1,3})w? (?:%|percent|per cent|prozent|procent|pour cent|por ciento)'), '§a')
    .map(([, percent]) => Number(percent)),
];

export type Money =
  | { readonly ok: true; readonly amount: Amount }
  | { readonly ok: false; readonly problem: 'unclear' | 'other-currency' };

/** What was said, in the payment's currency and minor units; by the reading that people's own typing gets. */
export const moneyOf = (said: SaidAmount, paid: string, decimalMark: DecimalMark): Money => {
  const meant = said.currency === undefined ? [paid] : (currencyWords[said.currency] ?? []);
  if (!meant.includes(paid)) return { ok: false, problem: 'other-currency' };
  const typed = parseTypedAmount(said.number, paid, decimalMark);
  return typed.ok ? { ok: true, amount: typed.amount } : { ok: false, problem: 'unclear' };
};

/** A share in whole minor units; `undefined` where it has none, since nobody said how to round. */
export const shareOf = (minor: number, percent: number): number | undefined =>
  percent > 0 && percent <= 100 && (minor * percent) % 100 === 0 ? (minor * percent) / 100 : undefined;

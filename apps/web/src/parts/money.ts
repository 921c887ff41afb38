import { formatAmount, type Amount, type DecimalMark } from '@holdfast/operation';

/** The decimal mark of the person's own locale, in digits we can read back. */
export const decimalMark = (): DecimalMark => {
  const part = new Intl.NumberFormat(globalThis.navigator?.language ?? 'en')
    .formatToParts(1.5)
    .find(({ type }) => type === 'decimal');
  return part?.value === ',' ? ',' : '.';
};

const mark = decimalMark();

/** "EUR 6,95": the currency always, figures as the locale writes them. */
export const moneyText = (amount: Amount): string => formatAmount(amount, mark);

/** The figures alone, for a field whose currency stands beside it. */
export const figuresText = (amount: Amount): string => moneyText(amount).slice(amount.currency.length + 1);

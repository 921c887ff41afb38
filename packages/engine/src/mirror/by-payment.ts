import type { SeenAtProvider } from './seen-at-provider.ts';

/**
 * Splits what was seen into parts of one payment each, so that taking in a long listing never holds the rows of many
 * payments at once. The answer to a question about one payment stays whole.
 */
export const byPayment = (seen: SeenAtProvider): readonly SeenAtProvider[] => {
  if (seen.askedPayment !== null) return [seen];
  const names = new Set([...seen.refunds, ...seen.disputes].map(({ paymentReference }) => paymentReference));
  return [...names].map((name) => ({
    ...seen,
    refunds: seen.refunds.filter(({ paymentReference }) => paymentReference === name),
    disputes: seen.disputes.filter(({ paymentReference }) => paymentReference === name),
  }));
};

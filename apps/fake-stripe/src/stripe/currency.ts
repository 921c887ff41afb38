/** Stripe's own minor units, which are not everywhere those of ISO 4217 (ISK and UGX have two decimals). */
const zeroDecimal = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
const threeDecimal = new Set('bhd jod kwd omr tnd'.split(' '));

export function decimals(currency: string): 0 | 2 | 3 {
  if (zeroDecimal.has(currency)) return 0;
  return threeDecimal.has(currency) ? 3 : 2;
}

/** The banks behind three-decimal currencies settle two decimals, so Stripe wants the last digit to be 0. */
export function amountFitsCurrency(amount: number, currency: string): boolean {
  return decimals(currency) !== 3 || amount % 10 === 0;
}

export function formatAmount(amount: number, currency: string): string {
  const digits = decimals(currency);
  const style = { style: 'currency', currency, minimumFractionDigits: digits } as const;
  return new Intl.NumberFormat('en-US', style).format(amount / 10 ** digits);
}

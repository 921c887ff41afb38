/** Stripe's own minor units, which are not everywhere those of ISO 4217 (ISK and UGX have two decimals). */
const zeroDecimal = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '));
const threeDecimal = new Set('bhd jod kwd omr tnd'.split(' '));

export function decimals(currency: string): 0 | 2 | 3 {
  if (zeroDecimal.has(currency)) return 0;
  return threeDecimal.has(currency) ? 3 : 2;
}

/** Without decimals among people, and with two at Stripe, for the sake of old integrations. */
const wholeOnly = new Set(['isk', 'ugx']);

/**
 * How many zeros an amount must end in: one where there are three decimals, since the banks behind those currencies
 * settle two; two where the decimals are there in name only.
 */
export function zerosAtTheEnd(currency: string): 0 | 1 | 2 {
  if (wholeOnly.has(currency)) return 2;
  return threeDecimal.has(currency) ? 1 : 0;
}

export function amountFitsCurrency(amount: number, currency: string): boolean {
  return amount % 10 ** zerosAtTheEnd(currency) === 0;
}

export function formatAmount(amount: number, currency: string): string {
  const digits = decimals(currency);
  const style = { style: 'currency', currency, minimumFractionDigits: digits } as const;
  return new Intl.NumberFormat('en-US', style).format(amount / 10 ** digits);
}

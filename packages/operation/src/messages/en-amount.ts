/** What is wrong with a typed amount, and what to type instead. */
export const amountText = (
  problem: string,
  { currency, digits, decimalMark }: { currency: string; digits: number; decimalMark: string },
): string => {
  const example = digits === 0 ? '1234' : `1234${decimalMark}${'50'.padEnd(digits, '0').slice(0, digits)}`;
  const decimals = digits === 0 ? 'no decimals' : digits === 1 ? 'one decimal' : `${digits} decimals`;
  switch (problem) {
    case 'empty':
      return `Type an amount, such as ${example}.`;
    case 'other-digits':
      return `Type the amount with the digits 0 to 9, such as ${example}.`;
    case 'other-currency':
      return `The payment is in ${currency}. Type the amount in ${currency}, as a number alone.`;
    case 'unknown-currency':
      return `${currency} is not a currency we know; nothing can be refunded in it.`;
    case 'negative':
      return 'A refund is above zero. Type the amount without a minus.';
    case 'zero':
      return `The amount must be above zero, such as ${example}.`;
    case 'ambiguous':
      return `This could be read in two ways, and ${currency} has ${decimals}. Type it without grouping, such as ${example}.`;
    case 'too-many-decimals':
      return `${currency} has ${decimals}. Type the amount such as ${example}.`;
    case 'bad-grouping':
      return `The marks in this number do not make groups of three. Type it without grouping, such as ${example}.`;
    case 'too-large':
      return 'This is more than any refund can be. Check the digits.';
    default:
      return `This is not a number we can read. Type it such as ${example}.`;
  }
};

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  amountSchema,
  formatAmount,
  knownCurrencies,
  parseTypedAmount,
  refundableMinor,
  type DecimalMark,
} from '../src/operation.ts';

const minor = (text: string, currency: string, mark: DecimalMark): number | string => {
  const typed = parseTypedAmount(text, currency, mark);
  return typed.ok ? typed.amount.minor : typed.problem;
};

describe('an amount as people type it', () => {
  // Red when: a single mark is taken by locale alone ("6.95" in nl becomes 695.00), or parseFloat is used.
  test('F077: "6,95" and "6.95" are both 695 minor units; "6,955" is refused; the amount is repeated in words', () => {
    for (const mark of [',', '.'] as const) {
      expect(minor('6,95', 'EUR', mark)).toBe(695);
      expect(minor('6.95', 'EUR', mark)).toBe(695);
      expect(minor('6,955', 'EUR', mark)).toBe('ambiguous');
    }
    expect(formatAmount({ minor: 695, currency: 'EUR' }, ',')).toBe('EUR 6,95');
  });

  // Red when: the digits are multiplied as floats (145.05 * 100 is 14505.000000000002).
  test('F073: becomes whole minor units digit by digit', () => {
    expect(['145.05', '3.99', '0.29', '8.2', '4.35'].map((text) => minor(text, 'EUR', '.'))).toEqual([
      14505, 399, 29, 820, 435,
    ]);
    expect(minor('1.005', 'EUR', '.')).toBe('ambiguous');
    expect(minor('1.0051', 'EUR', '.')).toBe('too-many-decimals');
  });

  // Red when: every currency is given two decimals.
  test('F068: 500 yen are 500 minor units, and so are won and dong; the approver reads "JPY 500"', () => {
    for (const currency of ['JPY', 'KRW', 'VND']) {
      expect(minor('500', currency, '.')).toBe(500);
      expect(minor('500.00', currency, '.')).toBe('too-many-decimals');
      expect(minor('500,0', currency, ',')).toBe('too-many-decimals');
      expect(formatAmount({ minor: 500, currency })).toBe(`${currency} 500`);
    }
    expect(formatAmount({ minor: 80_000, currency: 'JPY' })).toBe('JPY 80,000');
  });

  // Red when: sums are made in major units (11.85 + 18.35 > 30.20 in floats).
  test('F072: the rest of a payment, 18.35 of 30.20 after 11.85, is exactly what is left', () => {
    const left = refundableMinor({
      currency: 'EUR',
      captured: minor('30.20', 'EUR', '.') as number,
      refunded: minor('11.85', 'EUR', '.') as number,
      refundedElsewhere: 0,
      reserved: 0,
      disputed: false,
    });
    expect(minor('18.35', 'EUR', '.')).toBe(left);
    expect(formatAmount({ minor: left - 1835, currency: 'EUR' })).toBe('EUR 0.00');
  });

  test.each<[string, string, DecimalMark, number | string]>([
    ['1.234,50', 'EUR', ',', 123450],
    ['1,234.50', 'EUR', ',', 123450],
    ['1 234,50', 'EUR', ',', 123450],
    ['1\u00a0234,50', 'EUR', ',', 123450],
    ['1\u202f234,50', 'EUR', ',', 123450],
    ["1'234.50", 'CHF', '.', 123450],
    ['1’234.50', 'CHF', '.', 123450],
    ['1.234.567', 'EUR', ',', 123456700],
    ['1,234,567.8', 'USD', '.', 123456780],
    [' 12 ', 'EUR', '.', 1200],
    ['EUR 6,95', 'EUR', ',', 695],
    ['6,95 eur', 'EUR', ',', 695],
    [',95', 'EUR', ',', 95],
    ['1,000', 'JPY', '.', 1000],
    ['1.000', 'JPY', ',', 1000],
    ['1.000', 'JPY', '.', 'too-many-decimals'],
    ['1,000', 'JPY', ',', 'too-many-decimals'],
    ['18.600', 'KWD', '.', 18600],
    ['18,600', 'KWD', ',', 18600],
    ['18,600', 'KWD', '.', 'ambiguous'],
    ['1,234.500', 'KWD', '.', 1234500],
    ['1,000', 'EUR', '.', 'ambiguous'],
    ['1.000', 'EUR', ',', 'ambiguous'],
    ['1,234.500', 'EUR', '.', 'too-many-decimals'],
    ['1 234,500', 'EUR', ',', 'too-many-decimals'],
    ['12,34,567.00', 'EUR', '.', 'bad-grouping'],
    ['1 23,00', 'EUR', ',', 'bad-grouping'],
    ['1.234,567,8', 'EUR', ',', 'bad-grouping'],
    ["1'234 567", 'EUR', ',', 'bad-grouping'],
    ['0', 'EUR', '.', 'zero'],
    ['0,00', 'EUR', ',', 'zero'],
    ['-5', 'EUR', '.', 'negative'],
    ['−5', 'EUR', '.', 'negative'],
    ['(5)', 'EUR', '.', 'negative'],
    ['', 'EUR', '.', 'empty'],
    ['  ', 'EUR', '.', 'empty'],
    ['EUR', 'EUR', '.', 'empty'],
    ['NaN', 'EUR', '.', 'not-a-number'],
    ['Infinity', 'EUR', '.', 'not-a-number'],
    ['1e3', 'EUR', '.', 'not-a-number'],
    ['0x10', 'EUR', '.', 'not-a-number'],
    ['5.', 'EUR', '.', 'not-a-number'],
    ['.', 'EUR', '.', 'not-a-number'],
    ['+5', 'EUR', '.', 'not-a-number'],
    ['٥٠٠', 'EUR', '.', 'other-digits'],
    ['５', 'EUR', '.', 'other-digits'],
    ['USD 5', 'EUR', '.', 'other-currency'],
    ['5', 'XXX', '.', 'unknown-currency'],
    ['9999999999999999', 'JPY', '.', 'too-large'],
  ])('"%s" in %s where the decimal mark is "%s" is %s', (text, currency, mark, expected) => {
    expect(minor(text, currency, mark)).toBe(expected);
  });

  // Red when: a refusal gives no example.
  test('is refused with what to type instead, and no refusal shows NaN', () => {
    for (const text of ['6,955', 'NaN', '-5', '0', '', '٥', '1e3', 'USD 5', '1.2345', '12,34,567.00']) {
      const typed = parseTypedAmount(text, 'EUR', ',');
      expect(typed.ok).toBe(false);
      if (!typed.ok) {
        expect(typed.because).toMatch(/^[A-Z].*\.$/);
        expect(typed.because).toMatch(/[Tt]ype|such as/);
        expect(typed.because).not.toContain('NaN');
      }
    }
  });
});

// Red when: grouping and decimal mark are exchanged in `formatAmount`, or a currency's digits are ignored.
test('what is shown reads back as the same amount, in every currency and with both marks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 999_999_999_999_999 }),
      fc.constantFrom(...knownCurrencies),
      fc.constantFrom<DecimalMark>('.', ','),
      (amount, currency, mark) => {
        const shown = formatAmount({ minor: amount, currency }, mark);
        expect(parseTypedAmount(shown, currency, mark)).toEqual({
          ok: true,
          amount: { minor: amount, currency },
        });
      },
    ),
    { numRuns: 2_000 },
  );
});

// Red when: a number slips through a float, or a refusal throws.
test('whatever is typed ends in a whole positive number of minor units or in a refusal', () => {
  const typedText = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."0123456789.,' -EUR") }));
  fc.assert(
    fc.property(
      typedText,
      fc.constantFrom('EUR', 'JPY', 'KWD'),
      fc.constantFrom<DecimalMark>('.', ','),
      (text, currency, mark) => {
        const typed = parseTypedAmount(text, currency, mark);
        if (typed.ok) expect(amountSchema.safeParse(typed.amount).success).toBe(true);
        else expect(typed.because).not.toBe('');
      },
    ),
    { numRuns: 2_000 },
  );
});

test('figures below zero and zero are shown, and what is not an amount is a broken promise', () => {
  expect(formatAmount({ minor: -123_456, currency: 'EUR' }, ',')).toBe('EUR -1.234,56');
  expect(formatAmount({ minor: 0, currency: 'KWD' })).toBe('KWD 0.000');
  expect(() => formatAmount({ minor: NaN, currency: 'EUR' })).toThrow();
  expect(() => formatAmount({ minor: 1.5, currency: 'EUR' })).toThrow();
});

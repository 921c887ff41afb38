import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimalAmount } from './decimal-amount.ts';

const minorOf = (text: string, currency: string): number | string => {
  const parsed = parseDecimalAmount(text, currency);
  return parsed.ok ? parsed.minor : 'refused';
};

describe('amounts of a file', () => {
  it.each([
    ['49.99', 'USD', 4_999],
    ['49.9', 'USD', 4_990],
    ['49', 'USD', 4_900],
    ['4999', 'JPY', 4_999],
    ['4999.00', 'JPY', 4_999],
    ['1.005', 'KWD', 1_005],
    ['0.10', 'EUR', 10],
    ['1.15', 'EUR', 115],
    ['90071992547409.91', 'EUR', Number.MAX_SAFE_INTEGER],
  ])('%s %s is %d minor units', (text, currency, minor) => {
    expect(minorOf(text, currency)).toBe(minor);
  });

  it.each([
    ['49,99', 'EUR'],
    ['1.234,50', 'EUR'],
    ['1,234.50', 'EUR'],
    ['49.999', 'USD'],
    ['4999.5', 'JPY'],
    ['-5', 'EUR'],
    ['1e3', 'EUR'],
    ['', 'EUR'],
    ['€5', 'EUR'],
    ['5', 'eur'],
    ['5', 'ZZZ'],
    ['90071992547409.92', 'EUR'],
  ])('%s %s is refused, never rounded', (text, currency) => {
    expect(minorOf(text, currency)).toBe('refused');
  });

  // Red when: the amount goes through a float (`Number(text) * 100`).
  it('what is written comes back, whatever the amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (minor) => {
        const text = String(minor).padStart(3, '0');
        return minorOf(`${text.slice(0, -2)}.${text.slice(-2)}`, 'EUR') === minor;
      }),
    );
  });
});

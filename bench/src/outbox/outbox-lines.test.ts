import { expect, test } from 'vitest';
import { verdictOf } from '../table.ts';
import { linesOfDrained, linesOfSaved } from './outbox-lines.ts';

const valueOf = (lines: ReturnType<typeof linesOfSaved>, ending: string): number | null | undefined =>
  lines.find(({ what }) => what.endsWith(ending))?.value;

// Red when: the ratio of the medians is told instead of the median of the pairs' ratios, or the best pair as the worst.
test('a busy moment that hurts both sides of a pair does not hurt the ratio, and the worst pair is told', () => {
  const lines = linesOfSaved([
    { bareMs: 10, productMs: 15 },
    { bareMs: 100, productMs: 150 },
    { bareMs: 2, productMs: 8 },
  ]);
  expect(valueOf(lines, 'median of pairs')).toBe(1.5);
  expect(valueOf(lines, 'worst pair')).toBe(4);
  expect(lines[0] && verdictOf(lines[0])).toBe('met');
});

// Red when: an aim is compared the wrong way round.
test('sending that takes more than three times as long as the bare way misses its aim', () => {
  const run = { transactions: { readwrite: 4, readonly: 2 }, requests: 2, sentBytes: 2048 };
  const lines = linesOfDrained(1_000, [{ ...run, bareMs: 100, productMs: 301 }]);
  expect(lines[0] && verdictOf(lines[0])).toBe('missed');
  expect(valueOf(lines, 'requests')).toBe(2);
  expect(valueOf(lines, 'commands')).toBe(2);
});

import { expect, test } from 'vitest';
import { holdLine } from './hold-line.ts';

const on = { on: true, since: '2026-12-01T03:26:49.379Z', by: 'command-line', reason: null };

// Red when: a reason that is a sentence is followed by a second full stop, or one that is missing leaves a colon.
test('how a hold stands reads as sentences, with a reason and without', () => {
  const rest = 'Nothing is submitted; look-ups go on.';
  expect(holdLine({ ...on, reason: 'Stripe is down.' })).toBe(
    `On hold since ${on.since}, by command-line: Stripe is down. ${rest}`,
  );
  expect(holdLine(on)).toBe(`On hold since ${on.since}, by command-line. ${rest}`);
});

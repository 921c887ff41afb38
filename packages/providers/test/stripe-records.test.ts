import { expect, test } from 'vitest';
import { readRefund } from '../src/stripe/stripe-records.ts';
import { operationId, organisationId, stripeRefund } from './stripe-objects.ts';

// Red when: a text is kept as it came over the wire: a column would refuse it, and the evidence with it.
test('a text that no database keeps does not cost the evidence it stands in', () => {
  const refund = readRefund(
    stripeRefund({
      status: 'failed',
      failure_reason: 'lost\u0000 or \ud83d stolen',
      metadata: { holdfast_organisation: organisationId, holdfast_operation: operationId, note: '\u0000' },
    }),
  );
  expect(refund).toMatchObject({ reference: 're_1', status: 'failed', operationId });
  const kept = JSON.stringify(refund);
  expect(kept).not.toContain('\\u0000');
  expect(kept).not.toMatch(/\\ud83d/);
});

// Red when: any finite number passes for a moment: no column keeps it, and the delivery is answered as our fault.
test('a moment that no calendar has makes it no record', () => {
  expect(readRefund(stripeRefund({ created: 1e300 }))).toBeUndefined();
  expect(readRefund(stripeRefund({ created: Number.NaN }))).toBeUndefined();
  expect(readRefund(stripeRefund({ created: 253_402_300_799 }))).toBeDefined();
});

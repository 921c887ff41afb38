import fc from 'fast-check';
import { limitActs, limitSpans, refundReasons, roles, type Policy } from '../src/operation.ts';

/** Small figures, so that two policies often meet at the same threshold. */
const amounts = fc.record({ minor: fc.integer({ min: 0, max: 6 }), currency: fc.constantFrom('EUR', 'USD') });
const thresholds = fc.uniqueArray(amounts, { maxLength: 2, selector: ({ currency }) => currency });
export const policies: fc.Arbitrary<Policy> = fc.record({
  version: fc.constant(1),
  approvalsNeeded: fc.integer({ min: 1, max: 3 }),
  moreApprovals: fc.array(fc.record({ above: amounts, approvalsNeeded: fc.integer({ min: 1, max: 4 }) }), {
    maxLength: 3,
  }),
  proposerMayApprove: fc.boolean(),
  signatureRequired: fc.oneof(
    fc.constantFrom<'never' | 'always'>('never', 'always'),
    fc.record({ above: thresholds }),
  ),
  refundWindowMs: fc.integer({ min: 1, max: 3 }),
  proposalExpiresAfterMs: fc.integer({ min: 1, max: 3 }),
  approvalExpiresAfterMs: fc.integer({ min: 1, max: 3 }),
  allowedReasons: fc.option(fc.subarray([...refundReasons], { maxLength: 2 })),
  limits: fc.array(
    fc.record({
      for: fc.constantFrom({ role: 'agent' as const }, { role: 'approver' as const }, { personId: 'ada' }),
      act: fc.constantFrom(...limitActs),
      per: fc.constantFrom(...limitSpans),
      most: amounts,
    }),
    { maxLength: 3 },
  ),
  automaticApproval: fc.option(
    fc.record({ roles: fc.subarray([...roles], { maxLength: 2 }), upTo: thresholds }),
  ),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  approvalsNeededFor,
  approvesAutomatically,
  judgeLimits,
  limitActs,
  loosens,
  policyFields,
  refundReasons,
  signatureRequired,
  type Policy,
} from '../src/operation.ts';
import { policies } from './any-policy.ts';

/** How much a policy lets happen with one proposal, by the decisions themselves: what is larger is laxer. */
const laxity = (
  policy: Policy,
  refund: typeof refunds extends fc.Arbitrary<infer Refund> ? Refund : never,
): readonly number[] => {
  const { amount, role, reason, ageMs, used, act } = refund;
  const use = { act, person: refund.person, role, amount, onPaymentMinor: used, onDayMinor: used };
  return [
    Number(policy.allowedReasons === null || policy.allowedReasons.includes(reason)),
    Number(ageMs <= policy.refundWindowMs),
    Number(ageMs < policy.proposalExpiresAfterMs),
    Number(ageMs < policy.approvalExpiresAfterMs),
    Number(judgeLimits(policy, use).length === 0),
    -approvalsNeededFor(policy, amount),
    Number(!signatureRequired(policy, amount)),
    Number(approvesAutomatically(policy, { role, assistant: false, via: 'session' }, amount)),
    Number(policy.proposerMayApprove),
  ];
};
const refunds = fc.record({
  amount: fc.record({
    minor: fc.integer({ min: 1, max: 8 }),
    currency: fc.constantFrom('EUR', 'USD', 'JPY'),
  }),
  role: fc.constantFrom('agent' as const, 'approver' as const, 'operator' as const),
  person: fc.constantFrom('ada', 'ben'),
  act: fc.constantFrom(...limitActs),
  reason: fc.constantFrom(...refundReasons),
  ageMs: fc.integer({ min: 0, max: 4 }),
  used: fc.integer({ min: 0, max: 6 }),
});

describe('whatever two policies are', () => {
  // Red when: any field's comparison is left out, turned round, or asked at too few amounts.
  it('what one lets happen to any refund and the other stopped is a loosening', () => {
    fc.assert(
      fc.property(
        policies,
        policies,
        fc.array(refunds, { minLength: 1, maxLength: 20 }),
        (before, after, list) => {
          const isLaxer = list.some((refund) => {
            const was = laxity(before, refund);
            return laxity(after, refund).some((now, index) => now > (was[index] ?? 0));
          });
          if (isLaxer) expect(loosens(before, after)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  // Random pairs nearly always loosen something; here one rule alone is another.
  it('holds where they differ in one rule alone', () => {
    const oneRule = fc.tuple(policies, policies, fc.constantFrom(...policyFields));
    fc.assert(
      fc.property(
        oneRule,
        fc.array(refunds, { minLength: 1, maxLength: 20 }),
        ([before, other, field], list) => {
          const after = { ...before, [field]: other[field] };
          const isLaxer = list.some((refund) => {
            const was = laxity(before, refund);
            return laxity(after, refund).some((now, index) => now > (was[index] ?? 0));
          });
          if (isLaxer) expect(loosens(before, after)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

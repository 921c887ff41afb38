import { describe, expect, test } from 'vitest';
import {
  approvalsNeededFor,
  approvalsSuffice,
  approvesAutomatically,
  defaultPolicy,
  judgeLimits,
  lackingIn,
  limitedSpans,
  policyLine,
  signatureRequired,
  whyNobodyCanApprove,
  type Amount,
  type Approver,
  type AutomaticSubject,
  type LimitUse,
  type Policy,
  type WaitingProposal,
} from '../src/operation.ts';

const eur = (minor: number): Amount => ({ minor, currency: 'EUR' });
const usd = (minor: number): Amount => ({ minor, currency: 'USD' });

describe('approvals needed', () => {
  const policy: Policy = {
    ...defaultPolicy,
    moreApprovals: [
      { above: eur(50_000), approvalsNeeded: 2 },
      { above: eur(500_000), approvalsNeeded: 3 },
      { above: usd(60_000), approvalsNeeded: 2 },
    ],
  };

  // Red when: "above" takes the amount itself in, or a currency that nobody named needs fewer than any other.
  test.each([
    [eur(50_000), 1],
    [eur(50_001), 2],
    [eur(500_001), 3],
    [usd(60_000), 1],
    [usd(600_000), 2],
    [{ minor: 1, currency: 'JPY' }, 3],
  ])('of %j are %i', (amount, needed) => {
    expect(approvalsNeededFor(policy, amount)).toBe(needed);
  });

  test('are never fewer than the policy asks for everywhere', () => {
    expect(approvalsNeededFor({ ...policy, approvalsNeeded: 4 }, eur(1_000_000))).toBe(4);
  });

  // Red when: two approvals of one person count as two.
  test('count people, and one by the policy itself is enough', () => {
    expect(approvalsSuffice(policy, eur(50_001), ['ben', 'ben'])).toBe(false);
    expect(approvalsSuffice(policy, eur(50_001), ['ben', 'cleo'])).toBe(true);
    expect(approvalsSuffice(policy, eur(50_001), ['policy'])).toBe(true);
  });

  test('are said in one line with what is missing', () => {
    expect(policyLine(policy, eur(50_001), ['ben'])).toEqual({
      version: 1,
      approvalsNeeded: 2,
      approvalsGiven: 1,
      signatureRequired: false,
      sentence: 'Two approvals are needed above EUR 500.00; one more is missing.',
    });
    expect(policyLine({ ...policy, signatureRequired: 'always' }, eur(1), []).sentence).toBe(
      'One approval is needed. Each has to be signed.',
    );
    expect(policyLine(policy, eur(1), ['policy']).sentence).toBe('The policy approves it by itself.');
  });
});

describe('a signature', () => {
  // Red when: a currency that is not named counts as below, or the threshold itself as above.
  test.each<[Policy['signatureRequired'], Amount, boolean]>([
    ['never', eur(1_000_000), false],
    ['always', eur(1), true],
    [{ above: [eur(100)] }, eur(100), false],
    [{ above: [eur(100)] }, eur(101), true],
    [{ above: [eur(100)] }, usd(1), true],
    [{ above: [] }, eur(1), true],
  ])('by %j of %j: %s', (rule, amount, required) => {
    expect(signatureRequired({ signatureRequired: rule }, amount)).toBe(required);
  });
});

describe('limits', () => {
  const use: LimitUse = {
    act: 'approve',
    person: 'ben',
    role: 'approver',
    amount: eur(100),
    onPaymentMinor: 0,
    onDayMinor: 0,
  };
  const limit = (changes: Partial<Policy['limits'][number]>): Policy['limits'][number] => ({
    for: { role: 'approver' },
    act: 'approve',
    per: 'operation',
    most: eur(100),
    ...changes,
  });
  const reasons = (limits: Policy['limits'], changes: Partial<LimitUse> = {}): readonly string[] =>
    judgeLimits({ limits }, { ...use, ...changes }).map(({ reason }) => reason);

  // Red when: the limit named in the row is not judged, or its edge is off by one.
  test.each<[readonly string[], Policy['limits'], Partial<LimitUse>]>([
    [[], [limit({})], {}],
    [['over-operation-limit'], [limit({})], { amount: eur(101) }],
    [[], [limit({ per: 'payment' })], { amount: eur(60), onPaymentMinor: 40, onDayMinor: 900 }],
    [['over-payment-limit'], [limit({ per: 'payment' })], { amount: eur(60), onPaymentMinor: 41 }],
    [[], [limit({ per: 'day' })], { amount: eur(60), onDayMinor: 40, onPaymentMinor: 900 }],
    [['over-day-limit'], [limit({ per: 'day' })], { amount: eur(60), onDayMinor: 41 }],
    [['currency-without-limit'], [limit({})], { amount: usd(1) }],
    [[], [limit({}), limit({ most: usd(5) })], { amount: usd(5) }],
    // Another act, another role, another person.
    [[], [limit({ act: 'propose' })], { amount: eur(101) }],
    [[], [limit({ for: { role: 'agent' } })], { amount: eur(101) }],
    [[], [limit({ for: { personId: 'cleo' } })], { amount: eur(101) }],
    [['over-operation-limit'], [limit({ for: { personId: 'ben' } })], { amount: eur(101), role: null }],
    // All that are for somebody hold together: more for the person is not more than for the role.
    [
      ['over-operation-limit'],
      [limit({}), limit({ for: { personId: 'ben' }, most: eur(1_000) })],
      { amount: eur(101) },
    ],
    [
      ['currency-without-limit'],
      [limit({}), limit({ for: { personId: 'ben' }, most: usd(1_000) })],
      { amount: eur(100) },
    ],
    [['over-operation-limit', 'over-day-limit'], [limit({}), limit({ per: 'day' })], { amount: eur(101) }],
  ])('say %j', (expected, limits, changes) => {
    expect(reasons(limits, changes)).toEqual(expected);
  });

  test('each say their own sentence, with what is used', () => {
    const limits = [limit({ per: 'day', most: eur(50_000) }), limit({ most: usd(1) })];
    expect(
      judgeLimits({ limits }, { ...use, amount: eur(10_000), onDayMinor: 45_000 }).map(
        ({ sentence }) => sentence,
      ),
    ).toEqual([
      'The limit for approving is EUR 500.00 a day; EUR 450.00 of it is used.',
      'There is a limit for approving a refund and none of it is in EUR, so nothing in EUR can be approved.',
    ]);
  });

  test('name the spans that have to be looked up, and no others', () => {
    const limits = [limit({ per: 'day' }), limit({ per: 'payment', for: { personId: 'cleo' } })];
    expect(limitedSpans({ limits }, { act: 'approve', person: 'ben', role: 'approver' })).toEqual(['day']);
    expect(limitedSpans({ limits }, { act: 'propose', person: 'ben', role: 'approver' })).toEqual([]);
  });

  // Red when: an approval is judged by the policy it was given under.
  test('of today say what an approval of yesterday lacks', () => {
    const given = { kind: 'person', use, signed: false, mayApprove: true } as const;
    expect(lackingIn(defaultPolicy, eur(100), given)).toEqual([]);
    const tighter: Policy = {
      ...defaultPolicy,
      limits: [limit({ most: eur(99) })],
      signatureRequired: 'always',
    };
    expect(lackingIn(tighter, eur(100), given).map(({ reason }) => reason)).toEqual([
      'over-operation-limit',
      'signature-missing',
    ]);
    expect(lackingIn(tighter, eur(100), { ...given, signed: true }).map(({ reason }) => reason)).toEqual([
      'over-operation-limit',
    ]);
  });

  // Red when: `mayApprove` is not looked at.
  test('an approval by somebody who may no longer approve lacks that, whatever the policy', () => {
    const given = { kind: 'person', use, signed: true, mayApprove: false } as const;
    expect(lackingIn(defaultPolicy, eur(100), given)).toEqual([
      {
        reason: 'approver-lost-authority',
        sentence: 'Somebody who approved it may no longer approve refunds.',
      },
    ]);
  });
});

describe('automatic approval', () => {
  const policy: Policy = {
    ...defaultPolicy,
    automaticApproval: { roles: ['agent'], upTo: [eur(2_000)] },
  };
  const agent: AutomaticSubject = { role: 'agent', assistant: false, via: 'session' };

  // Red when: it is on without being asked for, or for anybody or any amount that it does not name.
  test.each<[boolean, Policy, AutomaticSubject, Amount]>([
    [true, policy, agent, eur(2_000)],
    [true, policy, { ...agent, via: 'owned-key' }, eur(2_000)],
    [false, defaultPolicy, agent, eur(1)],
    [false, policy, agent, eur(2_001)],
    [false, policy, agent, usd(1)],
    [false, policy, { ...agent, role: 'admin' }, eur(1)],
    [false, policy, { ...agent, assistant: true }, eur(1)],
    [false, policy, { ...agent, assistant: true, via: 'owned-key' }, eur(1)],
    [false, policy, { ...agent, via: 'ownerless-key' }, eur(1)],
    [false, policy, { ...agent, via: 'system' }, eur(1)],
    [false, { ...policy, signatureRequired: 'always' }, agent, eur(1)],
    [false, { ...policy, moreApprovals: [{ above: eur(10), approvalsNeeded: 2 }] }, agent, eur(11)],
    [true, { ...policy, approvalsNeeded: 2 }, agent, eur(11)],
  ])('%s', (expected, rules, proposer, amount) => {
    expect(approvesAutomatically(rules, proposer, amount)).toBe(expected);
    const lacking = lackingIn(rules, amount, { kind: 'automatic', proposer });
    expect(lacking.map(({ reason }) => reason)).toEqual(expected ? [] : ['not-automatic']);
  });
});

describe('nobody can approve it', () => {
  const proposal: WaitingProposal = { amount: eur(100), proposedPerson: 'ada', approvedBy: [] };
  const ben = { person: 'ben', role: 'approver', signs: false } as const;
  const cleo = { person: 'cleo', role: 'approver', signs: true } as const;
  const two: Policy = { ...defaultPolicy, approvalsNeeded: 2 };
  const limits: Policy['limits'] = [{ for: { personId: 'ben' }, act: 'approve', per: 'day', most: eur(99) }];

  // Red when: the reason in the row is not seen, or somebody who may approve is not.
  test.each<[string | null, Policy, Partial<WaitingProposal>, Approver[]]>([
    [null, defaultPolicy, {}, [ben]],
    ['no-approver', defaultPolicy, {}, []],
    ['nobody-can-sign', { ...defaultPolicy, signatureRequired: 'always' }, {}, [ben]],
    [null, { ...defaultPolicy, signatureRequired: 'always' }, {}, [ben, cleo]],
    ['too-few-approvers', { ...two, signatureRequired: 'always' }, {}, [ben, cleo]],
    ['only-the-proposer', defaultPolicy, { proposedPerson: 'ben' }, [ben]],
    [null, { ...defaultPolicy, proposerMayApprove: true }, { proposedPerson: 'ben' }, [ben]],
    ['too-few-approvers', two, {}, [ben]],
    ['too-few-approvers', two, {}, [ben, ben]],
    ['too-few-approvers', two, { proposedPerson: 'cleo' }, [ben, cleo]],
    [null, two, {}, [ben, cleo]],
    [null, two, { approvedBy: ['dan'] }, [ben]],
    ['limits-too-low', { ...defaultPolicy, limits }, {}, [ben]],
    [null, { ...defaultPolicy, limits }, {}, [ben, cleo]],
    ['limits-too-low', { ...two, limits }, {}, [ben, cleo]],
  ])('%s', (expected, policy, changes, approvers) => {
    expect(whyNobodyCanApprove(policy, { ...proposal, ...changes }, approvers)).toBe(expected);
  });
});

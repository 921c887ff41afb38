import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultPolicy, differencesOf, loosens, policyInWords, type Policy } from '../src/operation.ts';
import { policies } from './any-policy.ts';

const speech = { nameOf: (id: string) => `<${id}>`, decimalMark: '.' } as const;
const hour = 60 * 60 * 1000;
const eur = (minor: number) => ({ minor, currency: 'EUR' });
const usd = (minor: number) => ({ minor, currency: 'USD' });

const change = (before: Partial<Policy>, after: Partial<Policy>) => {
  const [one, other] = [
    { ...defaultPolicy, ...before },
    { ...defaultPolicy, ...after },
  ];
  return {
    loosens: loosens(one, other),
    directions: differencesOf(one, other, speech).map(({ direction }) => direction),
  };
};
const byAgents = (most: { minor: number; currency: string }) =>
  ({ for: { role: 'agent' }, act: 'propose', per: 'day', most }) as const;

describe('which change of a policy is a loosening', () => {
  // Red when: a field's comparison is turned round or left out.
  const looser: readonly (readonly [string, Partial<Policy>, Partial<Policy>])[] = [
    ['fewer approvals', { approvalsNeeded: 2 }, { approvalsNeeded: 1 }],
    [
      'a threshold raised',
      { moreApprovals: [{ above: eur(500), approvalsNeeded: 2 }] },
      { moreApprovals: [{ above: eur(501), approvalsNeeded: 2 }] },
    ],
    [
      'a threshold taken out',
      { moreApprovals: [{ above: eur(500), approvalsNeeded: 2 }] },
      { moreApprovals: [] },
    ],
    [
      'fewer approvals above a threshold',
      { moreApprovals: [{ above: eur(500), approvalsNeeded: 3 }] },
      { moreApprovals: [{ above: eur(500), approvalsNeeded: 2 }] },
    ],
    [
      'a currency named that counted as above everything',
      { moreApprovals: [{ above: eur(500), approvalsNeeded: 2 }] },
      {
        moreApprovals: [
          { above: eur(500), approvalsNeeded: 2 },
          { above: usd(500), approvalsNeeded: 2 },
        ],
      },
    ],
    ['one’s own proposals', { proposerMayApprove: false }, { proposerMayApprove: true }],
    ['no signature any more', { signatureRequired: 'always' }, { signatureRequired: { above: [eur(1)] } }],
    [
      'a signature only above more',
      { signatureRequired: { above: [eur(100)] } },
      { signatureRequired: { above: [eur(200)] } },
    ],
    [
      'a signature in fewer currencies',
      { signatureRequired: { above: [eur(100)] } },
      { signatureRequired: { above: [eur(100), usd(100)] } },
    ],
    ['a longer window', { refundWindowMs: hour }, { refundWindowMs: 2 * hour }],
    ['more time to decide', { proposalExpiresAfterMs: hour }, { proposalExpiresAfterMs: 2 * hour }],
    ['more time to submit', { approvalExpiresAfterMs: hour }, { approvalExpiresAfterMs: 2 * hour }],
    ['another reason', { allowedReasons: ['returned'] }, { allowedReasons: ['returned', 'goodwill'] }],
    ['every reason', { allowedReasons: ['returned'] }, { allowedReasons: null }],
    ['one reason for another', { allowedReasons: ['returned'] }, { allowedReasons: ['goodwill'] }],
    ['a limit raised', { limits: [byAgents(eur(100))] }, { limits: [byAgents(eur(101))] }],
    ['a limit taken out', { limits: [byAgents(eur(100))] }, { limits: [] }],
    [
      'a limit for another role',
      { limits: [byAgents(eur(100))] },
      { limits: [{ ...byAgents(eur(100)), for: { role: 'operator' } }] },
    ],
    [
      'a limit in another currency, too',
      { limits: [byAgents(eur(100))] },
      { limits: [byAgents(eur(100)), byAgents(usd(100))] },
    ],
    [
      'one raised and one lowered',
      { limits: [byAgents(eur(100)), byAgents(usd(100))] },
      { limits: [byAgents(eur(50)), byAgents(usd(150))] },
    ],
    [
      'automatic approval',
      { automaticApproval: null },
      { automaticApproval: { roles: ['agent'], upTo: [eur(100)] } },
    ],
    [
      'automatic approval for more roles',
      { automaticApproval: { roles: ['agent'], upTo: [eur(100)] } },
      { automaticApproval: { roles: ['agent', 'operator'], upTo: [eur(100)] } },
    ],
    [
      'automatic approval in more currencies',
      { automaticApproval: { roles: ['agent'], upTo: [eur(100)] } },
      { automaticApproval: { roles: ['agent'], upTo: [eur(100), usd(1)] } },
    ],
    ['another time zone, which has no order', { timeZone: 'UTC' }, { timeZone: 'Europe/Berlin' }],
  ];
  for (const [name, before, after] of looser) {
    it(`${name} is one`, () => {
      expect(change(before, after).loosens).toBe(true);
      expect(change(before, after).directions).toContain('looser');
    });
  }

  // Red when: every change is called a loosening, so that a tightening waits for nobody's sake.
  it('what only tightens is none, and is said to tighten', () => {
    for (const [name, before, after] of looser) {
      if (['one’s own proposals', 'one reason for another'].includes(name)) continue;
      if (/another time zone|one raised|for another role/.test(name)) continue;
      const back = change(after, before);
      expect(back, name).toEqual({ loosens: false, directions: back.directions.map(() => 'tighter') });
      expect(back.directions.length, name).toBeGreaterThan(0);
    }
  });

  it('what is only written otherwise changes nothing', () => {
    const twice = {
      moreApprovals: [
        { above: eur(500), approvalsNeeded: 2 },
        { above: eur(900), approvalsNeeded: 2 },
      ],
    };
    expect(change({ moreApprovals: [{ above: eur(500), approvalsNeeded: 2 }] }, twice)).toEqual({
      loosens: false,
      directions: ['neither'],
    });
    expect(
      change({ allowedReasons: ['returned', 'other'] }, { allowedReasons: ['other', 'returned'] }).directions,
    ).toEqual(['neither']);
    expect(change({}, {})).toEqual({ loosens: false, directions: [] });
  });

  // Red when: `differInUnknown` is left out.
  it('a rule that this program does not know makes it one', () => {
    const stranger = { ...defaultPolicy, fromLater: true } as Policy;
    expect(loosens(defaultPolicy, stranger)).toBe(true);
    expect(loosens(stranger, defaultPolicy)).toBe(true);
    expect(loosens(stranger, { ...stranger, version: 9 })).toBe(false);
  });
});

describe('differences in words', () => {
  // Red when: a field is judged one way where a second admin is asked for, and shown another.
  it('mark a looser one exactly where the change is a loosening', () => {
    fc.assert(
      fc.property(policies, policies, (before, after) => {
        const said = differencesOf(before, after, speech).some(({ direction }) => direction === 'looser');
        expect(said).toBe(loosens(before, after));
      }),
      { numRuns: 400 },
    );
  });

  it('say what was and what is, with names and amounts', () => {
    const after: Policy = {
      ...defaultPolicy,
      approvalsNeeded: 2,
      refundWindowMs: 36 * hour,
      limits: [{ for: { personId: 'ada' }, act: 'approve', per: 'day', most: eur(123_456) }],
    };
    expect(differencesOf(defaultPolicy, after, speech)).toEqual([
      {
        field: 'approvalsNeeded',
        what: 'Approvals needed',
        before: 'one person',
        after: '2 different people',
        direction: 'tighter',
      },
      {
        field: 'refundWindowMs',
        what: 'Refund window',
        before: '180 days',
        after: '36 hours',
        direction: 'tighter',
      },
      {
        field: 'limits',
        what: 'What <ada> may approve on one day, in EUR',
        before: 'no limit',
        after: 'at most EUR 1,234.56',
        direction: 'tighter',
      },
    ]);
    expect(policyInWords(after, speech)).toContain(
      '<ada> may approve at most EUR 1,234.56 on one day, and nothing in another currency.',
    );
  });

  it('are there for every policy', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        expect(policyInWords(policy, speech).every((sentence) => /^[A-Z<].*\.$/s.test(sentence))).toBe(true);
        expect(differencesOf(policy, policy, speech)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('rules that work together', () => {
  const automatic: Partial<Policy> = {
    automaticApproval: { roles: ['agent'], upTo: [eur(1_000)] },
    moreApprovals: [{ above: eur(100), approvalsNeeded: 2 }],
  };
  // Red when: automatic approval is compared without the rules that stop it.
  it('asking for more approvals is a loosening where the policy itself approves from then on', () => {
    expect(change({ ...automatic, approvalsNeeded: 1 }, { ...automatic, approvalsNeeded: 2 })).toEqual({
      loosens: true,
      directions: ['looser'],
    });
  });

  it('what another rule makes up for is no loosening', () => {
    expect(
      change(
        { approvalsNeeded: 1, moreApprovals: [{ above: eur(500), approvalsNeeded: 2 }] },
        { approvalsNeeded: 2, moreApprovals: [] },
      ),
    ).toEqual({ loosens: false, directions: ['tighter', 'neither'] });
  });
});

import { defaultPolicy, type Policy } from '@holdfast/operation';
import { describe, expect, it } from 'vitest';
import { judgeDelivery, type Delivery } from './judge-delivery.ts';
import {
  countFor,
  planNotices,
  toldKey,
  waysOf,
  type Member,
  type NoticeFacts,
  type Reach,
  type WaitingOperation,
} from './plan-notices.ts';

const operation = (changed: Partial<WaitingOperation> = {}): WaitingOperation => ({
  id: 'a',
  amount: { minor: 1_000, currency: 'EUR' },
  proposedPerson: 'ann',
  approvedBy: [],
  sinceMs: 0,
  nobodySinceMs: null,
  ...changed,
});
const reach = (userId: string, changed: Partial<Reach> = {}): [string, Reach] => [
  userId,
  {
    userId,
    chosen: 'push-else-mail',
    devices: [`${userId}'s`],
    lastPushMs: null,
    lastMailMs: null,
    ...changed,
  },
];
const members: readonly Member[] = [
  { userId: 'ann', role: 'agent' },
  { userId: 'ben', role: 'approver' },
  { userId: 'cleo', role: 'approver' },
  { userId: 'olga', role: 'operator' },
  { userId: 'bo', role: 'admin' },
];
const facts = (changed: Partial<NoticeFacts> = {}): NoticeFacts => ({
  nowMs: 100_000,
  quietMs: 15_000,
  policy: defaultPolicy,
  mail: 'leaves',
  operations: [operation()],
  cases: [],
  cameBack: [],
  endpoints: [],
  bursts: [],
  members,
  reach: new Map(members.map(({ userId }) => reach(userId))),
  told: new Set(),
  ...changed,
});
const told = (changed: Partial<NoticeFacts>): readonly string[] =>
  planNotices(facts(changed)).map(
    ({ userId, kind, tells }) => `${userId} ${kind} ${tells.map(({ operationId }) => operationId).join(',')}`,
  );
const policy = (changed: Partial<Policy>): Policy => ({ ...defaultPolicy, ...changed });
const limit: Policy['limits'][number] = {
  ...{ for: { personId: 'ben' }, act: 'approve', per: 'operation', most: { minor: 999, currency: 'EUR' } },
};

describe('of a case that nobody took in time', () => {
  // Red when: whoever cannot settle it is told, or somebody is told of one case twice.
  it('operators and admins are told, once a case', () => {
    const cases = [{ id: 'c', sinceMs: 99_999 }];
    expect(told({ operations: [], cases })).toEqual(['bo case-untaken c', 'olga case-untaken c']);
    const known = new Set([toldKey('bo', 'case-untaken', 'c', 99_999)]);
    expect(told({ operations: [], cases, told: known })).toEqual(['olga case-untaken c']);
  });
});

describe('of what came back, and of an address that takes nothing', () => {
  // Red when: whoever proposed or approved it does not hear that it did not last, or everybody does.
  it('F055: of a refund that came back whoever proposed and approved it is told, once', () => {
    const cameBack = [{ id: 'r', sinceMs: 99_999, people: ['ann', 'cleo'] }];
    expect(told({ operations: [], cameBack })).toEqual(['ann refund-came-back r', 'cleo refund-came-back r']);
    const known = new Set([toldKey('ann', 'refund-came-back', 'r', 99_999)]);
    expect(told({ operations: [], cameBack, told: known })).toEqual(['cleo refund-came-back r']);
  });

  // Red when: others than admins are told, or nobody is.
  it('admins are told of an address that has taken nothing for a day', () => {
    const endpoints = [{ id: 'e', sinceMs: 99_999 }];
    expect(told({ operations: [], endpoints })).toEqual(['bo endpoint-failing e']);
  });
});

describe('of very many proposals of one at once', () => {
  // Red when: whoever settles nothing is told, or each look at a burst that goes on tells of it anew.
  it('operators and admins are told, once a burst', () => {
    const bursts = [{ id: 'b', sinceMs: 0 }];
    expect(told({ operations: [], bursts })).toEqual([
      'bo proposals-in-a-burst b',
      'olga proposals-in-a-burst b',
    ]);
    const known = new Set([toldKey('bo', 'proposals-in-a-burst', 'b', 0)]);
    expect(told({ operations: [], bursts, told: known })).toEqual(['olga proposals-in-a-burst b']);
  });
});

describe('of a waiting proposal', () => {
  const both = ['ben approvals-wait a', 'cleo approvals-wait a'];
  const everyone = ['ben approvals-wait a', 'bo approvals-wait a', 'cleo approvals-wait a'];
  // Red when: a role that approves nothing, the proposer, or somebody whose approval stands already is told.
  it.each<[string, Partial<NoticeFacts>, readonly string[]]>([
    ['whoever may approve it', {}, everyone],
    ['not its proposer', { operations: [operation({ proposedPerson: 'bo' })] }, both],
    [
      'its proposer too, where the policy lets them approve',
      { operations: [operation({ proposedPerson: 'bo' })], policy: policy({ proposerMayApprove: true }) },
      everyone,
    ],
    ['not who has approved it already', { operations: [operation({ approvedBy: ['bo'] })] }, both],
    [
      'not who is limited to less',
      { policy: policy({ limits: [limit] }) },
      ['bo approvals-wait a', 'cleo approvals-wait a'],
    ],
    ['nobody who has left', { members: members.slice(0, 1) }, []],
    ['nobody in its first seconds', { nowMs: 14_999 }, []],
    ['everybody after them', { nowMs: 15_000 }, everyone],
    ['nobody once it is decided', { operations: [] }, []],
  ])('is told %s', (_whom, changed, expected) => {
    expect(told(changed)).toEqual(expected);
  });

  // Red when: `told` is not looked at, or not by since when it waits.
  it('nobody is told twice, unless it came back', () => {
    const known = (sinceMs: number) => new Set([toldKey('ben', 'approvals-wait', 'a', sinceMs)]);
    expect(told({ told: known(0) })).toEqual(everyone.slice(1));
    expect(told({ told: known(0), operations: [operation({ sinceMs: 50_000 })] })).toEqual(everyone);
  });

  // Red when: each proposal makes a notice of its own.
  it('many are told in one notice', () => {
    const operations = ['c', 'a', 'b'].map((id) => operation({ id }));
    expect(told({ operations, members: members.slice(1, 2) })).toEqual(['ben approvals-wait a,b,c']);
    const ben = { userId: 'ben', role: 'approver' } as const;
    expect(countFor('approvals-wait', ben, { ...facts(), operations })).toBe(3);
  });

  // Red when: a notice leaves though another went to the same person just before, or waits for one of another way.
  it('what comes soon after a notice waits for the next one', () => {
    const ben = (changed: Partial<Reach>) => ({
      members: members.slice(1, 2),
      reach: new Map([reach('ben', changed)]),
    });
    expect(told(ben({ lastPushMs: 40_001 }))).toEqual([]);
    expect(told(ben({ lastPushMs: 40_000 }))).toEqual(['ben approvals-wait a']);
    const now = { nowMs: 1_000_000 };
    expect(told({ ...now, ...ben({ devices: [], lastMailMs: 100_001 }) })).toEqual([]);
    expect(told({ ...now, ...ben({ devices: [], lastMailMs: 100_000, lastPushMs: 999_999 }) })).toHaveLength(
      1,
    );
  });

  // Red when: others than admins are told, or of what somebody can still approve.
  it('admins alone are told that nobody can approve it', () => {
    const operations = [operation({ nobodySinceMs: 1, proposedPerson: 'bo' })];
    expect(told({ operations, members: [...members.slice(0, 1), ...members.slice(3)] })).toEqual([
      'bo nobody-can-approve a',
    ]);
  });
});

describe('where somebody is told', () => {
  // Red when: mail goes to somebody with a browser that shows notices, or to anybody who switched it off.
  it.each([
    ['push-else-mail', ['x', 'y'], 'leaves', 'push', ['x', 'y']],
    ['push-else-mail', [], 'leaves', 'mail', [null]],
    ['push-else-mail', [], 'shown', 'push', []],
    ['push-else-mail', [], 'nowhere', 'push', []],
    ['push', [], 'leaves', 'push', []],
    ['mail', ['x'], 'leaves', 'mail', [null]],
    ['mail', ['x'], 'shown', 'mail', [null]],
    ['mail', ['x'], 'nowhere', 'push', []],
    ['off', ['x'], 'leaves', 'push', []],
  ] as const)('%s with browsers %j and mail that %s: by %s at %j', (chosen, devices, mail, way, places) => {
    expect(waysOf({ chosen, devices }, mail)).toEqual({ way, places });
  });
});

describe('what a push service answered', () => {
  const answered = (status: number, retryAfterMs: number | null = null): Delivery => ({
    ...{ kind: 'answered', status, retryAfterMs },
  });
  // Red when: a browser that is gone is tried again, or one that is only busy is given up.
  it.each([
    [answered(201), 1, { then: 'sent' }],
    [answered(404), 1, { then: 'gone', because: 'gone' }],
    [answered(410), 1, { then: 'gone', because: 'gone' }],
    [answered(403), 1, { then: 'gone', because: 'refused' }],
    [answered(429, 600_000), 1, { then: 'later', afterMs: 600_000 }],
    [answered(429, 10 ** 9), 1, { then: 'later', afterMs: 3_600_000 }],
    [answered(503), 3, { then: 'later', afterMs: 60_000 }],
    [answered(302), 1, { then: 'given-up' }],
    [answered(413), 1, { then: 'given-up' }],
    [{ kind: 'unreachable' } as const, 1, { then: 'later', afterMs: 15_000 }],
    [{ kind: 'unreachable' } as const, 8, { then: 'given-up' }],
  ])('%j at try %i means %j', (delivery, tries, verdict) => {
    expect(judgeDelivery(delivery, tries)).toEqual(verdict);
  });
});

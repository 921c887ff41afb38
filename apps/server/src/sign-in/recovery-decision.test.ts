import { describe, expect, it } from 'vitest';
import type { MemberFacts } from './member-decision.ts';
import {
  judgeAgree,
  judgeStart,
  judgeWithdraw,
  recoveryWaitsForMs,
  type RecoveryFacts,
  type RecoveryScene,
} from './recovery-decision.ts';

const nowMs = 1_800_000_000_000;
const member = (userId: string, role: MemberFacts['role'], isRemoved = false): MemberFacts => ({
  userId,
  role,
  isRemoved,
});
const members = [member('ann', 'admin'), member('ben', 'admin'), member('cy', 'agent')];
const scene = (by: string, changed: Partial<RecoveryScene> = {}): RecoveryScene => ({
  by,
  members,
  isElsewhere: false,
  nowMs,
  ...changed,
});
const waiting = (changed: Partial<RecoveryFacts> = {}): RecoveryFacts => ({
  person: 'cy',
  startedBy: 'ann',
  expiresAtMs: nowMs + recoveryWaitsForMs,
  endedAs: null,
  ...changed,
});

describe('asking for a recovery', () => {
  // Red when: any of these is judged before or instead of another, or not at all.
  it('is for an admin, about somebody else who is here alone, where a third could agree, once at a time', () => {
    expect(judgeStart(scene('ann'), 'cy', undefined)).toBe('go');
    expect(judgeStart(scene('cy'), 'ann', undefined)).toBe('no-admin-any-more');
    expect(judgeStart(scene('nobody'), 'cy', undefined)).toBe('no-admin-any-more');
    expect(judgeStart(scene('ann'), 'nobody', undefined)).toBe('not-found');
    expect(judgeStart(scene('ann'), 'ann', undefined)).toBe('own-sign-in');
    expect(judgeStart(scene('ann', { isElsewhere: true }), 'cy', undefined)).toBe('member-elsewhere');
    expect(judgeStart(scene('ann'), 'ben', undefined)).toBe('nobody-could-agree');
    expect(judgeStart(scene('ann'), 'cy', waiting())).toBe('waits-already');
    expect(judgeStart(scene('ann'), 'cy', waiting({ expiresAtMs: nowMs }))).toBe('go');
    const left = [...members.slice(0, 2), member('cy', 'agent', true)];
    expect(judgeStart(scene('ann', { members: left }), 'cy', undefined)).toBe('not-found');
  });
});

describe('agreeing to one', () => {
  // Red when: the second word is taken from whoever gave the first, or from the person.
  it('is for another admin than the one who asked, and never for the person', () => {
    expect(judgeAgree(scene('ben'), waiting())).toBe('go');
    expect(judgeAgree(scene('ann'), waiting())).toBe('same-admin');
    expect(judgeAgree(scene('ben'), waiting({ person: 'ben' }))).toBe('own-sign-in');
    expect(judgeAgree(scene('cy'), waiting())).toBe('no-admin-any-more');
    expect(judgeAgree(scene('ben'), undefined)).toBe('not-found');
  });

  // Red when: what changed since the first word is not looked at again.
  it('counts only while it waits, in time, while who asked is an admin yet and the person is here alone', () => {
    expect(judgeAgree(scene('ben'), waiting({ expiresAtMs: nowMs }))).toBe('expired');
    for (const endedAs of ['agreed', 'withdrawn', 'expired'] as const) {
      expect(judgeAgree(scene('ben'), waiting({ endedAs }))).toBe(endedAs);
    }
    const demoted = [member('ann', 'agent'), ...members.slice(1)];
    expect(judgeAgree(scene('ben', { members: demoted }), waiting())).toBe('starter-is-no-admin');
    expect(judgeAgree(scene('ben', { members: members.slice(0, 2) }), waiting())).toBe('person-left');
    expect(judgeAgree(scene('ben', { isElsewhere: true }), waiting())).toBe('member-elsewhere');
  });
});

// Red when: withdrawing needs somebody else, or takes back what was agreed.
it('any admin withdraws one that waits, also their own; none takes back what was agreed', () => {
  expect(judgeWithdraw(scene('ann'), waiting())).toBe('go');
  expect(judgeWithdraw(scene('ben'), waiting({ person: 'ben' }))).toBe('go');
  expect(judgeWithdraw(scene('cy'), waiting())).toBe('no-admin-any-more');
  expect(judgeWithdraw(scene('ben'), undefined)).toBe('not-found');
  expect(judgeWithdraw(scene('ben'), waiting({ endedAs: 'agreed' }))).toBe('agreed');
  expect(judgeWithdraw(scene('ben'), waiting({ endedAs: 'withdrawn' }))).toBe('nothing-to-do');
  expect(judgeWithdraw(scene('ben'), waiting({ endedAs: 'expired' }))).toBe('nothing-to-do');
});

import { describe, expect, test } from 'vitest';
import { timelineOf, type AuditType, type StoredAuditEntry } from './timeline.ts';

const names = { nameOf: (id: string) => id, providerName: 'Stripe' };
const entry = (type: AuditType | 'of-a-later-version', over: Partial<StoredAuditEntry> = {}) => ({
  at: new Date('2026-11-29T12:00:00.000Z'),
  type,
  actorId: null,
  state: 'approved' as const,
  version: 1,
  data: {},
  ...over,
});
const told = (...entries: readonly StoredAuditEntry[]): readonly string[] =>
  timelineOf(entries, names).map(({ sentence }) => sentence);

describe('the history for people', () => {
  // Red when: the word of the audit stands in the history in place of a sentence.
  test('says of a wait what it waited for, and claims of the provider no more than is known', () => {
    expect(told(entry('wait', { data: { waitingFor: 'provider' } }), entry('wait'))).toEqual([
      'It waited: Stripe could not be asked, or was not taking requests from us.',
      'It waited.',
    ]);
    expect(told(entry('need-person', { data: { raised: ['outcome-unresolved'] } }))).toEqual([
      'A person is needed: its outcome could not be established in time.',
    ]);
    expect(told(entry('of-a-later-version'))).toEqual([
      'Something that this version has no words for happened (of-a-later-version).',
    ]);
  });

  // Red when: one person's second approval reads like that of another person.
  test('counts one person once, and anew after they took it back', () => {
    const by = (type: AuditType, actorId: string, state: StoredAuditEntry['state'] = 'approved') =>
      entry(type, { actorId, state });
    expect(
      told(
        by('approve', 'Ben'),
        by('approve-partly', 'Ben'),
        by('approve-partly', 'Dan'),
        by('withdraw', 'Dan'),
        by('approve-partly', 'Dan'),
      ),
    ).toEqual([
      'Ben approved it.',
      'Ben approved it again; that counts once.',
      'Dan approved it too; no further approval was needed.',
      'Dan took the approval back.',
      'Dan approved it too; no further approval was needed.',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { cameOfLook, longestWaitMs, shownByLook, type AskedOf } from './came-of-look.ts';

const before: AskedOf = { id: 'one', state: 'outcome_unknown', lastCheckAt: '2026-01-01T03:22:00.000Z' };
const looked: AskedOf = { ...before, lastCheckAt: '2026-01-01T03:25:00.000Z' };

describe('what came of asking the provider', () => {
  // Red when: an operation that was only read again counts as looked at.
  it('is known once the time of its last look has moved on, and not before', () => {
    expect(cameOfLook(before, before, 1_000)).toEqual({ kind: 'waiting' });
    expect(cameOfLook(before, looked, 1_000)).toEqual({ kind: 'looked', at: looked.lastCheckAt });
    expect(cameOfLook({ ...before, lastCheckAt: null }, looked, 1_000).kind).toBe('looked');
  });

  it('is its new state where it stands otherwise now', () => {
    expect(cameOfLook(before, { ...looked, state: 'confirmed' }, 1_000)).toEqual({
      ...{ kind: 'moved', state: 'confirmed' },
    });
  });

  // Red when: the wait has no end, or ends without a word.
  it('is said not to be known when nothing was heard in time', () => {
    expect(cameOfLook(before, before, longestWaitMs)).toEqual({ kind: 'not-heard' });
    expect(cameOfLook(before, null, longestWaitMs - 1)).toEqual({ kind: 'waiting' });
    expect(cameOfLook(before, null, longestWaitMs)).toEqual({ kind: 'not-heard' });
  });

  // Red when: a look that was not answered is told as one that showed nothing.
  it('says that the provider shows nothing only where the look is on record with that', () => {
    const observation = (source: string, kind: string) => ({
      ...{ at: '2026-01-01T03:25:00.000Z', source, kind, summary: '', reference: null },
    });
    const of = (...observations: ReturnType<typeof observation>[]) => shownByLook({ observations });
    expect(of(observation('look-up', 'no-answer'), observation('look-up', 'absent-yet'))).toBe('nothing-yet');
    expect(of(observation('look-up', 'absent-yet'), observation('look-up', 'no-answer'))).toBe('no-answer');
    expect(of(observation('look-up', 'found'), observation('webhook', 'absent-yet'))).toBe('nothing-new');
    expect(shownByLook({})).toBe('nothing-new');
  });
});

import { describe, expect, it } from 'vitest';
import { afterTakeover, conclude, hindranceOf, readUpdateMessage } from './update-agreement.ts';
import type { Hindrance, TabStanding } from './update-agreement.ts';

const free: TabStanding = { hasUnsavedForm: false, isSending: false, isOffline: false };
const answers = (...given: (Hindrance | null)[]) => given.map((hindrance) => ({ hindrance }));

describe('a new version is loaded when every tab agrees', () => {
  // Red when: one of the three does not hinder.
  it.each<[Partial<TabStanding>, Hindrance | null]>([
    [{}, null],
    [{ hasUnsavedForm: true }, 'unsaved-form'],
    [{ isSending: true }, 'sending'],
    [{ isOffline: true }, 'offline'],
    [{ hasUnsavedForm: true, isSending: true, isOffline: true }, 'unsaved-form'],
  ])('%o is hindered by %s', (standing, hindrance) => {
    expect(hindranceOf({ ...free, ...standing })).toBe(hindrance);
  });

  // Red when: a refusal of another tab counts only once the time is up, or not at all.
  it('one tab that cannot is enough, whatever the others say, and at once', () => {
    const asked = { own: null, answers: answers(null, 'unsaved-form', null), isTimeUp: false };
    expect(conclude(asked)).toEqual({ kind: 'not-now', because: 'unsaved-form', elsewhere: true });
    expect(conclude({ ...asked, own: 'offline' })).toMatchObject({ because: 'offline', elsewhere: false });
  });

  // Red when: silence is waited for without an end, or is taken for agreement at once.
  it('a tab that says nothing holds nobody up for ever', () => {
    expect(conclude({ own: null, answers: answers(null), isTimeUp: false })).toEqual({ kind: 'waiting' });
    expect(conclude({ own: null, answers: answers(), isTimeUp: true })).toEqual({ kind: 'agreed' });
  });

  // Red when: a tab loads although a form has something in it, or in the middle of a request.
  it('a tab that was taken over keeps its form, lets its request end, and else loads', () => {
    expect(afterTakeover(free)).toBe('reload');
    expect(afterTakeover({ ...free, isSending: true })).toBe('when-sent');
    expect(afterTakeover({ ...free, hasUnsavedForm: true, isSending: true })).toBe('stay');
    expect(afterTakeover({ ...free, isOffline: true })).toBe('stay');
  });

  // Red when: an unknown hindrance of another version is passed on as an agreement.
  it('what another version says and this one does not know is no answer', () => {
    const answer = { kind: 'answer', round: 'r', tab: 't' };
    expect(readUpdateMessage({ ...answer, hindrance: 'moon' })).toBeNull();
    expect(readUpdateMessage({ ...answer, hindrance: null })).toEqual({ ...answer, hindrance: null });
    expect(readUpdateMessage('SKIP_WAITING')).toBeNull();
  });
});

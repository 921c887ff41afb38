import { expect, test } from 'vitest';
import { deviceEventTypes, deviceStates, deviceTransitionTable, nextOnDevice } from '../src/operation.ts';

test('every device state answers every device event, and says why where nothing moves', () => {
  for (const state of deviceStates) {
    expect(Object.keys(deviceTransitionTable[state]).sort()).toEqual([...deviceEventTypes].sort());
    for (const event of deviceEventTypes) {
      const answer = nextOnDevice(state, event);
      if (answer.answer !== 'moved') expect(answer.because).toMatch(/^[A-Z].*\.$/);
    }
  }
});

// Red when: `sent no-answer` is made a move.
test('only a verdict ends what may have been sent; no answer leaves it sent', () => {
  expect(nextOnDevice('sent', 'no-answer').answer).toBe('ignored');
  expect(nextOnDevice('sent', 'verdict')).toMatchObject({ to: 'acknowledged', cancelFirst: false });
});

// Red when: `cancelFirst` is false in the row of `sent`.
test('what may have been sent is dropped or edited only with its cancellation first, and edited only under a new ID', () => {
  expect(nextOnDevice('sent', 'drop')).toMatchObject({ to: 'dropped', cancelFirst: true, newIntent: false });
  expect(nextOnDevice('sent', 'edit')).toMatchObject({ to: 'dropped', cancelFirst: true, newIntent: true });
  for (const state of ['draft', 'queued'] as const) {
    expect(nextOnDevice(state, 'drop')).toMatchObject({ to: 'dropped', cancelFirst: false });
  }
  expect(nextOnDevice('queued', 'edit')).toMatchObject({ to: 'draft', newIntent: false });
});

// Red when: `draft send-started` is made a move.
test('a draft is never sent', () => {
  expect(nextOnDevice('draft', 'send-started').answer).toBe('refused');
});

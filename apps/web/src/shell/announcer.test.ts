import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Announcer } from './announcer.svelte.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what happens within a moment is said once, together, and nothing twice', () => {
  const announcer = new Announcer(500);
  announcer.say('One refund is confirmed.');
  announcer.say('One refund is confirmed.');
  announcer.say('Two proposals wait.');
  expect(announcer.text).toBe('');
  vi.advanceTimersByTime(500);
  expect(announcer.text).toBe('One refund is confirmed. Two proposals wait.');
  announcer.say('A person is needed.');
  vi.advanceTimersByTime(500);
  expect(announcer.text).toBe('A person is needed.');
});

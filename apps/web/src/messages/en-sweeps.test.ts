import { expect, test } from 'vitest';
import { sweeps } from './en-sweeps.ts';

// Red when: a sweep that has not ended, or broke off, is told with the word of a clean one.
test('only a sweep that was made to the end is said to have found nothing', () => {
  expect(sweeps.found('done', 0)).toBe('Nothing');
  expect(sweeps.found('done', 2)).toBe('2 findings');
  expect(sweeps.found('running', 0)).toBe('Not known yet');
  expect(sweeps.found('waiting', 0)).toBe('Not known yet');
  expect(sweeps.found('running', 1)).toBe('1 finding so far');
  expect(sweeps.found('no-answer', 0)).toBe('Not known');
  expect(sweeps.found('given-up', 3)).toBe('3 findings until then');
});

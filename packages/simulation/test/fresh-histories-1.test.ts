import { expect, test } from 'vitest';
import { liveFresh } from './fresh-histories.ts';

// Red when: a history that nobody has lived before breaks a promise.
test('nothing wrong happens in histories that nobody has lived before this state of the code: part 1 of 2', async () => {
  expect(await liveFresh(1, 2)).toEqual([]);
}, 900_000);

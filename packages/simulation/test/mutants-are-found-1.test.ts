import { expect, test } from 'vitest';
import { livePart } from './found-mutants.ts';

// Red when: a planted mistake is no mistake any more, or no history finds it.
test('every mutant is found: part 1 of 2', async () => {
  const { code, said, found, wanted } = await livePart(1, 2);
  expect(found, said).toEqual(wanted);
  expect(code).toBe(0);
}, 900_000);

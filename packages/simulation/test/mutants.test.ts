import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownSeeds } from '../src/mutants/known-seeds.ts';
import { mutants } from '../src/mutants/mutants.ts';
import { placesOf, plantIn } from '../src/mutants/mutant.ts';

const root = path.resolve(import.meta.dirname, '../../..');

describe('the planted mistakes', () => {
  // Red when: shipped source changes under a mutant, so that nothing would be planted any more.
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    '%s: fits what is shipped',
    async (_, mutant) => {
      for (const place of placesOf(mutant)) {
        const source = await readFile(path.join(root, place.file), 'utf8');
        expect(plantIn(source, mutant.name, place)).not.toBe(source);
      }
    },
  );

  it('have names of their own, at least thirty, ten or more of them in SQL', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThanOrEqual(30);
    expect(mutants.filter(({ sql }) => sql === true).length).toBeGreaterThanOrEqual(10);
  });

  it('have each a seed that is known to find it, and no seed is of another', () => {
    expect(Object.keys(knownSeeds).toSorted()).toEqual(mutants.map(({ name }) => name).toSorted());
  });

  it('whose text is not there once is refused', () => {
    const place = { file: 'x', find: 'abc', put: '' };
    expect(() => plantIn('abc abc', 'none', place)).toThrow('2 times');
    expect(() => plantIn('', 'none', place)).toThrow('0 times');
  });
});

import { decisionMutants } from './decision-mutants.ts';
import { knownSeeds } from './known-seeds.ts';
import type { Mutant } from './mutant.ts';
import { sqlMutants } from './sql-mutants.ts';

/** Every planted mistake; each has to be found. */
export const mutants: readonly Mutant[] = [...decisionMutants, ...sqlMutants].map((mutant) => {
  const seed = knownSeeds[mutant.name];
  return seed === undefined ? mutant : { ...mutant, seed };
});

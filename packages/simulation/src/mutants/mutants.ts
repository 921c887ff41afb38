import { decisionMutants } from './decision-mutants.ts';
import type { Mutant } from './mutant.ts';
import { sqlMutants } from './sql-mutants.ts';

/** Every planted mistake; each has to be found. */
export const mutants: readonly Mutant[] = [...decisionMutants, ...sqlMutants];

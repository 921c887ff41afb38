/** Entry of the engine's decisions and interfaces; what needs PostgreSQL enters through `@holdfast/engine/postgres`. */
export type * from './engine-interface.ts';
export { problemOf, type ProblemExtras } from './intake/problem.ts';

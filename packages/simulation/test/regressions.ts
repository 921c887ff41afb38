import { planOf, type Plan } from '../src/simulation.ts';

/** Histories in which a promise was once broken, by the shipped code or by the simulation's own idea of the world. */
export const regressions: readonly { readonly name: string; readonly plan: Plan }[] = [
  { name: 'a refund that fails before anybody saw that it had succeeded', plan: planOf(66) },
];

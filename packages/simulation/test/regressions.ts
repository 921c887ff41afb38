import { planOf, type Outcome, type Plan } from '../src/simulation.ts';

export type Regression = {
  readonly name: string;
  readonly plan: Plan;
  /**
   * Whether the history still is the one that went wrong. Any change of a statement or a pause makes others of the same
   * seeds: where this says no, another seed has to be found in which it is so.
   */
  readonly isIt: (history: Outcome) => boolean;
};

/** What people had settled was approved, and nothing more became of it. */
const approvedAndLeft = ({ log, reached }: Outcome): boolean =>
  reached.has('resolve-confirmed') &&
  log.some((line, index) => {
    const id = /approves (\w{4})$/.exec(line)?.[1];
    return id !== undefined && !log.slice(index + 1).some((later) => later.includes(id));
  });

/** A worker’s clock went back by a day; what it had in hand until then held for as long. */
const clockPutBack = ({ log }: Outcome): boolean =>
  log.some((line) => /the clock of worker \d+ jumps by -86400 s/.test(line));

/** Histories in which a promise was once broken, by the shipped code or by the simulation's own idea of the world. */
export const regressions: readonly Regression[] = [
  {
    name: 'an approval that stands before a person when its undo window ends',
    plan: planOf(34, 'answers of others'),
    isIt: approvedAndLeft,
  },
  {
    name: 'a worker’s clock that is put back by a day',
    plan: planOf(5, 'clocks that jump'),
    isIt: clockPutBack,
  },
];

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

/** A refund that had succeeded at the provider failed, and as many were found failed here as failed there. */
const failedUnseen = ({ log, reached }: Outcome): boolean => {
  const failed = log.flatMap((line) => /provider: (re_\d+) is failed now$/.exec(line)?.[1] ?? []);
  const hadSucceeded = failed.some((refund) =>
    log.some((line) => line.includes(`${refund} 1000 of pi_1 is succeeded`)),
  );
  return hadSucceeded && (reached.get('evidence-failed') ?? 0) >= failed.length;
};

/** What people had settled was approved, and nothing more became of it. */
const approvedAndLeft = ({ log, reached }: Outcome): boolean =>
  reached.has('resolve-confirmed') &&
  log.some((line, index) => {
    const id = /approves (\w{4})$/.exec(line)?.[1];
    return id !== undefined && !log.slice(index + 1).some((later) => later.includes(id));
  });

/** Histories in which a promise was once broken, by the shipped code or by the simulation's own idea of the world. */
export const regressions: readonly Regression[] = [
  {
    name: 'a refund that fails before anybody saw that it had succeeded',
    plan: planOf(136),
    isIt: failedUnseen,
  },
  {
    name: 'an approval that stands before a person when its undo window ends',
    plan: planOf(1_000_313),
    isIt: approvedAndLeft,
  },
];

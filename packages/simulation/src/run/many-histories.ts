import type { HistoryDatabase } from '../world/history-database.ts';
import { planOf } from '../world/plan.ts';
import type { SwarmName } from '../world/swarms.ts';
import { runHistory, type Outcome } from './run-history.ts';

/** How far a run has come. */
export type Progress = {
  readonly histories: number;
  readonly elapsedMs: number;
  readonly steps: number;
  readonly lastedMs: number;
  readonly operations: number;
  readonly refunds: number;
  /** How often each kind of change was met, over all histories: what no history reaches is not tested. */
  readonly reached: ReadonlyMap<string, number>;
};

export type ManyOptions = {
  readonly from: number;
  /** From one seed to the next: how many processes share the run. */
  readonly by: number;
  /** The swarm that all of them are of; `undefined`: what chance makes of each. */
  readonly swarm?: SwarmName | undefined;
  /** Whether to go on after so many. */
  readonly goesOn: (histories: number, elapsedMs: number) => boolean;
  readonly onProgress: (progress: Progress) => void;
  /** Says whether to go on after a violation. */
  readonly onViolation: (outcome: Outcome) => Promise<boolean>;
  readonly nowMs: () => number;
};

const progressEveryMs = 5_000;

/** One history after the other, from one seed on. Tells its progress now and then, and at the end. */
export const runMany = async (database: HistoryDatabase, options: ManyOptions): Promise<Progress> => {
  const beganMs = options.nowMs();
  const reached = new Map<string, number>();
  const sums = { histories: 0, steps: 0, lastedMs: 0, operations: 0, refunds: 0 };
  const progress = (): Progress => ({ ...sums, reached, elapsedMs: options.nowMs() - beganMs });
  let told = beganMs;
  for (
    let seed = options.from;
    options.goesOn(sums.histories, options.nowMs() - beganMs);
    seed += options.by
  ) {
    const outcome = await runHistory(planOf(seed, options.swarm), database);
    sums.histories += 1;
    sums.steps += outcome.steps;
    sums.lastedMs += outcome.lastedMs;
    sums.operations += outcome.operations;
    sums.refunds += outcome.refunds;
    for (const [what, times] of outcome.reached) reached.set(what, (reached.get(what) ?? 0) + times);
    if (options.nowMs() - told >= progressEveryMs) {
      told = options.nowMs();
      options.onProgress(progress());
    }
    if (outcome.violation !== null && !(await options.onViolation(outcome))) break;
  }
  options.onProgress(progress());
  return progress();
};

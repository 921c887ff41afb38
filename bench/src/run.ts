import type { Cost } from './facts/cost.ts';

/** One measured stretch of work. Times in milliseconds unless said otherwise. */
export type Run = {
  readonly operations: number;
  /** From the first request to the last end. */
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
};

export type MeasuredRun = Run & { readonly cost: Cost };

export const perSecond = ({ operations, seconds }: Pick<Run, 'operations' | 'seconds'>): number =>
  operations / seconds;

const sum = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>(
    (total, value) => (total === null || value === null ? null : total + value),
    0,
  );

/** Several stretches of the same work as one. */
export const together = (runs: readonly MeasuredRun[]): MeasuredRun => ({
  operations: runs.reduce((total, run) => total + run.operations, 0),
  seconds: runs.reduce((total, run) => total + run.seconds, 0),
  latenciesMs: runs.flatMap((run) => run.latenciesMs),
  cost: {
    serverSeconds: sum(runs.map(({ cost }) => cost.serverSeconds)),
    databaseSeconds: sum(runs.map(({ cost }) => cost.databaseSeconds)),
    providerSeconds: sum(runs.map(({ cost }) => cost.providerSeconds)),
    clientSeconds: runs.reduce((total, { cost }) => total + cost.clientSeconds, 0),
    walBytes: runs.reduce((total, { cost }) => total + cost.walBytes, 0),
    writingCommits: runs.reduce((total, { cost }) => total + cost.writingCommits, 0),
  },
});

/**
 * `clients` go round until the time is up, each beginning anew as soon as its last one has ended. What is under way
 * when the time is up is finished and counted.
 * @param once does one whole operation
 */
export const closedLoop = async (
  clients: number,
  durationMs: number,
  once: (client: number) => Promise<void>,
): Promise<Run> => {
  const latenciesMs: number[] = [];
  const begin = performance.now();
  const client = async (_: unknown, place: number): Promise<void> => {
    while (performance.now() - begin < durationMs) {
      const startedAt = performance.now();
      await once(place);
      latenciesMs.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { operations: latenciesMs.length, seconds: (performance.now() - begin) / 1000, latenciesMs };
};

import { fork, type ChildProcess } from 'node:child_process';
import type { Progress } from './many-histories.ts';

/** What one of several processes tells of its share of a run. */
export type Told =
  | { readonly what: 'progress'; readonly progress: Sums }
  | { readonly what: 'violation'; readonly code: number; readonly lines: readonly string[] };

/** A progress as it goes from process to process. */
export type Sums = Omit<Progress, 'reached'> & {
  readonly reached: readonly (readonly [what: string, times: number])[];
};

export const sumsOf = (progress: Progress): Sums => ({ ...progress, reached: [...progress.reached] });

/** Several processes' shares as one run's. */
export const together = (shares: readonly Sums[]): Progress => {
  const sum = (of: (share: Sums) => number): number => shares.reduce((total, share) => total + of(share), 0);
  const reached = new Map<string, number>();
  for (const [what, times] of shares.flatMap((share) => share.reached)) {
    reached.set(what, (reached.get(what) ?? 0) + times);
  }
  return {
    reached,
    histories: sum(({ histories }) => histories),
    elapsedMs: Math.max(0, ...shares.map(({ elapsedMs }) => elapsedMs)),
    steps: sum(({ steps }) => steps),
    lastedMs: sum(({ lastedMs }) => lastedMs),
    operations: sum(({ operations }) => operations),
    refunds: sum(({ refunds }) => refunds),
  };
};

/** The last seed up to which each has been lived, where job k of `shares.length` lives every so many from `from + k` on. */
export const livedThrough = (from: number, shares: readonly Pick<Sums, 'histories'>[]): number =>
  Math.min(...shares.map(({ histories }, job) => from + job + histories * shares.length)) - 1;

export type JobsOptions = {
  /** The arguments of this command, without those that say how many it is. */
  readonly given: readonly string[];
  readonly jobs: number;
  readonly from: number;
  readonly keepsGoing: boolean;
  readonly say: (line: string) => void;
  /** @param through the last seed up to which each has been lived: what is told counts if the run is cut there */
  readonly onProgress: (progress: Progress, through: number) => void;
};

const tellEveryMs = 5_000;
const nothingYet: Sums = {
  ...{ histories: 0, elapsedMs: 0, steps: 0, lastedMs: 0, operations: 0, refunds: 0 },
  reached: [],
};

/**
 * One run in several processes of this very command.
 * @returns what it came to, and the code of the first violation that was told or of a process that broke; 0: none
 */
export const runJobs = async ({
  given,
  jobs,
  from,
  keepsGoing,
  say,
  onProgress,
}: JobsOptions): Promise<{
  readonly progress: Progress;
  readonly through: number;
  readonly code: number;
}> => {
  const shares = Array.from({ length: jobs }, () => nothingYet);
  const children: ChildProcess[] = [];
  let code = 0;
  const stopAll = (): void => {
    for (const child of children) child.kill();
  };
  const ended = shares.map((_, job) => {
    const child = fork(process.argv[1] ?? '', [
      ...given,
      ...['--from', String(from), '--share', `${String(job)}/${String(jobs)}`],
    ]);
    children.push(child);
    child.on('message', (message) => {
      const told = message as Told;
      if (told.what === 'progress') shares[job] = told.progress;
      else {
        for (const line of told.lines) say(line);
        if (code === 0) code = told.code;
        if (!keepsGoing) stopAll();
      }
    });
    return new Promise<void>((resolve) => {
      child.on('close', (exit, signal) => {
        if (code === 0 && (exit ?? 0) !== 0) code = exit ?? 0;
        if (code === 0 && signal !== null) code = 1;
        resolve();
      });
    });
  });
  const telling = setInterval(() => onProgress(together(shares), livedThrough(from, shares)), tellEveryMs);
  await Promise.all(ended).finally(() => clearInterval(telling));
  return { progress: together(shares), through: livedThrough(from, shares), code };
};

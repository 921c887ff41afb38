import type { Cluster, ClusterProcess } from '../../harness/cluster.ts';
import { expect } from '../../harness/failure.ts';
import { until } from '../../harness/program.ts';

/** Starts a worker that is killed at this point, and waits for its death. */
export const workerThatDiesAt = async (cluster: Cluster, point: string): Promise<void> => {
  const doomed = await cluster.startWorker({ crashAt: point });
  expect(await doomed.program.ended, doomed.program.output()).toBe('SIGKILL');
  expect(doomed.program.output()).toContain(`crash point ${point}: SIGKILL`);
};

/** Waits until this process has stopped at the point that it was armed with. */
export const untilFrozenAt = (one: ClusterProcess, point: string): Promise<boolean> =>
  until(
    `a process to freeze ${point}`,
    async () => {
      if (one.program.output().includes(`crash point ${point}: SIGSTOP`)) return true;
      throw new Error(one.program.running() ? 'it goes on' : 'it ended');
    },
    60_000,
  );

/** Starts a worker that freezes at this point, and waits until it has. */
export const workerThatFreezesAt = async (cluster: Cluster, point: string): Promise<ClusterProcess> => {
  const frozen = await cluster.startWorker({ crashAt: `${point}:stop` });
  await untilFrozenAt(frozen, point);
  return frozen;
};

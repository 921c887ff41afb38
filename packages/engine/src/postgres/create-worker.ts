import type { ProviderDirectory, Worker, WorkerSettings } from '../engine-interface.ts';
import { createAccountLimiter, type AccountLimiter } from '../worker/account-limiter.ts';
import { createWorkerOverPorts } from '../worker/worker.ts';
import type { ProcessClock, WorkerLog } from '../worker/worker-ports.ts';
import {
  claimPorts,
  duePorts,
  eventPorts,
  evidencePorts,
  mirrorPorts,
  type StoreContext,
} from './claim-store-ports.ts';
import {
  organisationTransactions,
  type Connection,
  type InOrganisation,
  type ReadClock,
} from './connection.ts';
import { providerOf } from './mirror-store-news.ts';

export type CreateWorkerOptions = {
  readonly connection: Connection;
  readonly providers: ProviderDirectory;
  readonly settings: WorkerSettings;
  /** How this process runs transactions: `createRuntime`'s, so that readers of the feed are woken after commits. */
  readonly inOrganisation?: InOrganisation;
  readonly readClock?: ReadClock;
  readonly log?: WorkerLog;
  /** Time in this process; must be the clock by which the adapters measure their deadlines. */
  readonly clock?: ProcessClock;
  /** Operations and events handled at once; keep it below the connections of the pool. */
  readonly width?: number;
  /** Shown on claims, so that people can see which process holds one. */
  readonly name?: string;
  /** Calls `wake` when something may be due earlier than thought. Returns the unsubscriber. */
  readonly watch?: (wake: () => void) => () => void;
};

const processClock: ProcessClock = {
  nowMs: () => Date.now(),
  pause: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    }),
};

/**
 * The worker: claims what is due, submits it, and looks after what is not settled, until told to stop. Any number of
 * workers may share one database.
 */
export const createWorker = (options: CreateWorkerOptions): Worker => {
  const { connection, providers, settings } = options;
  const clock = options.clock ?? processClock;
  const readClock = options.readClock ?? ((databaseNow: Date) => databaseNow);
  const inOrganisation = options.inOrganisation ?? organisationTransactions(connection, { readClock });
  const context: StoreContext = {
    connection,
    inOrganisation,
    readClock,
    providers,
    settings,
    workerName: options.name ?? 'worker',
  };
  const deadlineIn = (ms: number): number => clock.nowMs() + ms;
  const limiters = new Map<string, AccountLimiter>();
  let stopping = false;
  const worker = createWorkerOverPorts(
    {
      ...duePorts(context),
      ...claimPorts(context),
      ...evidencePorts(context),
      ...eventPorts(context),
      ...mirrorPorts(context),
      providers,
      clock,
      log: options.log ?? (() => undefined),
      stopping: () => stopping,
      watch: options.watch ?? (() => () => undefined),
      deadlineIn,
      limiterOf: (account) => {
        const key = `${providerOf(account)} ${account.accountId}`;
        const limiter = limiters.get(key) ?? createAccountLimiter();
        limiters.set(key, limiter);
        return limiter;
      },
      askAboutPayment: (account, reference) =>
        account.adapter.askAboutPayment(reference, deadlineIn(settings.providerTimeoutMs)),
      askAboutRefund: (account, reference) =>
        account.adapter.askAboutRefund(reference, deadlineIn(settings.providerTimeoutMs)),
    },
    { width: options.width ?? 8, settings },
  );
  return {
    runOnce: worker.runOnce,
    run: async (stop) => {
      stopping = stop.aborted;
      stop.addEventListener('abort', () => {
        stopping = true;
      });
      await worker.run(stop);
    },
  };
};

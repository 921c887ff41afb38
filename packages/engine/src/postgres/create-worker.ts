import type { ProviderAccount, ProviderDirectory, Worker, WorkerSettings } from '../engine-interface.ts';
import { createAccountLimiter, type AccountLimiter, type RequestLimiter } from '../worker/account-limiter.ts';
import { questionsWithinBudget } from '../worker/ask-within-budget.ts';
import { createSendingWindow, type SendingWindow } from '../worker/sending-window.ts';
import { createWorkerOverPorts } from '../worker/worker.ts';
import type { ProcessClock, WorkerLog } from '../worker/worker-ports.ts';
import { changeAccountBudget } from './account-budget-store.ts';
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
import { processClock } from './process-clock.ts';

export type CreateWorkerOptions = {
  readonly connection: Connection;
  readonly providers: ProviderDirectory;
  readonly settings: WorkerSettings;
  /** As `createEngine` has it: whether keys may approve decides whether anybody can. */
  readonly keysMayDecide?: boolean;
  /** How this process runs transactions: `createRuntime`'s, so that readers of the feed are woken after commits. */
  readonly inOrganisation?: InOrganisation;
  readonly readClock?: ReadClock;
  readonly log?: WorkerLog;
  /** Time in this process; must be the clock by which the adapters measure their deadlines. */
  readonly clock?: ProcessClock;
  /**
   * Operations and events handled at once. Most of what they ask of the database they ask together, so it may be more
   * than the pool has connections; it is how many requests one process makes of the providers at once.
   */
  readonly width?: number;
  /** Shown on claims, so that people can see which process holds one. */
  readonly name?: string;
  /** Calls `wake` when something may be due earlier than thought. Returns the unsubscriber. */
  readonly watch?: (wake: () => void) => () => void;
};

const usualWidth = 64;

type LimitsOfAccount = { readonly limiter: AccountLimiter; readonly window: SendingWindow };

/** One limiter an account in this process, over the budget that every process shares, and its own sending window. */
const limitsOver = (
  inOrganisation: InOrganisation,
  clock: ProcessClock,
  log: WorkerLog,
  width: number,
): ((account: ProviderAccount) => LimitsOfAccount) => {
  const limits = new Map<string, LimitsOfAccount>();
  return (account) => {
    const { organisationId, accountId } = account;
    const key = JSON.stringify([organisationId, providerOf(account), accountId]);
    const known = limits.get(key);
    if (known !== undefined) return known;
    const limiter = createAccountLimiter({
      clock,
      change: (kind, decide) =>
        inOrganisation(organisationId, (tx) => changeAccountBudget(tx, account, kind, decide)),
      onTrouble: (error) => {
        log('warn', 'the account could not be slowed down for every process', {
          organisationId,
          error,
        });
      },
    });
    const window = createSendingWindow(width);
    const made = { limiter: { ...limiter, submission: heededBy(window, limiter.submission) }, window };
    limits.set(key, made);
    return made;
  };
};

/** What the provider says of submissions also makes the window larger or small again. */
const heededBy = (window: SendingWindow, limiter: RequestLimiter): RequestLimiter => ({
  ...limiter,
  answered: () => {
    window.answered();
    limiter.answered();
  },
  refused: (refused) => {
    window.refused();
    limiter.refused(refused);
  },
});

/**
 * The worker: claims what is due, submits it, and looks after what is not settled, until told to stop. Any number of
 * workers may share one database.
 */
export const createWorker = (options: CreateWorkerOptions): Worker => {
  const { connection, providers, settings } = options;
  const clock = options.clock ?? processClock;
  const inOrganisation =
    options.inOrganisation ??
    organisationTransactions(
      connection,
      options.readClock === undefined ? {} : { readClock: options.readClock },
    );
  const context: StoreContext = {
    connection,
    inOrganisation,
    ...(options.readClock === undefined ? {} : { readClock: options.readClock }),
    providers,
    settings,
    rules: { keysMayDecide: options.keysMayDecide ?? false },
    workerName: options.name ?? 'worker',
  };
  const deadlineIn = (ms: number): number => clock.nowMs() + ms;
  const log = options.log ?? (() => undefined);
  const width = options.width ?? usualWidth;
  const limitsOf = limitsOver(inOrganisation, clock, log, width);
  const limiterOf = (account: ProviderAccount): AccountLimiter => limitsOf(account).limiter;
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
      log,
      stopping: () => stopping,
      watch: options.watch ?? (() => () => undefined),
      limiterOf,
      windowOf: (account) => limitsOf(account).window,
      ...questionsWithinBudget(limiterOf, deadlineIn, settings.providerTimeoutMs),
    },
    { width, settings },
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

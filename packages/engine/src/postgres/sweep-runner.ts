import { randomUUID } from 'node:crypto';
import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';
import { runSweep, type SweepPorts, type SweepResult } from '../sweep/run-sweep.ts';
import type { SweepProgress, TakenSweep } from '../sweep/sweep-run.ts';
import { applyEvent } from '../webhook/apply-event.ts';
import { createAccountLimiter } from '../worker/account-limiter.ts';
import { askingWithinBudget, questionsWithinBudget } from '../worker/ask-within-budget.ts';
import { pauseBeforeApplyingAgainMs } from '../webhook/apply-event.ts';
import type { ProcessClock } from '../worker/worker-ports.ts';
import { changeAccountBudget } from './account-budget-store.ts';
import { eventPorts, evidencePorts, type StoreContext } from './claim-store-ports.ts';
import type { Connection, InOrganisation } from './connection.ts';
import { isHome } from './mirror-store-position.ts';
import { addObservation } from './observation-store.ts';
import { adjustAttention } from './observation-store-checks.ts';
import { processClock } from './process-clock.ts';
import { storeMissedEvents } from './sweep-event-store.ts';
import { wasFoundBefore } from './sweep-finding-store.ts';
import {
  beginSweep,
  endSweep,
  isSweeping,
  keepProgress,
  releaseSweep,
  takeDueSweep,
  type SweepHolder,
} from './sweep-run-store.ts';
import { knownOfPage, markSeen, notSeen } from './sweep-store.ts';

export type SweepOptions = {
  readonly connection: Connection;
  readonly inOrganisation: InOrganisation;
  readonly settings: WorkerSettings;
  /** Shown on sweeps, so that people can see which process works on one. */
  readonly name?: string;
  readonly stopping?: () => boolean;
  readonly clock?: ProcessClock;
  readonly mintId?: () => string;
};

/** A page asks the provider three times at most, each with its deadline, and waits for it when it wants to be left alone. */
const leaseOf = ({ providerTimeoutMs }: WorkerSettings): number => 4 * providerTimeoutMs + 60_000;

/** What asks the provider, within the budget that every process of the account shares. */
const questionPorts = (
  { inOrganisation, settings, clock = processClock }: SweepOptions,
  account: ProviderAccount,
): Pick<SweepPorts, 'refundPage' | 'eventPage' | 'askAboutRefund'> &
  Pick<ReturnType<typeof questionsWithinBudget>, 'askAboutPayment'> => {
  const limiter = createAccountLimiter({
    clock,
    change: (kind, decide) =>
      inOrganisation(account.organisationId, (tx) => changeAccountBudget(tx, account, kind, decide)),
    // The next refusal tells it again.
    onTrouble: () => undefined,
  });
  const deadlineIn = (ms: number): number => clock.nowMs() + ms;
  const asked = askingWithinBudget(() => limiter);
  const within = questionsWithinBudget(() => limiter, deadlineIn, settings.providerTimeoutMs);
  const deadline = (): number => deadlineIn(settings.providerTimeoutMs);
  return {
    refundPage: (of, sinceMs, after) => asked(of, () => of.adapter.refundPage(sinceMs, after, deadline())),
    eventPage: ({ adapter, ...rest }, sinceMs, after) => {
      const { eventPage } = adapter;
      if (eventPage === undefined) return null;
      return asked({ adapter, ...rest }, () => eventPage(sinceMs, after, deadline()));
    },
    askAboutRefund: within.askAboutRefund,
    askAboutPayment: within.askAboutPayment,
  };
};

const portsOver = (options: SweepOptions, account: ProviderAccount): SweepPorts => {
  const { connection, inOrganisation, settings, clock = processClock } = options;
  const context: StoreContext = {
    connection,
    inOrganisation,
    readClock: (databaseNow) => databaseNow,
    providers: { accountOf: () => account, accounts: () => [account] },
    settings,
    workerName: 'sweep',
  };
  const evidence = evidencePorts(context);
  const events = eventPorts(context);
  const questions = questionPorts(options, account);
  const { organisationId } = account;
  return {
    ...questions,
    pause: clock.pause,
    stopping: options.stopping ?? (() => false),
    absorb: evidence.absorb,
    known: (of, refunds) => inOrganisation(organisationId, (tx) => knownOfPage(tx, of, refunds)),
    markSeen: (of, refunds, atMs) => inOrganisation(organisationId, (tx) => markSeen(tx, of, refunds, atMs)),
    notSeen: (of, window, afterId) =>
      inOrganisation(organisationId, (tx) => notSeen(tx, of, window, afterId)),
    recordAbsence: (_of, operationId, reference) =>
      inOrganisation(organisationId, async (tx) => {
        if (await wasFoundBefore(tx, 'not-at-provider', reference)) return;
        await adjustAttention(tx, operationId, { raises: ['conflicting-evidence'], clears: [] });
        await addObservation(tx, { operationId, source: 'look-up', finding: { kind: 'absent-yet' } });
      }),
    keep: (_of, taken, findings, progress) =>
      inOrganisation(organisationId, (tx) => keepProgress(tx, taken, leaseOf(settings), findings, progress)),
    storeMissed: (of, missed) => inOrganisation(organisationId, (tx) => storeMissedEvents(tx, of, missed)),
    applyMissed: async (of, stored) => {
      const result = await applyEvent({ ...evidence, ...events, ...questions }, of, stored);
      if (result.kind === 'applied') await events.finishEvent(stored, result);
      else await events.postponeEvent(stored, result.because, pauseBeforeApplyingAgainMs(stored.failures));
      return result;
    },
  };
};

export type Sweeper = {
  /** Carries out the account's next sweep, where one is due and nobody works on it. `null`: none is. */
  readonly runDue: (account: ProviderAccount, everyMs: number | null) => Promise<SweepResult | null>;
  /**
   * Carries out one of one's own. `busy`: another process works on one. `nothing-to-resume`: none was cut off.
   * @param tell called after each page
   */
  readonly run: (
    account: ProviderAccount,
    asked: { readonly askedBy: string; readonly sinceAgoMs: number; readonly resume?: boolean },
    tell?: (progress: SweepProgress) => void,
  ) => Promise<
    | { readonly kind: 'busy' }
    | { readonly kind: 'nothing-to-resume' }
    | { readonly kind: 'ran'; readonly id: string; readonly resumed: boolean; readonly result: SweepResult }
  >;
  /** Whether some process works on a sweep of the account now. */
  readonly isBusy: (account: ProviderAccount) => Promise<boolean>;
};

/** Sweeps accounts' ledgers. What a sweep found, its figures and its evidence are in the database as it goes. */
export const createSweeper = (options: SweepOptions): Sweeper => {
  const { inOrganisation, settings, mintId = randomUUID } = options;
  const holder: SweepHolder = {
    worker: options.name ?? String(process.pid),
    leaseMs: leaseOf(settings),
  };

  const carryOut = async (
    account: ProviderAccount,
    taken: TakenSweep,
    tell?: (progress: SweepProgress) => void,
  ): Promise<SweepResult> => {
    const inIts = <Answer>(work: Parameters<typeof inOrganisation<Answer>>[1]) =>
      inOrganisation(account.organisationId, work);
    try {
      if (!(await inIts((tx) => isHome(tx, account)))) {
        await inIts((tx) => endSweep(tx, account, taken, { state: 'not-home' }));
        return { kind: 'not-home' };
      }
      const result = await runSweep(portsOver(options, account), account, taken, tell);
      if (result.kind === 'swept') await inIts((tx) => endSweep(tx, account, taken, { state: 'done' }));
      if (result.kind === 'no-answer') {
        const { because, ourKeyRefused: keyRefused } = result;
        await inIts((tx) => endSweep(tx, account, taken, { state: 'no-answer', because, keyRefused }));
      }
      if (result.kind === 'stopped') await inIts((tx) => releaseSweep(tx, taken));
      return result;
    } catch (error) {
      // Whoever looks next goes on with it; should the database be away, its lease ends by itself.
      await inIts((tx) => releaseSweep(tx, taken)).catch(() => undefined);
      throw error;
    }
  };

  return {
    runDue: async (account, everyMs) => {
      const taken = await inOrganisation(account.organisationId, (tx) =>
        takeDueSweep(tx, account, holder, { id: mintId(), everyMs }),
      );
      return taken === null ? null : carryOut(account, taken);
    },
    run: async (account, { askedBy, sinceAgoMs, resume = false }, tell) => {
      const begun = await inOrganisation(account.organisationId, (tx) =>
        beginSweep(tx, account, holder, { id: mintId(), askedBy, sinceAgoMs }, resume),
      );
      if ('busy' in begun) return { kind: 'busy' };
      if ('nothingToResume' in begun) return { kind: 'nothing-to-resume' };
      const result = await carryOut(account, begun, tell);
      return { kind: 'ran', id: begun.id, resumed: begun.resumed, result };
    },
    isBusy: (account) => inOrganisation(account.organisationId, (tx) => isSweeping(tx, account)),
  };
};

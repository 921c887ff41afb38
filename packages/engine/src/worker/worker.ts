import type {
  ProviderDirectory,
  StopSignal,
  TickReport,
  Worker,
  WorkerSettings,
} from '../engine-interface.ts';
import { readAccount, type ReadAccountPorts } from '../mirror/read-account.ts';
import { createDispatcher, mostOfOneCrowd, type Dispatcher } from './dispatcher.ts';
import { crowdOf, organisationOf, type DueItem, type DueOrganisation } from './due-work.ts';
import { inTurn, shareOfRoom } from './fair-shares.ts';
import { handleBroken, handleDue, type HandleDuePorts, type Tally } from './handle-due.ts';
import type { ProcessClock, WorkerLog } from './worker-ports.ts';

export type WorkerPorts = HandleDuePorts &
  ReadAccountPorts & {
    readonly providers: ProviderDirectory;
    readonly clock: ProcessClock;
    readonly log: WorkerLog;
    /** Organisations with work, and the database's time at which they were looked for. */
    readonly dueOrganisations: () => Promise<{
      readonly nowMs: number;
      readonly organisations: readonly DueOrganisation[];
    }>;
    /** Takes up to `limit` due items of one organisation for `turnMs`. */
    readonly takeDue: (organisationId: string, limit: number, turnMs: number) => Promise<readonly DueItem[]>;
    /** Calls `wake` when something may be due earlier than thought. Returns the unsubscriber. */
    readonly watch: (wake: () => void) => () => void;
  };

export type WorkerShape = {
  /** Operations and events handled at once. */
  readonly width: number;
  readonly settings: WorkerSettings;
};

/** The longest pause between two looks for work: what no notification announced is found this late. */
const pollMs = 500;
const shortestPauseMs = 20;
/** Every commit that people can see wakes the worker, its own as well: what they announce together is looked for once. */
const betweenLooksMs = 10;
/** Of the width: with less room than this nothing is looked for. */
const leastRoom = 1 / 4;
const betweenReadingsMs = 200;
/** A pass of `runOnce` takes this many at a time, and at most this many times for one organisation. */
const batch = 200;
const batchesOfOnePass = 50;

/** How long a taken item is left to this worker: a question, a request and their records, with room. */
const turnMs = ({ providerTimeoutMs }: WorkerSettings): number => 2 * providerTimeoutMs + 10_000;

export const createWorkerOverPorts = (ports: WorkerPorts, { width, settings }: WorkerShape): Worker => {
  const newTally = (): Tally => ({ claimed: 0, submitted: 0, checked: 0, expired: 0 });

  const readAccounts = async (): Promise<void> => {
    await Promise.all(
      ports.providers.accounts().map(async (account) => {
        try {
          await readAccount(ports, account, settings.providerTimeoutMs);
        } catch (error) {
          ports.log('warn', 'the mirror could not be read', {
            organisationId: account.organisationId,
            error,
          });
        }
      }),
    );
  };

  const runOnce = async (): Promise<TickReport> => {
    const tally = newTally();
    await readAccounts();
    const dispatcher = createDispatcher<DueItem>(
      width,
      (item) => handleDue(ports, item, settings, tally),
      (item, error) => handleBroken(ports, item, error),
    );
    const { organisations } = await ports.dueOrganisations();
    for (const { organisationId, due } of organisations) {
      if (due === 0) continue;
      for (let taken = 0; taken < batchesOfOnePass; taken += 1) {
        const items = await ports.takeDue(organisationId, batch, turnMs(settings));
        dispatcher.offer(items);
        if (items.length < batch) break;
      }
    }
    await dispatcher.idle();
    const after = await ports.dueOrganisations();
    return { ...tally, nextWakeMs: nextWakeMs(after) };
  };

  const run = async (stop: StopSignal): Promise<void> => {
    const driver = createDriver(ports, width, settings, newTally(), stop);
    const unwatch = ports.watch(driver.wake);
    try {
      while (!stop.aborted) await driver.pass(readAccounts);
    } finally {
      unwatch();
    }
    await driver.idle();
  };

  return { runOnce, run };
};

const nextWakeMs = (found: { nowMs: number; organisations: readonly DueOrganisation[] }): number | null => {
  let earliestMs: number | null = null;
  for (const { nextWakeAtMs } of found.organisations) {
    if (nextWakeAtMs !== null) earliestMs = Math.min(earliestMs ?? nextWakeAtMs, nextWakeAtMs);
  }
  return earliestMs === null ? null : Math.max(0, earliestMs - found.nowMs);
};

type Driver = {
  readonly pass: (readAccounts: () => Promise<void>) => Promise<void>;
  readonly wake: () => void;
  readonly idle: () => Promise<void>;
};

/** What is looked for and taken at each pass of the driver. */
const takeWhatFits = async (
  ports: WorkerPorts,
  dispatcher: Dispatcher<DueItem>,
  width: number,
  settings: WorkerSettings,
  stop: StopSignal,
  turn: number,
): Promise<number> => {
  // A look for each place that becomes free would cost more than the work.
  if (width * 2 - dispatcher.underWay() < Math.ceil(width * leastRoom)) return pollMs;
  const found = await ports.dueOrganisations();
  let tookSome = false;
  const waiting = inTurn(
    found.organisations.filter(({ due }) => due > 0),
    turn,
  );
  for (const [index, { organisationId }] of waiting.entries()) {
    const room = width * 2 - dispatcher.underWay();
    const ofIts = dispatcher.underWay((item) => organisationOf(item) === organisationId);
    const share = Math.min(shareOfRoom(room, waiting.length - index), mostOfOneCrowd(width * 2) - ofIts);
    if (room <= 0 || stop.aborted) break;
    if (share <= 0) continue;
    const items = await ports.takeDue(organisationId, share, turnMs(settings));
    tookSome ||= items.length > 0;
    dispatcher.offer(items);
  }
  // With no room the end of what is under way wakes the driver; what is left alone on purpose waits for the poll.
  if (dispatcher.underWay() >= width * 2) return pollMs;
  if (tookSome) return shortestPauseMs;
  const nextMs = nextWakeMs(found);
  return nextMs === null || nextMs === 0 ? pollMs : Math.min(nextMs, pollMs);
};

const giveBack = async (ports: WorkerPorts, item: DueItem): Promise<void> => {
  if (item.kind !== 'operation') return;
  try {
    await ports.pushWake(item.organisationId, item.operationId, 0);
  } catch (error) {
    ports.log('warn', 'taken work could not be given back; its turn ends by itself', {
      error,
    });
  }
};

/** Looks for work whenever there is room for it, and pauses otherwise. Trouble with the database only makes it pause. */
const createDriver = (
  ports: WorkerPorts,
  width: number,
  settings: WorkerSettings,
  tally: Tally,
  stop: StopSignal,
): Driver => {
  let wakeUp: () => void = () => undefined;
  let woken = false;
  const wake = (): void => {
    woken = true;
    wakeUp();
  };
  stop.addEventListener('abort', wake);
  const dispatcher = createDispatcher<DueItem>(
    width,
    (item) => handleDue(ports, item, settings, tally),
    (item, error) => handleBroken(ports, item, error),
    // Looking for more at each end would cost more than the work; the queue behind those handled bridges the gap.
    () => {
      if (dispatcher.underWay() <= width) wake();
    },
    crowdOf,
  );
  let reading: Promise<void> | null = null;
  let turn = 0;
  let readAgainMs = 0;

  const pass = async (readAccounts: () => Promise<void>): Promise<void> => {
    woken = false;
    // Whose turn it is to list is asked of the database, which under load is not to be asked at every pass.
    const nowMs = ports.clock.nowMs();
    // A clock that was put back meanwhile must not keep it unread for as long as it jumped.
    const isTime = nowMs >= readAgainMs || nowMs < readAgainMs - betweenReadingsMs;
    if (reading === null && isTime) {
      readAgainMs = nowMs + betweenReadingsMs;
      reading = readAccounts().finally(() => {
        reading = null;
      });
    }
    let pauseMs = pollMs;
    try {
      pauseMs = await takeWhatFits(ports, dispatcher, width, settings, stop, turn++);
    } catch (error) {
      ports.log('warn', 'looking for due work failed; it is tried again', { error });
    }
    if (woken || stop.aborted) return ports.clock.pause(betweenLooksMs);
    await Promise.race([
      ports.clock.pause(Math.max(shortestPauseMs, pauseMs)),
      new Promise<void>((resolve) => {
        wakeUp = resolve;
      }),
    ]);
  };

  return {
    pass,
    wake,
    idle: async () => {
      // What is not begun is due again at once, for whoever comes next.
      for (const item of dispatcher.takeBack()) await giveBack(ports, item);
      await dispatcher.idle();
      await reading;
    },
  };
};

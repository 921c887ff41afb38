import type { Engine, ProviderAccount, ProviderDirectory, WorkerSettings } from '@holdfast/engine';
import { createEngine, createWorker, type Runtime } from '@holdfast/engine/postgres';
import { connectionOver, organisationTransactions } from '@holdfast/engine/postgres/parts';
import type { PretendProvider } from '../provider/pretend-provider.ts';
import { connectionClosed, type DatabaseGate } from '../postgres/pretend-driver.ts';
import type { Chance } from './chance.ts';
import { organisationId } from './database.ts';
import type { HistoryDatabase } from './history-database.ts';
import { createMortal, type Mortal, type Scheduler } from './scheduler.ts';

/** What may happen between a process and its database; changed as a history goes on. */
export type DatabaseTroubles = {
  away: boolean;
  /** Of transactions: how many cannot begin, break within, or commit without anybody hearing of it. */
  refused: number;
  broken: number;
  unheard: number;
  /** Of steps: how many are a process's last, and at how many it stands still for a while. */
  deaths: number;
  freezes: number;
  /** Of claims: after how many their process stands still. */
  claimFreezes: number;
};

export const noDatabaseTroubles = (): DatabaseTroubles => ({
  ...{ away: false, refused: 0, broken: 0, unheard: 0, deaths: 0, freezes: 0, claimFreezes: 0 },
});

/** What processes live in. */
export type Grounds = {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly database: HistoryDatabase;
  readonly provider: PretendProvider;
  readonly troubles: DatabaseTroubles;
  readonly settings: WorkerSettings;
  readonly trace: (line: string) => void;
  readonly onTrouble: (error: unknown) => void;
  /** A commit wrote into the feed. */
  readonly feedWritten: () => void;
};

/** Within a lease, and past all of it. */
const [shortFreezeMs, longestFreezeMs] = [7_000, 45_000];

type Span = readonly [leastMs: number, mostMs: number];
/** Of a claim's lease of eight seconds: long enough for a hold to be told meanwhile, and past its end. */
const withinLeaseMs: Span = [3_500, 6_500];
const pastLeaseMs: Span = [9_000, 30_000];

const never = (): Promise<never> => new Promise<never>(() => undefined);

export const kill = (grounds: Grounds, mortal: Mortal, where: string): void => {
  if (!mortal.alive) return;
  mortal.alive = false;
  for (const act of mortal.atDeath) act();
  grounds.trace(`${mortal.name} dies ${where}`);
};

/** Each talk with the database is a place where time passes, and where the process or the connection may end. */
const gateOf = (grounds: Grounds, mortal: Mortal): DatabaseGate => {
  const { scheduler, troubles } = grounds;
  const chance = grounds.chance.fork(mortal.name);
  const standsStill = async ([leastMs, mostMs]: Span, where: string): Promise<void> => {
    const forMs = chance.between(leastMs, mostMs);
    grounds.trace(`${mortal.name} stands still for ${String(forMs)} ms ${where}`);
    mortal.frozenUntilMs = scheduler.nowMs() + forMs;
    await scheduler.pause(1, mortal);
  };
  const stepsOn = async (where: string, freezes: number): Promise<void> => {
    if (chance.happens(freezes)) {
      await standsStill([500, chance.happens(0.5) ? longestFreezeMs : shortFreezeMs], where);
    }
    if (!chance.happens(troubles.deaths)) return;
    kill(grounds, mortal, where);
    await never();
  };
  return {
    begin: async () => {
      await scheduler.pause(chance.below(4), mortal);
      await stepsOn('before a transaction', troubles.freezes);
      if (troubles.away || chance.happens(troubles.refused)) throw connectionClosed();
    },
    between: () => (chance.happens(0.2) ? scheduler.pause(chance.below(30), mortal) : Promise.resolve()),
    statement: () => {
      if (!mortal.alive) return 'dies';
      if (chance.happens(troubles.deaths / 8)) {
        kill(grounds, mortal, 'within a transaction');
        return 'dies';
      }
      return chance.happens(troubles.broken / 8) ? 'breaks' : 'go';
    },
    committed: async ({ anything, insertedInto }) => {
      // What was only read is seen by nobody: the next statement's time is time enough.
      if (anything) await scheduler.pause(chance.below(4), mortal);
      // An attempt has its row before its request leaves.
      if (insertedInto.has('attempts') && chance.happens(troubles.claimFreezes)) {
        await standsStill(chance.happens(0.5) ? withinLeaseMs : pastLeaseMs, 'after its claim');
      }
      // What is committed and not yet acted on is where standing still tells most.
      await stepsOn('after a commit', 3 * troubles.freezes);
      if (chance.happens(troubles.unheard)) throw connectionClosed();
    },
  };
};

type ProcessParts = {
  readonly runtime: Runtime;
  readonly providers: ProviderDirectory;
  readonly clockOf: () => number;
  /** Where the database's own clock is not the history's: what is read in its place. */
  readonly ownClock: { readonly readClock?: () => Date };
};

const partsOf = (grounds: Grounds, mortal: Mortal, skewMs: number): ProcessParts => {
  const { scheduler, provider } = grounds;
  mortal.skewMs = skewMs;
  const clockOf = (): number => scheduler.nowMs() + mortal.skewMs;
  const ownClock = grounds.database.quiet === null ? {} : { readClock: () => new Date(scheduler.nowMs()) };
  const driver = grounds.database.driverFor(gateOf(grounds, mortal), mortal);
  const connection = connectionOver(driver, { url: 'pretend' });
  const inOrganisation = organisationTransactions(connection, {
    ...ownClock,
    onFeedWritten: grounds.feedWritten,
  });
  // One clock for whatever database it is; a real one has another of its own.
  const nobody = (): (() => void) => () => undefined;
  const wakes = {
    written: grounds.feedWritten,
    watch: nobody,
    watchWork: nobody,
    close: () => Promise.resolve(),
  };
  const account: ProviderAccount = {
    ...{ organisationId, accountId: 'acct_pretend', liveMode: false, fake: true },
    adapter: provider.adapterFor(mortal, clockOf),
    webhookSecrets: ['whsec'],
  };
  return {
    runtime: { connection, inOrganisation, wakes, close: () => Promise.resolve() },
    providers: {
      accountOf: (id) => (id === organisationId ? account : undefined),
      accounts: () => [account],
    },
    clockOf,
    ownClock,
  };
};

export type ServerProcess = { readonly mortal: Mortal; readonly engine: Engine };

export const startServer = (grounds: Grounds, name: string, skewMs: number): ServerProcess => {
  const mortal = createMortal(name);
  const { runtime, providers, clockOf } = partsOf(grounds, mortal, skewMs);
  let minted = 0;
  const engine = createEngine({
    ...{ runtime, providers, keysMayDecide: false },
    undoMs: grounds.settings.undoMs,
    providerTimeoutMs: grounds.settings.providerTimeoutMs,
    nowMs: clockOf,
    mintId: () => `generation ${String(grounds.scheduler.nowMs())} ${String((minted += 1))} ${name}`,
  });
  return { mortal, engine };
};

export type WorkerProcess = { readonly mortal: Mortal; readonly wake: () => void };

export const startWorker = (grounds: Grounds, name: string, skewMs: number): WorkerProcess => {
  const mortal = createMortal(name);
  const { scheduler, chance, settings } = grounds;
  const { runtime, providers, clockOf, ownClock } = partsOf(grounds, mortal, skewMs);
  const wakes = new Set<() => void>();
  const worker = createWorker({
    connection: runtime.connection,
    inOrganisation: runtime.inOrganisation,
    ...{ providers, settings, name, ...ownClock },
    width: 8,
    clock: {
      nowMs: clockOf,
      // Nobody promises that a pause is over in time.
      pause: (ms) => scheduler.pause(ms + chance.below(Math.min(4_000, 1 + 6 * ms)), mortal),
    },
    watch: (wake) => {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
    log: (level, message, about) => {
      const error = about['error'];
      grounds.trace(`${name}: ${level} ${message}${error === undefined ? '' : `: ${String(error)}`}`);
    },
  });
  const stop = { aborted: false, addEventListener: () => undefined };
  worker.run(stop).catch(grounds.onTrouble);
  return {
    mortal,
    wake: () => {
      if (!mortal.alive) return;
      scheduler.later(chance.below(30), mortal, () => {
        for (const wake of wakes) wake();
      });
    },
  };
};

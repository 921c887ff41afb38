import type { Engine, ProviderDirectory, Worker, WorkerSettings } from '@holdfast/engine';
import {
  connect,
  createEngine,
  createRuntime,
  createWorker,
  organisationsWithAnnouncements,
  organisationsWithNotices,
  passkeysIn,
  type Passkeys,
  type InOrganisation,
} from '@holdfast/engine/postgres';
import { assertionVerifier } from '../sign-in/verify-assertion.ts';
import type { Settings } from '../settings/settings.ts';
import { loggableFields, type Logger } from './log.ts';

export type MadeEngine = {
  readonly engine: Engine;
  readonly worker: Worker;
  readonly inOrganisation: InOrganisation;
  readonly passkeys: Passkeys;
  readonly organisationsWithNotices: () => Promise<readonly string[]>;
  readonly organisationsWithAnnouncements: () => Promise<readonly string[]>;
  /** Resolves once nothing of it holds a connection any more. Stop the worker first. */
  readonly close: () => Promise<void>;
};

/** A request must have ended, and its answer been written down, well before the claim counts as lost. */
const shareOfLease = 0.8;

export const workerSettings = (settings: Settings): WorkerSettings => ({
  providerTimeoutMs: Math.min(settings.providerTimeoutMs, Math.floor(settings.leaseMs * shareOfLease)),
  leaseMs: settings.leaseMs,
  checkBackoffMs: settings.checkBackoffMs,
  needsPersonAfterMs: settings.needsPersonAfterMs,
  undoMs: settings.undoMs,
});

/** A statement waits for others' locks inside its own time. Whoever asked has been told to come back well before it ends. */
const timeLimits = { connectMs: 5_000, lockMs: 10_000, statementMs: 30_000 };

/** A process that is frozen keeps nobody from an operation for longer than its claim would. */
const longestTransactionMs = ({ leaseMs }: Settings): number => Math.min(30_000, Math.max(5_000, leaseMs));

/**
 * The engine and its worker over one pool.
 * @param connections size of the pool; the worker's width stays well below it, so that people are always served
 */
export const makeEngine = (
  url: string,
  settings: Settings,
  providers: ProviderDirectory,
  connections: number,
  log?: Logger,
): MadeEngine => {
  const connection = connect({
    url,
    maximum: connections,
    timeLimits,
    longestTransactionMs: longestTransactionMs(settings),
  });
  const runtime = createRuntime(connection);
  const forWorker = workerSettings(settings);
  return {
    engine: createEngine({
      runtime,
      providers,
      keysMayDecide: settings.keyApprovals,
      verifyAssertion: assertionVerifier({
        publicOrigin: settings.publicOrigin,
        findPasskey: passkeysIn(connection.db).byCredentialId,
        nowMs: Date.now,
      }),
      undoMs: settings.undoMs,
      providerTimeoutMs: forWorker.providerTimeoutMs,
    }),
    worker: createWorker({
      keysMayDecide: settings.keyApprovals,
      connection,
      inOrganisation: runtime.inOrganisation,
      providers,
      settings: forWorker,
      width: Math.max(1, Math.floor(connections / 2)),
      name: `${process.pid}`,
      watch: (wake) => runtime.wakes.watchWork(wake),
      ...(log === undefined
        ? {}
        : {
            log: (level, message, about) => {
              log[level](loggableFields(about), message);
            },
          }),
    }),
    inOrganisation: runtime.inOrganisation,
    organisationsWithNotices: () => organisationsWithNotices(connection),
    organisationsWithAnnouncements: () => organisationsWithAnnouncements(connection),
    passkeys: passkeysIn(connection.db),
    close: async () => {
      await runtime.close();
      await connection.close();
    },
  };
};

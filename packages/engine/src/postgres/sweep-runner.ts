import type { ProviderAccount, WorkerSettings } from '../engine-interface.ts';
import { runSweep, type SweepPorts, type SweepResult } from '../sweep/run-sweep.ts';
import type { SweepFinding } from '../sweep/sweep-finding.ts';
import { evidencePorts } from './claim-store-ports.ts';
import type { Connection, InOrganisation } from './connection.ts';
import { isHome } from './mirror-store-position.ts';
import { addObservation } from './observation-store.ts';
import { adjustAttention } from './observation-store-checks.ts';
import { finishSweep, knownOfPage, markSeen, notSeen } from './sweep-store.ts';

export type SweepOptions = {
  readonly connection: Connection;
  readonly inOrganisation: InOrganisation;
  readonly settings: WorkerSettings;
};

const portsOver = ({ connection, inOrganisation, settings }: SweepOptions): SweepPorts => {
  const { absorb } = evidencePorts({
    connection,
    inOrganisation,
    readClock: (databaseNow) => databaseNow,
    providers: { accountOf: () => undefined, accounts: () => [] },
    settings,
    workerName: 'sweep',
  });
  return {
    begin: (account) =>
      inOrganisation(account.organisationId, async (tx) => ({
        nowMs: tx.now.getTime(),
        isHome: await isHome(tx, account),
      })),
    deadline: () => Date.now() + settings.providerTimeoutMs,
    pause: (ms) =>
      new Promise((resolve) => {
        setTimeout(resolve, ms);
      }),
    absorb,
    known: (account, refunds) =>
      inOrganisation(account.organisationId, (tx) => knownOfPage(tx, account, refunds)),
    markSeen: (account, references, atMs) =>
      inOrganisation(account.organisationId, (tx) => markSeen(tx, account, references, atMs)),
    notSeen: (account, window, afterId) =>
      inOrganisation(account.organisationId, (tx) => notSeen(tx, account, window, afterId)),
    recordAbsence: (account, operationId) =>
      inOrganisation(account.organisationId, async (tx) => {
        await adjustAttention(tx, operationId, { raises: ['conflicting-evidence'], clears: [] });
        await addObservation(tx, { operationId, source: 'look-up', finding: { kind: 'absent-yet' } });
      }),
    finish: (account, window) =>
      inOrganisation(account.organisationId, (tx) => finishSweep(tx, account, window)),
  };
};

/** Sweeps one account's ledger since so long ago. Its figures and its evidence are in the database once it is done. */
export const createSweep = (options: SweepOptions) => {
  const ports = portsOver(options);
  return (
    account: ProviderAccount,
    sinceAgoMs: number,
    tell: (finding: SweepFinding) => void,
  ): Promise<SweepResult> => runSweep(ports, account, sinceAgoMs, tell);
};

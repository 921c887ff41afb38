import type { SweepResult } from '@holdfast/engine';
import { connect, createSweeper } from '@holdfast/engine/postgres';
import type { SweepParts } from '../http/routes/sweep-routes.ts';
import { sweepRegularly } from '../sweep/sweep-regularly.ts';
import { loggableError } from './log.ts';
import { workerSettings } from './make-engine.ts';
import type { OpenServer } from './run-server.ts';

/** What the routes about sweeps work with. */
export const sweepParts = ({
  settings,
  made,
  accountOf,
}: Pick<OpenServer, 'settings' | 'made' | 'accountOf'>): SweepParts => ({
  inOrganisation: made.inOrganisation,
  accountOf,
  everyMs: settings.sweepEveryMs,
});

/** What the log says of a sweep: figures alone. */
const figuresOf = (result: SweepResult): Readonly<Record<string, unknown>> => {
  switch (result.kind) {
    case 'swept':
      return { refunds: result.refundsRead, operations: result.operationsRead, found: result.found };
    case 'no-answer':
      return { because: result.because, found: result.found };
    case 'not-home':
    case 'taken-over':
    case 'stopped':
      return {};
  }
};

/** Sweeps by the schedule and when people ask, beside the worker. @returns the stop */
export const runSweeping = ({
  settings,
  database,
  made,
  accounts,
  log,
}: Pick<OpenServer, 'settings' | 'database' | 'made' | 'accounts' | 'log'>): (() => Promise<void>) => {
  // Connections of its own: a sweep takes none from people.
  const connection = connect({ url: database.url, maximum: 2, applicationName: 'holdfast sweeps' });
  let stopping = false;
  const stop = sweepRegularly({
    sweeper: createSweeper({
      connection,
      inOrganisation: made.inOrganisation,
      settings: workerSettings(settings),
      name: String(process.pid),
      stopping: () => stopping,
    }),
    accounts,
    everyMs: settings.sweepEveryMs,
    onEnd: ({ organisationId }, result) => {
      const level = result.kind === 'swept' && result.found === 0 ? 'info' : 'warn';
      log[level]({ organisationId, ended: result.kind, ...figuresOf(result) }, 'a sweep ended');
    },
    onTrouble: (error, organisationId) => {
      log.error({ organisationId, error: loggableError(error) }, 'a sweep broke off; it is gone on with');
    },
  });
  return async () => {
    stopping = true;
    await stop();
    await connection.close();
  };
};

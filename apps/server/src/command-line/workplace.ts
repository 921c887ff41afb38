import type { Engine, Principal } from '@holdfast/engine';
import type { InOrganisation } from '@holdfast/engine/postgres';
import { placeOf, openDatabase, type OpenDatabase } from '../start/open-database.ts';
import { makeEngine } from '../start/make-engine.ts';
import { withPaymentsAtTheFake } from '../start/payments-at-the-fake.ts';
import { noProviders } from '../start/no-providers.ts';
import { runningServer } from '../start/server-record.ts';
import { openAccessStore, type AccessStore } from '../sign-in/access-store.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import { commandFailed, type Output } from './output.ts';

/** What a command works with: the database that a running server has open, or the one the settings name. */
export type Workplace = {
  readonly settings: Settings;
  readonly database: OpenDatabase;
  readonly publicOrigin: string;
  readonly store: AccessStore;
  /** Whether this is the demo's database: the bundled fake Stripe is its only provider. */
  readonly demo: boolean;
  readonly engine: Engine;
  readonly inOrganisation: InOrganisation;
  /** Takes the given organisation, or the default one. */
  readonly organisation: (given: string | undefined) => Promise<string>;
};

const openIts = async (
  settings: Settings,
  output: Output,
  missing: 'is-made' | 'is-refused',
): Promise<{ database: OpenDatabase; publicOrigin: string; demo: boolean }> => {
  const server = await runningServer(settings.dataFolder);
  const other = settings.databaseUrl !== undefined && settings.databaseUrl !== server?.givenDatabaseUrl;
  if (server === undefined || other) {
    const database = await openDatabase(settings, missing);
    output.note(`Using the database ${database.place}.`);
    return { database, publicOrigin: settings.publicOrigin, demo: settings.demo };
  }
  output.note(`Using the running server's database, ${placeOf(server.databaseUrl)}.`);
  const url = server.databaseUrl;
  const database = {
    url,
    place: placeOf(url),
    schemaVersion: server.schemaVersion,
    keepRunning: () => undefined,
    close: () => Promise.resolve(),
  };
  return { database, publicOrigin: server.publicOrigin, demo: server.demo };
};

/**
 * Opens the workplace, does the work, and closes it again, whatever happens. A database that does not exist yet is
 * made by the commands that begin something; to read or change what exists is refused there, lest a forgotten
 * setting be answered out of an empty database.
 */
export const inWorkplace = async (
  output: Output,
  work: (workplace: Workplace) => Promise<void>,
  missing: 'is-made' | 'is-refused' = 'is-refused',
): Promise<void> => {
  const settings = readSettings(process.env);
  const { database, publicOrigin, demo } = await openIts(settings, output, missing);
  const store = openAccessStore(database.url, 2);
  const made = makeEngine(database.url, settings, noProviders, 2);
  try {
    await work({
      settings,
      database,
      publicOrigin,
      store,
      demo,
      inOrganisation: made.inOrganisation,
      engine:
        settings.stripe === undefined
          ? withPaymentsAtTheFake(made.engine, `http://127.0.0.1:${String(settings.fakeStripePort)}`)
          : made.engine,
      organisation: async (given) => {
        if (given === undefined) return store.defaultOrganisationId();
        const known = await store.organisations();
        if (known.some((one) => one.id === given)) return given;
        throw commandFailed(
          `There is no organisation ${given}.`,
          `Known: ${known.map(({ id, name }) => `${id} (${name})`).join(', ')}.`,
        );
      },
    });
  } finally {
    await made.close();
    await store.close();
    await database.close();
  }
};

/** Who the command line is to the engine: the one who may enter the machine may look at everything. */
export const commandLine = (organisationId: string): Principal => ({
  organisationId,
  actor: { id: 'command-line', name: 'Command line', role: 'operator', assistant: false, via: 'system' },
});

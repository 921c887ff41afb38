import postgres from 'postgres';
import { migrate, SchemaRefusal } from '@holdfast/engine/postgres';
import { demandDataFolder, demandEmbeddedDatabase, demandGivenDatabase } from './existing-database.ts';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import { socketOf } from '../sign-in/access-store.ts';
import { codeOf, rootOf } from '../settings/error-code.ts';
import type { Settings } from '../settings/settings.ts';
import { StartProblem } from '../settings/start-problem.ts';

/** A database that is open for use, migrated. */
export type OpenDatabase = {
  readonly url: string;
  /** Where it is, for people: without user and password. */
  readonly place: string;
  readonly schemaVersion: number;
  /** For the embedded one: starts it again when it ends unasked. */
  readonly keepRunning: (onRestart: (failure: unknown) => void) => void;
  readonly close: () => Promise<void>;
};

const notOurs = (): void => undefined;

export const placeOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${decodeURIComponent(pathname.slice(1))} on ${hostname}${port === '' ? '' : `:${port}`}`;
};

const databaseName = (demo: boolean): string => (demo ? 'holdfast_demo' : 'holdfast');

/** The demo has a database of its own, beside the one that is given. */
const demoUrl = (url: string): string => {
  const beside = new URL(url);
  const name = beside.pathname.slice(1) || 'postgres';
  beside.pathname = name.endsWith('_demo') ? `/${name}` : `/${name}_demo`;
  return beside.href;
};

const whyUnreachable = (error: unknown): string => {
  const code = codeOf(error);
  if (code.startsWith('28')) return 'it refuses the user or the password';
  if (code === '3D000') return 'there is no database of that name';
  const root = rootOf(error);
  return (root instanceof Error ? root.message.split('\n')[0] : undefined) || code || 'no answer';
};

const unreachable = (url: string, error: unknown): StartProblem =>
  new StartProblem(
    `DATABASE_URL: the database ${placeOf(url)} cannot be used: ${whyUnreachable(error)}.`,
    'Start it, correct DATABASE_URL, or unset it for the embedded one.',
  );

const hintOf = (error: unknown): string | undefined =>
  error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;

/** Its user lacks a right; PostgreSQL, or our own migration, says which one and often what to grant. */
const lacksRights = (url: string, error: unknown): StartProblem => {
  const root = rootOf(error);
  return new StartProblem(
    `DATABASE_URL: the database ${placeOf(url)} cannot be used: ${root instanceof Error ? root.message : ''}.`,
    hintOf(root) ?? 'Let its user own that database and make roles, or use another user.',
  );
};

const makeBeside = async (givenUrl: string, wantedUrl: string): Promise<void> => {
  const name = decodeURIComponent(new URL(wantedUrl).pathname.slice(1));
  const sql = postgres(givenUrl, {
    max: 1,
    connect_timeout: 10,
    onnotice: () => undefined,
    ...socketOf(givenUrl),
  });
  try {
    const found = await sql`select 1 from pg_database where datname = ${name}`;
    if (found.length === 0) await sql`create database ${sql(name)}`;
  } catch (error) {
    if (codeOf(error) === '42P04') return;
    if (codeOf(error) === '42501') {
      throw new StartProblem(
        `DATABASE_URL: its user may not make the demo's own database "${name}".`,
        `Make that database for it, or set HOLDFAST_DEMO=off to use the one that is given.`,
      );
    }
    throw unreachable(givenUrl, error);
  } finally {
    await sql.end({ timeout: 2 });
  }
};

const migrated = async (url: string): Promise<number> => {
  try {
    return (await migrate({ url })).schemaVersion;
  } catch (error) {
    if (error instanceof SchemaRefusal)
      throw new StartProblem(`The database ${placeOf(url)} cannot be used.`, error.message);
    if (/^(42501|P0001)$/.test(codeOf(error))) throw lacksRights(url, error);
    if (/^(28|3D|08|57P0)|^E|^CONN/.test(codeOf(error))) throw unreachable(url, error);
    throw error;
  }
};

/**
 * Opens the database that the settings ask for (the embedded one is started) and applies what migrations are missing.
 * @param missing whether a database that does not exist yet is made
 * @throws StartProblem when it can't be used, with what to do
 */
export const openDatabase = async (
  settings: Pick<Settings, 'databaseUrl' | 'demo' | 'dataFolder'>,
  missing: 'is-made' | 'is-refused' = 'is-made',
): Promise<OpenDatabase> => {
  const refuses = missing === 'is-refused';
  if (settings.databaseUrl !== undefined) {
    const url = settings.demo ? demoUrl(settings.databaseUrl) : settings.databaseUrl;
    if (refuses) await demandGivenDatabase(url, placeOf(url));
    if (url !== settings.databaseUrl) await makeBeside(settings.databaseUrl, url);
    return {
      url,
      place: placeOf(url),
      schemaVersion: await migrated(url),
      keepRunning: notOurs,
      close: () => Promise.resolve(),
    };
  }
  if (refuses) demandDataFolder(settings.dataFolder);
  const embedded = await startEmbeddedPostgres(settings.dataFolder);
  try {
    const name = databaseName(settings.demo);
    if (refuses) await demandEmbeddedDatabase(settings.dataFolder, name);
    const url = await embedded.database(name);
    return {
      url,
      place: `${placeOf(url)} (embedded, in ${settings.dataFolder})`,
      schemaVersion: await migrated(url),
      keepRunning: embedded.keepRunning,
      close: embedded.stop,
    };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
};

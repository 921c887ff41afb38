import postgres from 'postgres';
import { clusterExists } from '../embedded-postgres/cluster.ts';
import { connectionUrl, databaseFolders, readConnection } from '../embedded-postgres/data-folder.ts';
import { StartProblem } from '../settings/start-problem.ts';
import { codeOf } from '../settings/error-code.ts';
import { socketOf } from '../sign-in/access-store.ts';

/** Whether a Holdfast stands in that database. Trouble of another kind counts as yes: opening it says which it is. */
const holdsHoldfast = async (url: string): Promise<boolean> => {
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => undefined, ...socketOf(url) });
  try {
    const [row] = await sql`select to_regclass('schema_migrations') is not null as stands`;
    return row?.['stands'] === true;
  } catch (error) {
    return codeOf(error) !== '3D000';
  } finally {
    await sql.end({ timeout: 2 });
  }
};

/** @throws StartProblem where the given database is missing, or nothing was ever put into it */
export const demandGivenDatabase = async (url: string, place: string): Promise<void> => {
  if (await holdsHoldfast(url)) return;
  throw new StartProblem(
    `There is no Holdfast in the database ${place}, and nothing was made there.`,
    'Set DATABASE_URL and HOLDFAST_DEMO as the server has them, or make it with `holdfast migrate`.',
  );
};

/** To be asked before anything is started, since a start makes what is missing. */
export const demandDataFolder = (dataFolder: string): void => {
  if (clusterExists(databaseFolders(dataFolder))) return;
  throw new StartProblem(
    `There is no database in ${dataFolder} yet, no server runs on it, and nothing was made there.`,
    'Set HOLDFAST_DATA_DIR (or DATABASE_URL) as the server has it, or begin with `pnpm start` or `holdfast migrate`.',
  );
};

/** To be asked while the embedded cluster runs: the demo's database and the other one stand in it apart. */
export const demandEmbeddedDatabase = async (dataFolder: string, name: string): Promise<void> => {
  const connection = await readConnection(databaseFolders(dataFolder));
  if (connection === undefined || (await holdsHoldfast(connectionUrl(connection, name)))) return;
  throw new StartProblem(
    `There is no database ${name} in ${dataFolder} yet, and nothing was made there.`,
    'Set HOLDFAST_DEMO (or STRIPE_SECRET_KEY) as the server has it, or make it with `holdfast migrate`.',
  );
};

import { readdir, readFile } from 'node:fs/promises';

/** The parts beneath the entry, for whoever brings a database of another kind to the same design: the simulation does. */
export { connectionOver, openDriver, organisationTransactions, serverRole } from './connection.ts';

const folder = new URL('./migrations/', import.meta.url);

/** The texts of all migrations, in order. */
export const migrationTexts = async (): Promise<readonly string[]> => {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort();
  return Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')));
};

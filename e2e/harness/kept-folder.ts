import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { until } from './program.ts';

/** Where one run keeps what several of its houses begin with: set before all tests, removed after them. */
export const shelfVariable = 'E2E_SHELF';

type Kept<Value> = { readonly value: Value } | { readonly failure: string };

const isFirst = async (folder: string): Promise<boolean> => {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

const keep = async <Value>(file: string, kept: Kept<Value>): Promise<void> => {
  await writeFile(`${file}.new`, JSON.stringify(kept));
  await rename(`${file}.new`, file);
};

/** Copies know the same password: one that looked for its database at the other's port would take it for its own. */
const giveOwnPort = async (folder: string, port: number): Promise<void> => {
  const file = path.join(folder, 'postgres-connection.json');
  const connection = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ ...connection, port }), { mode: 0o600 });
};

/**
 * Fills a data folder. The first one of a run that asks for this kind makes it, and ends all that writes there; the
 * others get a copy: to make a database, its schema and its people takes longer than most tests.
 * @param databasePort a free one, for the database of this copy alone
 * @returns what the making gave back, which has to survive JSON
 */
export const fillFolder = async <Value>(
  kind: string,
  folder: string,
  databasePort: number,
  make: (folder: string) => Promise<Value>,
): Promise<Value> => {
  const shelf = process.env[shelfVariable];
  if (shelf === undefined) return make(folder);
  const kept = path.join(shelf, kind);
  const said = `${kept}.json`;
  if (await isFirst(kept)) {
    try {
      await keep(said, { value: await make(kept) });
    } catch (error) {
      await keep(said, { failure: error instanceof Error ? error.message : String(error) });
    }
  }
  const text = await until(`another to make ${kind}`, () => readFile(said, 'utf8'), 240_000);
  const found = JSON.parse(text) as Kept<Value>;
  if ('failure' in found) throw new Error(found.failure);
  await cp(kept, folder, { recursive: true });
  await giveOwnPort(folder, databasePort);
  return found.value;
};

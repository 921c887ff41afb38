import type { Table } from 'dexie';

export const textField = (raw: unknown, field: string): string | null => {
  const value = (raw as Record<string, unknown> | null)?.[field];
  return typeof value === 'string' ? value : null;
};

/** As few as these are asked for one by one: a stretch would read what lies between them for little. */
const fewValues = 8;
/** What is queued together lies together. A stretch with more rows than these for each value holds much else. */
const mostRowsForEach = 8;

/** What lies between two values of an index, in one question; `null` where that is much more than `count` values have. */
const stretchOf = async (
  table: Table<unknown, string>,
  index: string,
  [first, last]: readonly [string, string],
  count: number,
): Promise<readonly unknown[] | null> => {
  const most = count * mostRowsForEach;
  const rows = await table.where(index).between(first, last, true, true).limit(most).toArray();
  return rows.length < most ? rows : null;
};

const endsOf = (values: readonly string[]): readonly [string, string] => {
  const sorted = [...values].sort();
  return [sorted[0] ?? '', sorted.at(-1) ?? ''];
};

/**
 * The rows of each value of an index. Each question is a way to the browser's storage and back, so many values are
 * asked for as one stretch, and few all at once. `anyOf` would walk a cursor, with a way for every row.
 */
export const rowsOfEach = async (
  table: Table<unknown, string>,
  index: string,
  values: readonly string[],
): Promise<readonly unknown[]> => {
  if (values.length > fewValues) {
    const rows = await stretchOf(table, index, endsOf(values), values.length);
    const wanted = new Set(values);
    if (rows) return rows.filter((row) => wanted.has(textField(row, index) ?? ''));
  }
  return (await Promise.all(values.map((value) => table.where(index).equals(value).toArray()))).flat();
};

const lastCharacter = '\uffff';

/** By their places, so that a row which lost what entry it is of is met as well. */
export const logRowsOf = async (
  log: Table<unknown, string>,
  entryKeys: readonly string[],
): Promise<readonly unknown[]> => {
  if (entryKeys.length > fewValues) {
    const [first, last] = endsOf(entryKeys.map((key) => `${key}#`));
    const rows = await stretchOf(log, 'id', [first, last + lastCharacter], entryKeys.length);
    const wanted = new Set(entryKeys);
    const isWanted = (id: string): boolean => wanted.has(id.slice(0, Math.max(0, id.indexOf('#'))));
    if (rows) return rows.filter((row) => isWanted(textField(row, 'id') ?? ''));
  }
  return (await Promise.all(entryKeys.map((key) => log.where('id').startsWith(`${key}#`).toArray()))).flat();
};

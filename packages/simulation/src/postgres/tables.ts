import { keyOf, SqlTrouble, type Row, type SqlType, type Value } from './values.ts';

export type Column = {
  readonly name: string;
  readonly type: SqlType;
  notNull: boolean;
  /** Evaluated for a row that does not give it. */
  defaultOf: (() => Value) | null;
  identity: boolean;
};

export type Check = { readonly name: string; readonly holds: (row: Row) => boolean };
export type Unique = {
  readonly name: string;
  readonly columns: readonly string[];
  /** Of a partial index: whether the row is in it. */
  readonly covers: ((row: Row) => boolean) | null;
  readonly rows: Map<string, number>;
};
export type ForeignKey = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly of: string;
  readonly ofColumns: readonly string[];
  readonly cascades: boolean;
};

export type Table = {
  readonly name: string;
  readonly columns: Map<string, Column>;
  readonly checks: Check[];
  readonly uniques: Unique[];
  readonly foreignKeys: ForeignKey[];
  rows: Map<number, Row>;
  next: number;
  nextIdentity: number;
  /** Change a row that is about to be inserted. */
  readonly beforeInsert: ((row: Row) => Row)[];
  readonly afterInsert: ((row: Row) => void)[];
  readonly afterUpdate: ((before: Row, after: Row) => void)[];
};

export type Tables = {
  readonly byName: Map<string, Table>;
  /** Undoes what the open transaction wrote; `null` outside one. */
  undo: (() => void)[] | null;
};

const uniqueKey = (unique: Unique, row: Row): string | null => {
  if (unique.covers !== null && !unique.covers(row)) return null;
  const values = unique.columns.map((name) => row[name] ?? null);
  return values.includes(null) ? null : keyOf(values);
};

const index = (table: Table, id: number, row: Row, undo: (() => void)[] | null): void => {
  for (const unique of table.uniques) {
    const key = uniqueKey(unique, row);
    if (key === null) continue;
    const holder = unique.rows.get(key);
    if (holder !== undefined && holder !== id) {
      throw new SqlTrouble('23505', `duplicate key value violates unique constraint "${unique.name}"`);
    }
    unique.rows.set(key, id);
    undo?.push(() => {
      if (holder === undefined) unique.rows.delete(key);
      else unique.rows.set(key, holder);
    });
  }
};

const unindex = (table: Table, id: number, row: Row, undo: (() => void)[] | null): void => {
  for (const unique of table.uniques) {
    const key = uniqueKey(unique, row);
    if (key === null || unique.rows.get(key) !== id) continue;
    unique.rows.delete(key);
    undo?.push(() => unique.rows.set(key, id));
  }
};

const assertGood = (tables: Tables, table: Table, row: Row): void => {
  for (const column of table.columns.values()) {
    if (column.notNull && (row[column.name] ?? null) === null) {
      throw new SqlTrouble('23502', `null value in column "${column.name}" of relation "${table.name}"`);
    }
  }
  for (const check of table.checks) {
    if (!check.holds(row)) {
      throw new SqlTrouble('23514', `new row for "${table.name}" violates check constraint "${check.name}"`);
    }
  }
  for (const key of table.foreignKeys) {
    const values = key.columns.map((name) => row[name] ?? null);
    if (values.includes(null)) continue;
    const of = tables.byName.get(key.of);
    const unique = of?.uniques.find(
      ({ columns, covers }) => covers === null && columns.join() === key.ofColumns.join(),
    );
    if (of === undefined || unique === undefined || !unique.rows.has(keyOf(values))) {
      throw new SqlTrouble('23503', `insert or update on "${table.name}" violates foreign key "${key.name}"`);
    }
  }
};

/** @returns the row as it was stored, or `null` where a conflict was to be passed by */
export const insertRow = (tables: Tables, table: Table, given: Row): Row => {
  let row: Row = given;
  for (const trigger of table.beforeInsert) row = trigger(row);
  const id = table.next;
  assertGood(tables, table, row);
  table.next += 1;
  index(table, id, row, tables.undo);
  table.rows.set(id, row);
  tables.undo?.push(() => table.rows.delete(id));
  for (const trigger of table.afterInsert) trigger(row);
  return row;
};

/** The row that a new one would collide with, on these columns or (none given) on whatever is unique. */
export const collision = (table: Table, given: Row, columns: readonly string[] | null): number | null => {
  for (const unique of table.uniques) {
    if (columns !== null && [...columns].sort().join() !== [...unique.columns].sort().join()) continue;
    const key = uniqueKey(unique, given);
    const holder = key === null ? undefined : unique.rows.get(key);
    if (holder !== undefined) return holder;
  }
  return null;
};

export const updateRow = (tables: Tables, table: Table, id: number, after: Row): Row => {
  const before = table.rows.get(id);
  if (before === undefined) throw new Error(`a row of ${table.name} is gone`);
  unindex(table, id, before, tables.undo);
  index(table, id, after, tables.undo);
  table.rows.set(id, after);
  tables.undo?.push(() => table.rows.set(id, before));
  cascade(tables, table, before, after);
  assertGood(tables, table, after);
  for (const trigger of table.afterUpdate) trigger(before, after);
  return after;
};

export const deleteRow = (tables: Tables, table: Table, id: number): void => {
  const before = table.rows.get(id);
  if (before === undefined) return;
  unindex(table, id, before, tables.undo);
  table.rows.delete(id);
  tables.undo?.push(() => table.rows.set(id, before));
};

/** Whoever refers to changed columns refers to what they are now, where the key says so. */
const cascade = (tables: Tables, table: Table, before: Row, after: Row): void => {
  for (const other of tables.byName.values()) {
    for (const key of other.foreignKeys) {
      if (key.of !== table.name || !key.cascades) continue;
      const was = key.ofColumns.map((name) => before[name] ?? null);
      const is = key.ofColumns.map((name) => after[name] ?? null);
      if (was.includes(null) || keyOf(was) === keyOf(is)) continue;
      for (const [id, row] of [...other.rows]) {
        if (keyOf(key.columns.map((name) => row[name] ?? null)) !== keyOf(was)) continue;
        const changed: Record<string, Value> = { ...row };
        key.columns.forEach((name, position) => {
          changed[name] = is[position] ?? null;
        });
        updateRow(tables, other, id, changed);
      }
    }
  }
};

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

/** IDs of rows by one column's value, ascending. Values that are no plain ones are in none. */
type Lookup = Map<Value, number[]>;

type Writing = {
  readonly notNull: readonly Column[];
  readonly references: readonly {
    readonly key: ForeignKey;
    /** What the referred rows are found by. */
    readonly unique: Unique | undefined;
  }[];
  /** Keys of other tables that follow a change. */
  readonly followers: readonly { readonly other: Table; readonly key: ForeignKey }[];
};

export type Table = {
  readonly name: string;
  readonly columns: Map<string, Column>;
  readonly checks: Check[];
  readonly uniques: Unique[];
  readonly foreignKeys: ForeignKey[];
  rows: Map<number, Row>;
  /** Found by a column's value, once somebody has looked for rows by it. */
  readonly lookups: Map<string, Lookup>;
  /** What a write has to look at, worked out at the first one. */
  writing: Writing | null;
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
  /** The tables into which it has put rows. */
  inserted: Set<string>;
};

const put = (lookup: Lookup, value: Value, id: number): void => {
  const ids = lookup.get(value);
  if (ids === undefined) lookup.set(value, [id]);
  else {
    let at = ids.length;
    while (at > 0 && (ids[at - 1] ?? 0) > id) at -= 1;
    ids.splice(at, 0, id);
  }
};

const takeOut = (lookup: Lookup, value: Value, id: number): void => {
  const ids = lookup.get(value) ?? [];
  const at = ids.indexOf(id);
  if (at >= 0) ids.splice(at, 1);
};

/** Every change of a table's rows comes through here. */
const store = (table: Table, id: number, after: Row | null): void => {
  const before = table.rows.get(id);
  if (after === null) table.rows.delete(id);
  else table.rows.set(id, after);
  for (const [column, lookup] of table.lookups) {
    const was = before?.[column];
    const is = after?.[column];
    if (was === is) continue;
    if (was !== undefined) takeOut(lookup, was, id);
    if (is !== undefined) put(lookup, is, id);
  }
};

const lookupBy = (table: Table, column: string): Lookup => {
  let lookup = table.lookups.get(column);
  if (lookup === undefined) {
    lookup = new Map();
    for (const [id, row] of table.rows) put(lookup, row[column] ?? null, id);
    table.lookups.set(column, lookup);
  }
  return lookup;
};

/** The IDs of the rows in which a column has one of these plain values, ascending. */
export const idsWhere = (table: Table, column: string, values: readonly Value[]): readonly number[] => {
  const lookup = lookupBy(table, column);
  const [only] = values;
  if (values.length === 1) return [...(lookup.get(only ?? null) ?? [])];
  const ids = [...new Set(values)].flatMap((value) => lookup.get(value) ?? []);
  return ids.sort((one, other) => one - other);
};

const valuesOf = (row: Row, columns: readonly string[]): readonly Value[] | null => {
  const values: Value[] = [];
  for (const name of columns) {
    const value = row[name] ?? null;
    if (value === null) return null;
    values.push(value);
  }
  return values;
};

const uniqueKey = (unique: Unique, row: Row): string | null => {
  if (unique.covers !== null && !unique.covers(row)) return null;
  const values = valuesOf(row, unique.columns);
  return values === null ? null : keyOf(values);
};

const isUntouched = (columns: readonly string[], before: Row, after: Row): boolean =>
  columns.every((name) => before[name] === after[name]);

/** Puts a row where it is unique; `before`: it stood there already, as that. */
const index = (
  table: Table,
  id: number,
  before: Row | null,
  after: Row | null,
  undo: (() => void)[] | null,
): void => {
  for (const unique of table.uniques) {
    const { rows, columns, covers } = unique;
    if (before !== null && after !== null && covers === null && isUntouched(columns, before, after)) continue;
    const was = before === null ? null : uniqueKey(unique, before);
    const is = after === null ? null : uniqueKey(unique, after);
    if (was === is) continue;
    const holder = is === null ? undefined : rows.get(is);
    if (holder !== undefined && holder !== id) {
      throw new SqlTrouble('23505', `duplicate key value violates unique constraint "${unique.name}"`);
    }
    const stood = was !== null && rows.get(was) === id;
    if (stood) rows.delete(was);
    if (is !== null) rows.set(is, id);
    undo?.push(() => {
      if (is !== null) rows.delete(is);
      if (stood) rows.set(was, id);
    });
  }
};

const writingOf = (tables: Tables, table: Table): Writing => {
  const others = [...tables.byName.values()];
  const references = table.foreignKeys.map((key) => ({
    key,
    unique: tables.byName
      .get(key.of)
      ?.uniques.find(({ columns, covers }) => covers === null && columns.join() === key.ofColumns.join()),
  }));
  const followers = others.flatMap((other) =>
    other.foreignKeys.filter((key) => key.of === table.name && key.cascades).map((key) => ({ other, key })),
  );
  return (table.writing = {
    ...{ references, followers },
    notNull: [...table.columns.values()].filter(({ notNull }) => notNull),
  });
};

/** @param before as it stood; what refers to others as it did then still does so rightly */
const assertGood = (table: Table, { notNull, references }: Writing, before: Row | null, row: Row): void => {
  for (const { name } of notNull) {
    if ((row[name] ?? null) === null) {
      throw new SqlTrouble('23502', `null value in column "${name}" of relation "${table.name}"`);
    }
  }
  for (const check of table.checks) {
    if (!check.holds(row)) {
      throw new SqlTrouble('23514', `new row for "${table.name}" violates check constraint "${check.name}"`);
    }
  }
  for (const { key, unique } of references) {
    if (before !== null && isUntouched(key.columns, before, row)) continue;
    const values = valuesOf(row, key.columns);
    if (values !== null && unique?.rows.has(keyOf(values)) !== true) {
      throw new SqlTrouble('23503', `insert or update on "${table.name}" violates foreign key "${key.name}"`);
    }
  }
};

/** @returns the row as it was stored, or `null` where a conflict was to be passed by */
export const insertRow = (tables: Tables, table: Table, given: Row): Row => {
  let row: Row = given;
  for (const trigger of table.beforeInsert) row = trigger(row);
  const id = table.next;
  assertGood(table, table.writing ?? writingOf(tables, table), null, row);
  table.next += 1;
  index(table, id, null, row, tables.undo);
  store(table, id, row);
  tables.undo?.push(() => store(table, id, null));
  tables.inserted.add(table.name);
  for (const trigger of table.afterInsert) trigger(row);
  return row;
};

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one));

/** The row that a new one would collide with, on these columns or (none given) on whatever is unique. */
export const collision = (table: Table, given: Row, columns: readonly string[] | null): number | null => {
  for (const unique of table.uniques) {
    if (columns !== null && !isSameSet(columns, unique.columns)) continue;
    const key = uniqueKey(unique, given);
    const holder = key === null ? undefined : unique.rows.get(key);
    if (holder !== undefined) return holder;
  }
  return null;
};

export const updateRow = (tables: Tables, table: Table, id: number, after: Row): Row => {
  const before = table.rows.get(id);
  if (before === undefined) throw new Error(`a row of ${table.name} is gone`);
  const writing = table.writing ?? writingOf(tables, table);
  index(table, id, before, after, tables.undo);
  store(table, id, after);
  tables.undo?.push(() => store(table, id, before));
  cascade(tables, writing, before, after);
  assertGood(table, writing, before, after);
  for (const trigger of table.afterUpdate) trigger(before, after);
  return after;
};

export const deleteRow = (tables: Tables, table: Table, id: number): void => {
  const before = table.rows.get(id);
  if (before === undefined) return;
  index(table, id, before, null, tables.undo);
  store(table, id, null);
  tables.undo?.push(() => store(table, id, before));
};

/** Whoever refers to changed columns refers to what they are now, where the key says so. */
const cascade = (tables: Tables, { followers }: Writing, before: Row, after: Row): void => {
  for (const { other, key } of followers) {
    if (isUntouched(key.ofColumns, before, after)) continue;
    const was = valuesOf(before, key.ofColumns);
    if (was === null) continue;
    for (const [id, row] of [...other.rows]) {
      const own = valuesOf(row, key.columns);
      if (own === null || keyOf(own) !== keyOf(was)) continue;
      const changed: Record<string, Value> = { ...row };
      key.columns.forEach((name, position) => {
        changed[name] = after[key.ofColumns[position] ?? ''] ?? null;
      });
      updateRow(tables, other, id, changed);
    }
  }
};

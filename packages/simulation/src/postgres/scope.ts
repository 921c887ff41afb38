import type { Row, SqlType, Value } from './values.ts';
import type { Table, Tables } from './tables.ts';

/** What a statement runs with. */
export type Run = {
  readonly parameters: readonly Value[];
  readonly session: Session;
  /** What the statement's common tables came to. */
  readonly common: Map<object, readonly Row[]>;
};

/** One transaction, as functions see it. */
export type Session = {
  readonly tables: Tables;
  readonly nowMs: () => number;
  readonly settings: Map<string, string>;
  /** The transaction's number, given when first asked for. */
  readonly transactionId: () => number;
  readonly horizon: () => number;
  readonly nextTransactionId: () => number;
  readonly randomUuid: () => string;
};

/** Rows that are bound while an expression is evaluated, innermost query first. */
export type Env = {
  readonly rows: (Row | null)[];
  readonly outer: Env | null;
  readonly run: Run;
  /** The rows of one group, where the query aggregates. */
  group?: readonly (readonly (Row | null)[])[];
};

export type Compiled = {
  readonly type: SqlType;
  readonly of: (env: Env) => Value;
  /** Its value where that is always the same. */
  readonly constant?: Value;
  /** The bound row that it is a column of, where it is a plain one of this query. */
  readonly column?: { readonly slot: number; readonly name: string };
  /** The only bound row of this query that it looks at; -1: at none; nothing is said: nobody knows. */
  readonly reads?: number;
  /** It can hold only where this column has one of these values. */
  readonly equals?: {
    readonly slot: number;
    readonly name: string;
    readonly among: (env: Env) => readonly Value[];
  };
};

export type Columns = ReadonlyMap<string, SqlType>;
export type Source = { readonly alias: string; readonly columns: Columns; readonly slot: number };

export type CompiledQuery = {
  readonly columns: Columns;
  readonly run: (outer: Env | null, run: Run) => readonly Row[];
};

export type Scope = {
  readonly sources: Source[];
  readonly outer: Scope | null;
  readonly common: ReadonlyMap<string, CompiledCommon>;
  readonly catalogue: Catalogue;
};

export type CompiledCommon = { readonly key: object; readonly columns: Columns };

export type SqlFunction = {
  readonly parameters: Columns;
  readonly columns: Columns;
  /** One value, rather than rows. */
  readonly scalar: boolean;
  readonly run: (given: readonly Value[], run: Run) => readonly Row[];
};

/** What statements are compiled against. */
export type Catalogue = {
  readonly tables: Tables;
  readonly functions: Map<string, SqlFunction>;
};

export const tableOf = ({ tables }: Catalogue, name: string): Table => {
  const table = tables.byName.get(name);
  if (table === undefined) throw new Error(`there is no table ${name} here`);
  return table;
};

export const columnsOf = (table: Table): Columns =>
  new Map([...table.columns.values()].map(({ name, type }) => [name, type]));

export const newScope = (catalogue: Catalogue, outer: Scope | null, common?: Scope['common']): Scope => ({
  sources: [],
  outer,
  common: common ?? outer?.common ?? new Map(),
  catalogue,
});

export const addSource = (scope: Scope, alias: string, columns: Columns): Source => {
  const source = { alias, columns, slot: scope.sources.length };
  scope.sources.push(source);
  return source;
};

export const climb = (env: Env, depth: number): Env => {
  let at = env;
  for (let step = 0; step < depth; step += 1) {
    if (at.outer === null) throw new Error('a column of a query that is not there');
    at = at.outer;
  }
  return at;
};

type Found = { readonly source: Source; readonly depth: number };

const findIn = (scope: Scope, fits: (source: Source) => boolean): Found | undefined => {
  let depth = 0;
  for (let at: Scope | null = scope; at !== null; at = at.outer, depth += 1) {
    const source = at.sources.find(fits);
    if (source !== undefined) return { source, depth };
  }
  return undefined;
};

export const findSource = (scope: Scope, alias: string): Found | undefined =>
  findIn(scope, (source) => source.alias === alias);

/** A column by its name, with or without its table's. */
export const findColumn = (scope: Scope, alias: string | null, name: string): Compiled | undefined => {
  const found = findIn(
    scope,
    ({ alias: own, columns }) => (alias === null || own === alias) && columns.has(name),
  );
  if (found === undefined) return undefined;
  const { depth, source } = found;
  const { slot } = source;
  const type = source.columns.get(name) ?? 'unknown';
  if (depth === 0) {
    return { type, of: (env) => env.rows[slot]?.[name] ?? null, column: { slot, name }, reads: slot };
  }
  return { type, of: (env) => climb(env, depth).rows[slot]?.[name] ?? null, reads: -1 };
};

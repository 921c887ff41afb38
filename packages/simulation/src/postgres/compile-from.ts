import type { Node, RangeFunction, RangeSubselect, RangeVar } from '@pgsql/types';
import { compileExpression, nameIn, typeOfName } from './compile-expression.ts';
import { castTo } from './compile-operators.ts';
import { compileQueryOf } from './compile-query.ts';
import { recordsOf, rowFunctions } from './functions.ts';
import {
  addSource,
  columnsOf,
  findColumn,
  tableOf,
  type Columns,
  type Compiled,
  type Env,
  type Scope,
} from './scope.ts';
import { idsWhere, type Table } from './tables.ts';
import { compareValues, type Row, type SqlType, type Value } from './values.ts';

/** Calls `next` for every combination of rows; it says whether to go on. */
export type FromItem = (env: Env, next: () => boolean) => boolean;

export const allHold = (tests: readonly Compiled[], env: Env): boolean => {
  for (const test of tests) if (test.of(env) !== true) return false;
  return true;
};

const overRows =
  (slot: number, rowsOf: (env: Env) => Iterable<Row>, tests: readonly Compiled[]): FromItem =>
  (env, next) => {
    for (const row of rowsOf(env)) {
      env.rows[slot] = row;
      if (allHold(tests, env) && !next()) return false;
    }
    return true;
  };

/** All rows of one organisation have the same there: looking by it finds no fewer. */
const commonToAll = new Set(['org_id', 'provider', 'account_id']);

const isPlain = (value: Value): boolean => typeof value !== 'object' || value === null;

/** The IDs among which every row is that these conditions leave; `null`: any may be. */
export const lookFor = (
  table: Table,
  slot: number,
  tests: readonly Compiled[],
): ((env: Env) => readonly number[] | null) => {
  const wanted = tests.find(
    ({ equals }) => equals !== undefined && equals.slot === slot && !commonToAll.has(equals.name),
  )?.equals;
  if (wanted === undefined) return () => null;
  const { name, among } = wanted;
  return (env) => {
    const values = among(env);
    return values.every(isPlain) ? idsWhere(table, name, values) : null;
  };
};

export type Conditions = {
  /** Takes the conditions that can be judged once all these sources are bound. */
  readonly take: (scope: Scope) => readonly Compiled[];
};

const aliasOf = (alias: { aliasname?: string } | undefined, otherwise: string): string =>
  alias?.aliasname ?? otherwise;

const fromTable = (node: RangeVar, scope: Scope, conditions: Conditions): FromItem => {
  const name = node.relname ?? '';
  const alias = aliasOf(node.alias, name);
  const common = node.schemaname === undefined ? scope.common.get(name) : undefined;
  if (common !== undefined) {
    const { slot } = addSource(scope, alias, common.columns);
    const tests = conditions.take(scope);
    return overRows(slot, (env) => env.run.common.get(common.key) ?? [], tests);
  }
  const table = tableOf(scope.catalogue, name);
  const { slot } = addSource(scope, alias, columnsOf(table));
  const tests = conditions.take(scope);
  const idsIn = lookFor(table, slot, tests);
  const rowsOf = (env: Env): readonly Row[] => {
    const ids = idsIn(env);
    if (ids === null) return [...table.rows.values()];
    const rows: Row[] = [];
    for (const id of ids) {
      const row = table.rows.get(id);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  };
  return overRows(slot, rowsOf, tests);
};

const fromQuery = (node: RangeSubselect, scope: Scope, conditions: Conditions): FromItem => {
  const query = compileQueryOf(node.subquery, scope);
  const columns = renamed(query.columns, node.alias?.colnames);
  const names = [...query.columns.keys()];
  const { slot } = addSource(scope, aliasOf(node.alias, ''), columns);
  const tests = conditions.take(scope);
  const same = names.join() === [...columns.keys()].join();
  const rowsOf = (env: Env): readonly Row[] => {
    const rows = query.run(env, env.run);
    return same ? rows : rows.map((row) => renameRow(row, names, [...columns.keys()]));
  };
  return overRows(slot, rowsOf, tests);
};

const renamed = (columns: Columns, names: readonly Node[] | undefined): Columns => {
  if (names === undefined || names.length === 0) return columns;
  return new Map([...columns].map(([name, type], index) => [nameIn(names[index]) || name, type]));
};

const renameRow = (row: Row, from: readonly string[], to: readonly string[]): Row =>
  Object.fromEntries(from.map((name, index) => [to[index] ?? name, row[name] ?? null]));

type Defined = { readonly columns: Columns; readonly rows: (env: Env) => readonly Row[] };

/** `jsonb_to_recordset(…) as r (name type, …)` and `jsonb_populate_recordset(null::a_table, …)`. */
const recordset = (
  name: string,
  args: readonly Node[],
  defined: readonly Node[] | undefined,
  scope: Scope,
): Defined => {
  const given = castTo(compileExpression(args.at(-1), scope), 'jsonb');
  let columns: Columns;
  if (name === 'jsonb_populate_recordset') {
    const [like] = args;
    const typeName =
      like !== undefined && 'TypeCast' in like ? nameIn(like.TypeCast.typeName?.names?.at(-1)) : '';
    columns = columnsOf(tableOf(scope.catalogue, typeName));
  } else {
    columns = new Map(
      (defined ?? []).flatMap((one) =>
        'ColumnDef' in one && one.ColumnDef.typeName !== undefined
          ? [[one.ColumnDef.colname ?? '', typeOfName(one.ColumnDef.typeName)] as [string, SqlType]]
          : [],
      ),
    );
  }
  const recordOf = recordsOf(columns);
  const read = (env: Env): readonly Row[] => {
    const value = given.of(env);
    return Array.isArray(value) ? value.map((one: Value) => recordOf(one)) : [];
  };
  if (given.reads !== -1 || scope.outer !== null) return { columns, rows: read };
  // Of parameters alone: whatever it stands beside, its rows are the same ones.
  const key = {};
  return {
    columns,
    rows: (env) => {
      let rows = env.run.common.get(key);
      if (rows === undefined) env.run.common.set(key, (rows = read(env)));
      return rows;
    },
  };
};

const calledRows = (node: RangeFunction, scope: Scope): Defined => {
  const [listed] = node.functions ?? [];
  const call = listed !== undefined && 'List' in listed ? listed.List.items?.[0] : undefined;
  if (call === undefined || !('FuncCall' in call)) throw new Error('a function in from is missing');
  const { FuncCall: functionCall } = call;
  const name = nameIn(functionCall.funcname?.at(-1));
  const args = functionCall.args ?? [];
  if (name === 'jsonb_to_recordset' || name === 'jsonb_populate_recordset') {
    return recordset(name, args, node.coldeflist, scope);
  }
  const given = args.map((one) => compileExpression(one, scope));
  const own = scope.catalogue.functions.get(name);
  if (own !== undefined) {
    return {
      columns: own.columns,
      rows: (env) =>
        own.run(
          given.map((one) => one.of(env)),
          env.run,
        ),
    };
  }
  const rowFunction = rowFunctions[name];
  if (rowFunction === undefined) throw new Error(`the pretend PostgreSQL does not know ${name} in from`);
  const types = rowFunction.columns(given.map(({ type }) => type));
  const names = (node.alias?.colnames ?? []).map(nameIn);
  const named = types.map((type, index): [string, SqlType] => [
    names[index] ?? node.alias?.aliasname ?? name,
    type,
  ]);
  return {
    columns: new Map(named),
    rows: (env) =>
      rowFunction
        .rows(given.map((one) => one.of(env)))
        .map((values) => Object.fromEntries(named.map(([column], index) => [column, values[index] ?? null]))),
  };
};

const fromFunction = (node: RangeFunction, scope: Scope, conditions: Conditions): FromItem => {
  const { columns, rows } = calledRows(node, scope);
  const { slot } = addSource(scope, node.alias?.aliasname ?? [...columns.keys()][0] ?? '', columns);
  const tests = conditions.take(scope);
  return overRows(slot, rows, tests);
};

const noConditions: Conditions = { take: () => [] };

const fromJoin = (
  node: Extract<Node, { JoinExpr: unknown }>['JoinExpr'],
  scope: Scope,
  conditions: Conditions,
): FromItem => {
  const before = scope.sources.length;
  const left = compileFrom(node.larg, scope, conditions);
  const middle = scope.sources.length;
  const isOuter = node.jointype === 'JOIN_LEFT';
  const right = compileFrom(node.rarg, scope, isOuter ? noConditions : conditions);
  const on: Compiled[] = [];
  if (node.quals !== undefined) on.push(compileExpression(node.quals, scope));
  for (const using of node.usingClause ?? []) {
    const name = nameIn(using);
    const one = scope.sources.slice(before, middle).find(({ columns }) => columns.has(name));
    const other = scope.sources.slice(middle).find(({ columns }) => columns.has(name));
    const [a, b] = [
      findColumn(scope, one?.alias ?? null, name),
      findColumn(scope, other?.alias ?? null, name),
    ];
    if (a === undefined || b === undefined) throw new Error(`no ${name} to join by`);
    on.push({
      type: 'bool',
      of: (env) => {
        const [left, right] = [a.of(env), b.of(env)];
        return left !== null && right !== null && compareValues(left, right) === 0;
      },
    });
  }
  const holds = (env: Env): boolean => allHold(on, env);
  if (!isOuter) return (env, next) => left(env, () => right(env, () => !holds(env) || next()));
  const tests = conditions.take(scope);
  const passes = (env: Env): boolean => allHold(tests, env);
  return (env, next) =>
    left(env, () => {
      let found = false;
      const goOn = right(env, () => {
        if (!holds(env)) return true;
        found = true;
        return !passes(env) || next();
      });
      if (!goOn) return false;
      if (found) return true;
      for (let slot = middle; slot < scope.sources.length; slot += 1) env.rows[slot] = null;
      return !passes(env) || next();
    });
};

export const compileFrom = (node: Node | undefined, scope: Scope, conditions: Conditions): FromItem => {
  if (node === undefined) throw new Error('a source is missing');
  if ('RangeVar' in node) return fromTable(node.RangeVar, scope, conditions);
  if ('RangeSubselect' in node) return fromQuery(node.RangeSubselect, scope, conditions);
  if ('RangeFunction' in node) return fromFunction(node.RangeFunction, scope, conditions);
  if ('JoinExpr' in node) return fromJoin(node.JoinExpr, scope, conditions);
  throw new Error(`the pretend PostgreSQL does not know ${Object.keys(node).join()} in from`);
};

/** Every combination of the given sources, left to right. */
export const compileAllFrom = (nodes: readonly Node[], scope: Scope, conditions: Conditions): FromItem => {
  const items = nodes.map((node) => compileFrom(node, scope, conditions));
  const from = (index: number, env: Env, next: () => boolean): boolean => {
    const item = items[index];
    return item === undefined ? next() : item(env, () => from(index + 1, env, next));
  };
  return (env, next) => from(0, env, next);
};

const partsOf = (node: Node | undefined): readonly Node[] => {
  if (node === undefined) return [];
  if ('BoolExpr' in node && node.BoolExpr.boolop === 'AND_EXPR')
    return (node.BoolExpr.args ?? []).flatMap(partsOf);
  return [node];
};

/** The parts of a where clause, each judged as soon as everything that it speaks of is bound. */
export const conditionsOf = (
  where: Node | undefined,
): Conditions & { readonly rest: (scope: Scope) => readonly Compiled[] } => {
  let parts = partsOf(where);
  const take = (scope: Scope): readonly Compiled[] => {
    const ready: Compiled[] = [];
    const later: Node[] = [];
    for (const part of parts) {
      try {
        // What cannot be found among the sources bound so far is judged when it can be.
        ready.push(compileExpression(part, scope));
      } catch {
        later.push(part);
      }
    }
    parts = later;
    return ready;
  };
  return {
    take,
    rest: (scope) => {
      const rest = parts.map((part) => compileExpression(part, scope));
      parts = [];
      return rest;
    },
  };
};

import type { DeleteStmt, InsertStmt, Node, OnConflictClause, UpdateStmt } from '@pgsql/types';
import { compileExpression } from './compile-expression.ts';
import { castTo } from './compile-operators.ts';
import { allHold, compileAllFrom, conditionsOf, lookFor } from './compile-from.ts';
import { compileQueryOf, compileWith } from './compile-query.ts';
import { columnsOfTargets, compileTargets, rowsOfTargets } from './compile-targets.ts';
import {
  addSource,
  columnsOf,
  newScope,
  tableOf,
  type Compiled,
  type CompiledQuery,
  type Env,
  type Scope,
} from './scope.ts';
import { collision, deleteRow, insertRow, updateRow, type Column, type Table } from './tables.ts';
import { castFrom, type Row, type SqlType, type Value } from './values.ts';

type Assignment = { readonly name: string; readonly value: Compiled };

const assignments = (nodes: readonly Node[], table: Table, scope: Scope): readonly Assignment[] =>
  nodes.flatMap((node) => {
    if (!('ResTarget' in node)) return [];
    const { name = '', val } = node.ResTarget;
    const column = table.columns.get(name);
    if (column === undefined) throw new Error(`${table.name} has no column ${name}`);
    return [{ name, value: castTo(compileExpression(val, scope), column.type) }];
  });

const changed = (row: Row, sets: readonly Assignment[], env: Env): Row => {
  const after: Record<string, Value> = { ...row };
  for (const { name, value } of sets) after[name] = value.of(env);
  return after;
};

type Conflict = {
  readonly columns: readonly string[] | null;
  /** `null`: nothing is done. */
  readonly sets: readonly Assignment[] | null;
  readonly where: Compiled | null;
};

const compileConflict = (node: OnConflictClause, table: Table, scope: Scope): Conflict => {
  const names = (node.infer?.indexElems ?? []).flatMap((one) =>
    'IndexElem' in one && one.IndexElem.name !== undefined ? [one.IndexElem.name] : [],
  );
  const columns = names.length === 0 ? null : names;
  if (node.action !== 'ONCONFLICT_UPDATE') return { columns, sets: null, where: null };
  addSource(scope, 'excluded', columnsOf(table));
  return {
    columns,
    sets: assignments(node.targetList ?? [], table, scope),
    where: node.whereClause === undefined ? null : compileExpression(node.whereClause, scope),
  };
};

type Given = { readonly column: Column; readonly position: number; readonly cast: (value: Value) => Value };

/** For each column where its value stands among the given ones; -1: it comes from the default. */
const givenTo = (table: Table, names: readonly string[], types: readonly SqlType[]): readonly Given[] =>
  [...table.columns.values()].map((column) => {
    const position = names.indexOf(column.name);
    return { column, position, cast: castFrom(types[position] ?? 'unknown', column.type) };
  });

/** The row as it would be stored. */
const completed = (
  table: Table,
  given: readonly Given[],
  values: readonly Value[],
  skipped: readonly boolean[],
): Row => {
  const row: Record<string, Value> = {};
  for (const { column, position, cast } of given) {
    const { name, identity, defaultOf } = column;
    if (position >= 0 && skipped[position] !== true) row[name] = cast(values[position] ?? null);
    else row[name] = identity ? table.nextIdentity++ : (defaultOf?.() ?? null);
  }
  return row;
};

/** Positions of an insert's values that are to be the column's default. */
const defaultsAt = (query: Node | undefined): readonly (readonly boolean[])[] => {
  if (query === undefined || !('SelectStmt' in query)) return [];
  return (query.SelectStmt.valuesLists ?? []).map((list) =>
    ('List' in list ? (list.List.items ?? []) : []).map((item) => 'SetToDefault' in item),
  );
};

const compileInsert = (node: InsertStmt, outer: Scope): CompiledQuery => {
  const table = tableOf(outer.catalogue, node.relation?.relname ?? '');
  const scope = newScope(outer.catalogue, outer);
  addSource(scope, node.relation?.alias?.aliasname ?? table.name, columnsOf(table));
  const names =
    node.cols === undefined || node.cols.length === 0
      ? [...table.columns.keys()]
      : node.cols.flatMap((one) => ('ResTarget' in one ? [one.ResTarget.name ?? ''] : []));
  const source = compileQueryOf(node.selectStmt, outer);
  const wanted = givenTo(table, names, [...source.columns.values()]);
  const defaults = defaultsAt(node.selectStmt);
  const targets = compileTargets(node.returningList ?? [], scope);
  const rowsOf = returning(targets);
  const conflict =
    node.onConflictClause === undefined ? null : compileConflict(node.onConflictClause, table, scope);
  const { tables } = outer.catalogue;

  const insertOne = (row: Row, env: Env): boolean => {
    const holder = conflict === null ? null : collision(table, row, conflict.columns);
    if (holder === null || conflict === null) {
      env.rows[0] = insertRow(tables, table, row);
      return true;
    }
    if (conflict.sets === null) return false;
    const held = table.rows.get(holder) ?? null;
    env.rows[0] = held;
    env.rows[1] = row;
    if (held === null || (conflict.where !== null && conflict.where.of(env) !== true)) return false;
    env.rows[0] = updateRow(tables, table, holder, changed(held, conflict.sets, env));
    return true;
  };

  return {
    columns: columnsOfTargets(targets),
    run: (outerEnv, run) => {
      const env: Env = { rows: [null, null], outer: outerEnv, run };
      const answer: Row[] = [];
      source.run(outerEnv, run).forEach((given, index) => {
        const row = completed(table, wanted, Object.values(given), defaults[index] ?? []);
        if (insertOne(row, env)) answer.push(...rowsOf(env));
      });
      return answer;
    },
  };
};

const oneForEach: readonly Row[] = [{}];

/** Without a returning clause each written row still counts as one. */
const returning = (targets: Parameters<typeof rowsOfTargets>[0]): ((env: Env) => readonly Row[]) =>
  targets.length === 0 ? () => oneForEach : rowsOfTargets(targets);

type Meant = { readonly id: number; readonly rows: (Row | null)[] };

/** The rows of a table that a statement is about, each with what it was found beside. */
const compileMeant = (
  node: UpdateStmt | DeleteStmt,
  table: Table,
  scope: Scope,
  beside: readonly Node[],
): ((env: Env) => readonly Meant[]) => {
  addSource(scope, node.relation?.alias?.aliasname ?? table.name, columnsOf(table));
  const conditions = conditionsOf(node.whereClause);
  const first = conditions.take(scope);
  const from = compileAllFrom(beside, scope, conditions);
  const rest = conditions.rest(scope);
  const idsIn = lookFor(table, 0, first);
  return (env) => {
    const meant: Meant[] = [];
    for (const id of idsIn(env) ?? table.rows.keys()) {
      env.rows[0] = table.rows.get(id) ?? null;
      if (!allHold(first, env)) continue;
      from(env, () => {
        if (!allHold(rest, env)) return true;
        meant.push({ id, rows: [...env.rows] });
        return false;
      });
    }
    return meant;
  };
};

const compileUpdate = (node: UpdateStmt, outer: Scope): CompiledQuery => {
  const table = tableOf(outer.catalogue, node.relation?.relname ?? '');
  const scope = newScope(outer.catalogue, outer);
  const meantIn = compileMeant(node, table, scope, node.fromClause ?? []);
  const sets = assignments(node.targetList ?? [], table, scope);
  const targets = compileTargets(node.returningList ?? [], scope);
  const rowsOf = returning(targets);
  const { tables } = outer.catalogue;
  return {
    columns: columnsOfTargets(targets),
    run: (outerEnv, run) => {
      const env: Env = { rows: [], outer: outerEnv, run };
      const answer: Row[] = [];
      for (const { id, rows } of meantIn(env)) {
        const one: Env = { rows, outer: outerEnv, run };
        const before = rows[0] ?? null;
        if (before === null) continue;
        rows[0] = updateRow(tables, table, id, changed(before, sets, one));
        answer.push(...rowsOf(one));
      }
      return answer;
    },
  };
};

const compileDelete = (node: DeleteStmt, outer: Scope): CompiledQuery => {
  const table = tableOf(outer.catalogue, node.relation?.relname ?? '');
  const scope = newScope(outer.catalogue, outer);
  const meantIn = compileMeant(node, table, scope, node.usingClause ?? []);
  const targets = compileTargets(node.returningList ?? [], scope);
  const rowsOf = returning(targets);
  const { tables } = outer.catalogue;
  return {
    columns: columnsOfTargets(targets),
    run: (outerEnv, run) => {
      const env: Env = { rows: [], outer: outerEnv, run };
      const answer: Row[] = [];
      for (const { id, rows } of meantIn(env)) {
        deleteRow(tables, table, id);
        answer.push(...rowsOf({ rows, outer: outerEnv, run }));
      }
      return answer;
    },
  };
};

export const compileWrite = (node: Node, outer: Scope): CompiledQuery => {
  const statement = Object.values(node)[0] as InsertStmt | UpdateStmt | DeleteStmt;
  if (statement.withClause !== undefined) {
    const rest = { [Object.keys(node)[0] ?? '']: { ...statement, withClause: undefined } } as unknown as Node;
    return compileWith(statement.withClause, outer, (common) => compileWrite(rest, { ...outer, common }));
  }
  if ('InsertStmt' in node) return compileInsert(node.InsertStmt, outer);
  if ('UpdateStmt' in node) return compileUpdate(node.UpdateStmt, outer);
  if ('DeleteStmt' in node) return compileDelete(node.DeleteStmt, outer);
  throw new Error(`the pretend PostgreSQL does not know ${Object.keys(node).join()}`);
};

import type { Node, SelectStmt, SortBy, WithClause } from '@pgsql/types';
import { aggregatesIn, compileExpression, nameIn } from './compile-expression.ts';
import { allHold, compileAllFrom, conditionsOf } from './compile-from.ts';
import { compileWrite } from './compile-write.ts';
import { columnsOfTargets, compileTargets, distinctNames, rowsOfTargets } from './compile-targets.ts';
import {
  newScope,
  type Columns,
  type Compiled,
  type CompiledCommon,
  type CompiledQuery,
  type Env,
  type Run,
  type Scope,
} from './scope.ts';
import { compareValues, keyOf, type Row, type SqlType, type Value } from './values.ts';

type Order = {
  readonly of: (env: Env, row: Row) => Value;
  readonly down: boolean;
  readonly nullsFirst: boolean;
};

const compileOrder = ({ SortBy: node }: { SortBy: SortBy }, scope: Scope, columns: Columns): Order => {
  const down = node.sortby_dir === 'SORTBY_DESC';
  const nullsFirst =
    node.sortby_nulls === 'SORTBY_NULLS_FIRST' || (node.sortby_nulls === 'SORTBY_NULLS_DEFAULT' && down);
  const { node: by } = node;
  const name =
    by !== undefined && 'ColumnRef' in by && by.ColumnRef.fields?.length === 1
      ? nameIn(by.ColumnRef.fields[0])
      : '';
  if (columns.has(name)) return { of: (_, row) => row[name] ?? null, down, nullsFirst };
  if (by !== undefined && 'A_Const' in by && by.A_Const.ival !== undefined) {
    const named = [...columns.keys()][(by.A_Const.ival.ival ?? 1) - 1] ?? '';
    return { of: (_, row) => row[named] ?? null, down, nullsFirst };
  }
  const compiled = compileExpression(by, scope);
  return { of: (env) => compiled.of(env), down, nullsFirst };
};

type Found = { readonly row: Row; readonly by: readonly Value[]; readonly distinct: string };

const compareBy =
  (orders: readonly Order[]) =>
  (one: Found, other: Found): number => {
    for (const [index, { down, nullsFirst }] of orders.entries()) {
      const [a, b] = [one.by[index] ?? null, other.by[index] ?? null];
      if (a === null && b === null) continue;
      if (a === null || b === null) return (a === null) === nullsFirst ? -1 : 1;
      const order = compareValues(a, b);
      if (order !== 0) return down ? -order : order;
    }
    return 0;
  };

const eachOnce = (found: readonly Found[]): readonly Found[] => {
  const seen = new Set<string>();
  return found.filter(({ distinct }) => {
    if (seen.has(distinct)) return false;
    seen.add(distinct);
    return true;
  });
};

const grouped = (
  found: readonly (readonly (Row | null)[])[],
  by: readonly Compiled[],
  env: Env,
): readonly (readonly (readonly (Row | null)[])[])[] => {
  if (by.length === 0) return [found];
  const groups = new Map<string, (readonly (Row | null)[])[]>();
  for (const rows of found) {
    const one: Env = { ...env, rows: [...rows] };
    const key = keyOf(by.map((each) => each.of(one)));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [rows]);
    else group.push(rows);
  }
  return [...groups.values()];
};

const limited = (node: Node | undefined, scope: Scope): ((env: Env) => number) => {
  if (node === undefined) return () => Infinity;
  const compiled = compileExpression(node, scope);
  return (env) => {
    const value = compiled.of(env);
    return value === null ? Infinity : Number(value);
  };
};

const compilePlain = (node: SelectStmt, scope: Scope): CompiledQuery => {
  const conditions = conditionsOf(node.whereClause);
  const from = compileAllFrom(node.fromClause ?? [], scope, conditions);
  const rest = conditions.rest(scope);
  const targets = distinctNames(compileTargets(node.targetList ?? [], scope));
  const columns = columnsOfTargets(targets);
  const by = (node.groupClause ?? []).map((one) => compileExpression(one, scope));
  const having = node.havingClause === undefined ? null : compileExpression(node.havingClause, scope);
  const groups = by.length > 0 || aggregatesIn(node.targetList) || having !== null;
  const orders = (node.sortClause ?? []).flatMap((one) =>
    'SortBy' in one ? [compileOrder(one, scope, columns)] : [],
  );
  const distinctOn = (node.distinctClause ?? []).flatMap((one) =>
    Object.keys(one).length === 0 ? [] : [compileExpression(one, scope)],
  );
  const isDistinct = node.distinctClause !== undefined && node.distinctClause.length > 0;
  const limit = limited(node.limitCount, scope);
  const offset = limited(node.limitOffset, scope);

  const rowsOf = rowsOfTargets(targets);
  const isPlain = orders.length === 0 && !isDistinct && node.limitOffset === undefined;

  const run = (outer: Env | null, given: Run): readonly Row[] => {
    const env: Env = { rows: new Array<Row | null>(scope.sources.length).fill(null), outer, run: given };
    const most = limit(env);
    const plain: Row[] = [];
    const found: Found[] = [];
    const take = (at: Env): void => {
      for (const row of rowsOf(at)) {
        if (isPlain) plain.push(row);
        else {
          const distinct = isDistinct
            ? keyOf(distinctOn.length > 0 ? distinctOn.map((one) => one.of(at)) : Object.values(row))
            : '';
          found.push({ row, by: orders.map((order) => order.of(at, row)), distinct });
        }
      }
    };
    if (groups) {
      const all: (readonly (Row | null)[])[] = [];
      from(env, () => {
        if (allHold(rest, env)) all.push([...env.rows]);
        return true;
      });
      for (const group of grouped(all, by, env)) {
        const one: Env = { ...env, rows: [...(group[0] ?? [])], group };
        if (having === null || having.of(one) === true) take(one);
      }
    } else {
      from(env, () => {
        if (allHold(rest, env)) take(env);
        return !isPlain || plain.length < most;
      });
    }
    if (isPlain) return plain.length > most ? plain.slice(0, most) : plain;
    if (orders.length > 0) found.sort(compareBy(orders));
    const rows = isDistinct ? eachOnce(found) : found;
    const begin = node.limitOffset === undefined ? 0 : offset(env);
    return rows.slice(begin, begin + most).map(({ row }) => row);
  };
  return { columns, run };
};

const compileUnion = (node: SelectStmt, scope: Scope): CompiledQuery => {
  if (node.op !== 'SETOP_UNION') throw new Error(`the pretend PostgreSQL does not know ${String(node.op)}`);
  const one = compileSelect(node.larg, scope);
  const other = compileSelect(node.rarg, scope);
  const names = [...one.columns.keys()];
  const otherNames = [...other.columns.keys()];
  const run = (outer: Env | null, given: Run): readonly Row[] => {
    const renamed = other
      .run(outer, given)
      .map((row) =>
        Object.fromEntries(names.map((name, index) => [name, row[otherNames[index] ?? ''] ?? null])),
      );
    const all = [...one.run(outer, given), ...renamed];
    if (node.all === true) return all;
    const seen = new Map(all.map((row) => [keyOf(names.map((name) => row[name] ?? null)), row]));
    return [...seen.values()];
  };
  return { columns: one.columns, run };
};

const compileValues = (node: SelectStmt, scope: Scope): CompiledQuery => {
  const rows = (node.valuesLists ?? []).map((list) =>
    ('List' in list ? (list.List.items ?? []) : []).map((item) =>
      'SetToDefault' in item ? null : compileExpression(item, scope),
    ),
  );
  const columns = new Map(
    (rows[0] ?? []).map((one, index): [string, SqlType] => [
      `column${String(index + 1)}`,
      one?.type ?? 'unknown',
    ]),
  );
  const names = [...columns.keys()];
  return {
    columns,
    run: (outer, run) => {
      const env: Env = { rows: [], outer, run };
      return rows.map((row) =>
        Object.fromEntries(names.map((name, index) => [name, row[index]?.of(env) ?? null])),
      );
    },
  };
};

const compileSelect = (
  node: SelectStmt | undefined,
  outer: Scope,
  common?: Scope['common'],
): CompiledQuery => {
  if (node === undefined) throw new Error('a query is missing');
  if (node.withClause !== undefined)
    return compileWith(node.withClause, outer, (found) =>
      compileSelect({ ...node, withClause: undefined } as unknown as SelectStmt, outer, found),
    );
  const scope = newScope(outer.catalogue, outer, common);
  if (node.op !== undefined && node.op !== 'SETOP_NONE') return compileUnion(node, scope);
  if (node.valuesLists !== undefined && node.valuesLists.length > 0) return compileValues(node, scope);
  return compilePlain(node, scope);
};

/** Common tables are worked out in their order, before the query that names them. */
export const compileWith = (
  clause: WithClause,
  outer: Scope,
  compile: (common: Scope['common']) => CompiledQuery,
): CompiledQuery => {
  const common = new Map<string, CompiledCommon>(outer.common);
  const parts: { readonly key: object; readonly query: CompiledQuery }[] = [];
  for (const one of clause.ctes ?? []) {
    if (!('CommonTableExpr' in one)) continue;
    const { ctename = '', ctequery } = one.CommonTableExpr;
    const query = compileQueryOf(ctequery, { ...outer, common: new Map(common) });
    const key = {};
    parts.push({ key, query });
    common.set(ctename, { key, columns: query.columns });
  }
  const query = compile(common);
  return {
    columns: query.columns,
    run: (env, run) => {
      for (const part of parts) run.common.set(part.key, part.query.run(env, run));
      return query.run(env, run);
    },
  };
};

/** Whatever comes to rows. */
export const compileQueryOf = (node: Node | undefined, outer: Scope): CompiledQuery => {
  if (node === undefined) throw new Error('a query is missing');
  if ('SelectStmt' in node) return compileSelect(node.SelectStmt, outer);
  return compileWrite(node, outer);
};

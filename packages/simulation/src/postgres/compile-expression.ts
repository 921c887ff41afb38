import type { A_Expr, ColumnRef, FuncCall, Node, SubLink, TypeName } from '@pgsql/types';
import {
  agree,
  anyOf,
  castTo,
  compileComparison,
  compileOperator,
  constantOf,
  equalsAmong,
} from './compile-operators.ts';
import { aggregates, buildScalar } from './functions.ts';
import { climb, findColumn, findSource, type Compiled, type Env, type Scope } from './scope.ts';
import { compareValues, isSame, type Row, type SqlType, type Value } from './values.ts';
import { compileQueryOf } from './compile-query.ts';

export const nameIn = (node: Node | undefined): string =>
  node !== undefined && 'String' in node ? (node.String.sval ?? '') : '';

export const typeOfName = (name: TypeName): SqlType => {
  const base = nameIn(name.names?.at(-1));
  const known = base === 'bpchar' || base === 'varchar' ? 'text' : base;
  return (name.arrayBounds ?? []).length > 0 ? `${known}[]` : known;
};

type Part<Kind extends string> = Extract<Node, Record<Kind, unknown>>;

const compileConstant = ({ A_Const: node }: Part<'A_Const'>): Compiled => {
  if (node.isnull === true) return constantOf('unknown', null);
  if (node.ival !== undefined) return constantOf('int4', node.ival.ival ?? 0);
  if (node.fval !== undefined) return constantOf('numeric', Number(node.fval.fval));
  if (node.boolval !== undefined) return constantOf('bool', node.boolval.boolval ?? false);
  return constantOf('unknown', node.sval?.sval ?? '');
};

const compileColumn = (node: ColumnRef, scope: Scope): Compiled => {
  const names = (node.fields ?? []).map(nameIn);
  const name = names.at(-1) ?? '';
  const alias = names.length > 1 ? (names.at(-2) ?? null) : null;
  const found = findColumn(scope, alias, name);
  if (found !== undefined) return found;
  const whole = alias === null ? findSource(scope, name) : undefined;
  if (whole !== undefined) {
    const { depth, source } = whole;
    return { type: 'record', of: (env) => climb(env, depth).rows[source.slot] ?? null };
  }
  throw new Error(`there is no column ${names.join('.')} here`);
};

const itemsOf = (node: Node | undefined): readonly Node[] =>
  node !== undefined && 'List' in node ? (node.List.items ?? []) : [];

const compileIn = (node: A_Expr, scope: Scope): Compiled => {
  const left = compileExpression(node.lexpr, scope);
  const items = itemsOf(node.rexpr).map((item) => agree(left, compileExpression(item, scope)));
  const tests = items.map(([one, other]) => compileComparison('=', one, other));
  const negated = nameIn(node.name?.[0]) === '<>';
  const others = items.map(([, other]) => other);
  return {
    ...(negated ? {} : equalsAmong(left, others, (env) => others.map((other) => other.of(env)))),
    type: 'bool',
    of: (env) => {
      const found = tests.some((one) => one.of(env) === true);
      return left.of(env) === null ? null : found !== negated;
    },
  };
};

const compileA = (node: A_Expr, scope: Scope): Compiled => {
  const operator = nameIn(node.name?.at(-1));
  if (node.kind === 'AEXPR_IN') return compileIn(node, scope);
  if (node.lexpr === undefined) {
    const only = compileExpression(node.rexpr, scope);
    return { type: only.type, of: (env) => (operator === '-' ? -Number(only.of(env)) : only.of(env)) };
  }
  const one = compileExpression(node.lexpr, scope);
  if (node.kind === 'AEXPR_BETWEEN') {
    const [low, high] = itemsOf(node.rexpr).map((item) => compileExpression(item, scope));
    if (low === undefined || high === undefined) throw new Error('between needs two ends');
    const [from, to] = [compileComparison('>=', one, low), compileComparison('<=', one, high)];
    return { type: 'bool', of: (env) => from.of(env) === true && to.of(env) === true };
  }
  const other = compileExpression(node.rexpr, scope);
  switch (String(node.kind)) {
    case 'AEXPR_OP_ANY':
      return anyOf(other, one, operator);
    case 'AEXPR_OP_ALL': {
      const some = anyOf(other, one, operator === '<>' ? '=' : operator);
      if (operator !== '<>') throw new Error('only <> all is known here');
      return { type: 'bool', of: (env) => some.of(env) !== true };
    }
    case 'AEXPR_DISTINCT':
    case 'AEXPR_NOT_DISTINCT': {
      const [left, right] = agree(one, other);
      const wanted = node.kind === 'AEXPR_NOT_DISTINCT';
      return {
        type: 'bool',
        of: (env) => {
          const a = left.of(env);
          const b = right.of(env);
          const same = a === null || b === null ? a === b : isSame(a, b);
          return same === wanted;
        },
      };
    }
    case 'AEXPR_NULLIF': {
      const equal = compileComparison('=', one, other);
      return { type: one.type, of: (env) => (equal.of(env) === true ? null : one.of(env)) };
    }
    default:
      return compileOperator(operator, one, other);
  }
};

/** All of one type: the first that has one decides. */
const together = (nodes: readonly Node[], scope: Scope): { type: SqlType; each: readonly Compiled[] } => {
  const compiled = nodes.map((node) => compileExpression(node, scope));
  const type = compiled.find((one) => one.type !== 'unknown')?.type ?? 'unknown';
  return { type, each: compiled.map((one) => (one.type === 'unknown' ? castTo(one, type) : one)) };
};

const compileFunction = (node: FuncCall, scope: Scope): Compiled => {
  const name = nameIn(node.funcname?.at(-1));
  const given = (node.args ?? []).map((one) => compileExpression(one, scope));
  const aggregate = aggregates[name];
  if (aggregate !== undefined) {
    const [first] = given;
    const filter = node.agg_filter === undefined ? null : compileExpression(node.agg_filter, scope);
    return {
      type: aggregate.type(first?.type ?? 'unknown'),
      of: (env) => {
        const values: Value[] = [];
        for (const rows of env.group ?? []) {
          const one: Env = { rows: rows as (Row | null)[], outer: env.outer, run: env.run };
          if (filter !== null && filter.of(one) !== true) continue;
          const value = first === undefined ? true : first.of(one);
          if (value !== null) values.push(value);
        }
        return aggregate.fold(values);
      },
    };
  }
  const own = scope.catalogue.functions.get(name);
  if (own !== undefined) {
    const [column] = [...own.columns];
    return {
      type: column?.[1] ?? 'unknown',
      of: (env) => {
        const [row] = own.run(
          given.map((one) => one.of(env)),
          env.run,
        );
        return row?.[column?.[0] ?? ''] ?? null;
      },
    };
  }
  return buildScalar(name, given);
};

const compileSubLink = (node: SubLink, scope: Scope): Compiled => {
  const query = compileQueryOf(node.subselect, scope);
  const [first] = [...query.columns.keys()];
  const type = query.columns.get(first ?? '') ?? 'unknown';
  switch (String(node.subLinkType)) {
    case 'EXISTS_SUBLINK':
      return { type: 'bool', of: (env) => query.run(env, env.run).length > 0 };
    case 'EXPR_SUBLINK':
      return { type, of: (env) => query.run(env, env.run)[0]?.[first ?? ''] ?? null };
    case 'ARRAY_SUBLINK':
      return {
        type: `${type}[]`,
        of: (env) => query.run(env, env.run).map((row) => row[first ?? ''] ?? null),
      };
    case 'ANY_SUBLINK': {
      const left = castTo(compileExpression(node.testexpr, scope), type);
      return {
        type: 'bool',
        of: (env) => {
          const value = left.of(env);
          if (value === null) return null;
          return query.run(env, env.run).some((row) => {
            const one = row[first ?? ''] ?? null;
            return one !== null && compareValues(one, value) === 0;
          });
        },
      };
    }
    default:
      throw new Error(`the pretend PostgreSQL does not know ${String(node.subLinkType)}`);
  }
};

const compileBoolean = ({ BoolExpr: node }: Part<'BoolExpr'>, scope: Scope): Compiled => {
  const parts = (node.args ?? []).map((one) => compileExpression(one, scope));
  const [first] = parts;
  if (node.boolop === 'NOT_EXPR') {
    return {
      type: 'bool',
      of: (env) => {
        const value = first?.of(env) ?? null;
        return value === null ? null : value !== true;
      },
    };
  }
  const ends = node.boolop === 'OR_EXPR';
  return {
    type: 'bool',
    of: (env) => {
      let unknown = false;
      for (const part of parts) {
        const value = part.of(env);
        if (value === ends) return ends;
        if (value === null) unknown = true;
      }
      return unknown ? null : !ends;
    },
  };
};

const compileCase = ({ CaseExpr: node }: Part<'CaseExpr'>, scope: Scope): Compiled => {
  const subject = node.arg === undefined ? null : compileExpression(node.arg, scope);
  const whens = (node.args ?? []).flatMap((one) => ('CaseWhen' in one ? [one.CaseWhen] : []));
  const conditions = whens.map(({ expr }) => {
    const compiled = compileExpression(expr, scope);
    return subject === null ? compiled : compileComparison('=', subject, compiled);
  });
  const results = [...whens.flatMap(({ result }) => (result === undefined ? [] : [result]))];
  if (node.defresult !== undefined) results.push(node.defresult);
  const { type, each } = together(results, scope);
  const otherwise = node.defresult === undefined ? undefined : each.at(-1);
  return {
    type,
    of: (env) => {
      for (const [index, condition] of conditions.entries()) {
        if (condition.of(env) === true) return each[index]?.of(env) ?? null;
      }
      return otherwise?.of(env) ?? null;
    },
  };
};

export const compileExpression = (node: Node | undefined, scope: Scope): Compiled => {
  if (node === undefined) throw new Error('an expression is missing');
  if ('A_Const' in node) return compileConstant(node);
  if ('ColumnRef' in node) return compileColumn(node.ColumnRef, scope);
  if ('A_Expr' in node) return compileA(node.A_Expr, scope);
  if ('BoolExpr' in node) return compileBoolean(node, scope);
  if ('SubLink' in node) return compileSubLink(node.SubLink, scope);
  if ('FuncCall' in node) return compileFunction(node.FuncCall, scope);
  if ('CaseExpr' in node) return compileCase(node, scope);
  if ('ParamRef' in node) {
    const position = (node.ParamRef.number ?? 1) - 1;
    return { type: 'unknown', of: (env) => env.run.parameters[position] ?? null, reads: -1 };
  }
  if ('TypeCast' in node) {
    const { arg, typeName } = node.TypeCast;
    if (typeName === undefined) throw new Error('a cast to nothing');
    return castTo(compileExpression(arg, scope), typeOfName(typeName));
  }
  if ('NullTest' in node) {
    const one = compileExpression(node.NullTest.arg, scope);
    const wanted = node.NullTest.nulltesttype === 'IS_NULL';
    return { type: 'bool', of: (env) => (one.of(env) === null) === wanted };
  }
  return compileRest(node, scope);
};

const compileRest = (node: Node, scope: Scope): Compiled => {
  if ('CoalesceExpr' in node) {
    const { type, each } = together(node.CoalesceExpr.args ?? [], scope);
    return {
      type,
      of: (env) => {
        for (const one of each) {
          const value = one.of(env);
          if (value !== null) return value;
        }
        return null;
      },
    };
  }
  if ('MinMaxExpr' in node) {
    const { type, each } = together(node.MinMaxExpr.args ?? [], scope);
    const aggregate = node.MinMaxExpr.op === 'IS_LEAST' ? aggregates['min'] : aggregates['max'];
    return {
      type,
      of: (env) => aggregate?.fold(each.map((one) => one.of(env)).filter((one) => one !== null)) ?? null,
    };
  }
  if ('RowExpr' in node) {
    const each = (node.RowExpr.args ?? []).map((one) => compileExpression(one, scope));
    return { type: 'record', of: (env) => each.map((one) => one.of(env)) };
  }
  if ('A_ArrayExpr' in node) {
    const { type, each } = together(node.A_ArrayExpr.elements ?? [], scope);
    return { type: `${type}[]`, of: (env) => each.map((one) => one.of(env)) };
  }
  if ('BooleanTest' in node) {
    const one = compileExpression(node.BooleanTest.arg, scope);
    const kind = node.BooleanTest.booltesttype ?? 'IS_TRUE';
    const wanted = kind.endsWith('TRUE');
    return { type: 'bool', of: (env) => (one.of(env) === wanted) !== kind.startsWith('IS_NOT') };
  }
  if ('CollateClause' in node) return compileExpression(node.CollateClause.arg, scope);
  throw new Error(`the pretend PostgreSQL does not know ${Object.keys(node).join()}`);
};

/** Whether an expression aggregates: its query then has groups. */
export const aggregatesIn = (node: unknown): boolean => {
  if (typeof node !== 'object' || node === null) return false;
  if ('SubLink' in node) return false;
  if ('FuncCall' in node) {
    const call = (node as { FuncCall: FuncCall }).FuncCall;
    if (aggregates[nameIn(call.funcname?.at(-1))] !== undefined) return true;
  }
  return Object.values(node).some(aggregatesIn);
};

import type { Node } from '@pgsql/types';
import { compileExpression, nameIn } from './compile-expression.ts';
import { rowFunctions } from './functions.ts';
import type { Columns, Compiled, Env, Scope } from './scope.ts';
import type { Row, SqlType, Value } from './values.ts';

type Target = { readonly name: string; readonly value: Compiled; readonly spreads: boolean };

const nameOfTarget = (node: Node): string => {
  if ('ColumnRef' in node) return nameIn(node.ColumnRef.fields?.at(-1));
  if ('FuncCall' in node) return nameIn(node.FuncCall.funcname?.at(-1));
  if ('TypeCast' in node && node.TypeCast.arg !== undefined) return nameOfTarget(node.TypeCast.arg);
  if ('CoalesceExpr' in node) return 'coalesce';
  if ('SubLink' in node) return node.SubLink.subLinkType === 'EXISTS_SUBLINK' ? 'exists' : '?column?';
  return '?column?';
};

const isStar = (node: Node): boolean =>
  'ColumnRef' in node && node.ColumnRef.fields?.some((field) => 'A_Star' in field) === true;

const starred = (node: Node, scope: Scope): readonly Target[] => {
  const fields = 'ColumnRef' in node ? (node.ColumnRef.fields ?? []) : [];
  const alias = fields.length > 1 ? nameIn(fields[0]) : null;
  return scope.sources
    .filter((source) => alias === null || source.alias === alias)
    .flatMap(({ slot, columns }) =>
      [...columns].map(([name, type]): Target => ({
        name,
        spreads: false,
        value: { type, of: (env) => env.rows[slot]?.[name] ?? null },
      })),
    );
};

/** A function that comes to rows, where a value is asked for: one row for each. */
const spreading = (node: Node, scope: Scope): Compiled | null => {
  if (!('FuncCall' in node)) return null;
  const rowFunction = rowFunctions[nameIn(node.FuncCall.funcname?.at(-1))];
  if (rowFunction === undefined) return null;
  const given = (node.FuncCall.args ?? []).map((one) => compileExpression(one, scope));
  return {
    type: rowFunction.columns(given.map(({ type }) => type))[0] ?? 'unknown',
    of: (env) => rowFunction.rows(given.map((one) => one.of(env))).map(([first]) => first ?? null),
  };
};

export const compileTargets = (nodes: readonly Node[], scope: Scope): readonly Target[] =>
  nodes.flatMap((node): readonly Target[] => {
    if (!('ResTarget' in node) || node.ResTarget.val === undefined) return [];
    const { val, name } = node.ResTarget;
    if (isStar(val)) return starred(val, scope);
    const spread = spreading(val, scope);
    return [
      {
        name: name ?? nameOfTarget(val),
        value: spread ?? compileExpression(val, scope),
        spreads: spread !== null,
      },
    ];
  });

/** Names that stand twice are told apart, so that a row can hold both in order. */
export const distinctNames = (targets: readonly Target[]): readonly Target[] => {
  const seen = new Map<string, number>();
  return targets.map((target) => {
    const times = seen.get(target.name) ?? 0;
    seen.set(target.name, times + 1);
    return times === 0 ? target : { ...target, name: `${target.name} ${String(times)}` };
  });
};

export const columnsOfTargets = (targets: readonly Target[]): Columns =>
  new Map(targets.map(({ name, value }): [string, SqlType] => [name, value.type]));

/** Reads the targets' row; several where a function among them comes to rows. */
export const rowsOfTargets = (targets: readonly Target[]): ((env: Env) => readonly Row[]) => {
  const read = targets.map(({ name, value }): [string, Compiled['of']] => [name, value.of]);
  const rowOf = (env: Env): Record<string, Value> => {
    const row: Record<string, Value> = {};
    for (const [name, of] of read) row[name] = of(env);
    return row;
  };
  const spread = targets.filter(({ spreads }) => spreads);
  if (spread.length === 0) return (env) => [rowOf(env)];
  return (env) => {
    const row = rowOf(env);
    const lists = spread.map(({ name }) => row[name] as readonly Value[]);
    const longest = Math.max(0, ...lists.map(({ length }) => length));
    return Array.from({ length: longest }, (_, index) => {
      const one = { ...row };
      spread.forEach(({ name }, position) => {
        one[name] = lists[position]?.[index] ?? null;
      });
      return one;
    });
  };
};

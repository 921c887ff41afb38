import { plainText } from './functions.ts';
import type { Compiled, Env } from './scope.ts';
import { castFrom, compareValues, elementOf, isSame, type SqlType, type Value } from './values.ts';

export const constantOf = (type: SqlType, value: Value): Compiled => ({
  ...{ type, constant: value, reads: -1 },
  of: () => value,
});

/** Brings an expression to a type at the time it is compiled. */
export const castTo = (given: Compiled, type: SqlType): Compiled => {
  if (given.type === type || type === 'unknown') return given;
  const cast = castFrom(given.type, type);
  const { of, constant, reads } = given;
  if (constant !== undefined) return constantOf(type, cast(constant));
  return { type, of: (env) => cast(of(env)), ...(reads === undefined ? {} : { reads }) };
};

/** What has no type yet takes the other's; numbers of different sizes are compared as they are. */
export const agree = (one: Compiled, other: Compiled): readonly [Compiled, Compiled] => {
  if (one.type === 'unknown' && other.type !== 'unknown') return [castTo(one, other.type), other];
  if (other.type === 'unknown' && one.type !== 'unknown') return [one, castTo(other, one.type)];
  return [one, other];
};

type Judge = (one: Value, other: Value) => boolean;

/** Of values that are not null. */
const comparisons: Readonly<Record<string, Judge>> = {
  '=': isSame,
  '<>': (one, other) => !isSame(one, other),
  '<': (one, other) => compareValues(one, other) < 0,
  '<=': (one, other) => compareValues(one, other) <= 0,
  '>': (one, other) => compareValues(one, other) > 0,
  '>=': (one, other) => compareValues(one, other) >= 0,
};

const judgeOf = (operator: string): Judge => {
  const judge = comparisons[operator];
  if (judge === undefined) throw new Error(`the pretend PostgreSQL does not compare by ${operator}`);
  return judge;
};

type Equals = Pick<Compiled, 'equals'>;

/** That a column has one of some values, where those are known before its row is. */
export const equalsAmong = (
  { column }: Compiled,
  others: readonly Compiled[],
  among: (env: Env) => readonly Value[],
): Equals => {
  if (column === undefined) return {};
  const isKnownBefore = others.every(({ reads }) => reads !== undefined && reads < column.slot);
  return isKnownBefore ? { equals: { ...column, among } } : {};
};

export const compileComparison = (operator: string, left: Compiled, right: Compiled): Compiled => {
  const [one, other] = agree(left, right);
  const judge = judgeOf(operator);
  const { of: ofLeft } = one;
  const { of: ofRight } = other;
  const equals: Equals =
    operator === '='
      ? {
          ...equalsAmong(one, [other], (env) => [ofRight(env)]),
          ...equalsAmong(other, [one], (env) => [ofLeft(env)]),
        }
      : {};
  return {
    ...equals,
    type: 'bool',
    of: (env) => {
      const a = ofLeft(env);
      if (a === null) return null;
      const b = ofRight(env);
      return b === null ? null : judge(a, b);
    },
  };
};

const sizes: readonly SqlType[] = ['int2', 'int4', 'int8', 'numeric', 'float8'];

const compileArithmetic = (operator: string, one: Compiled, other: Compiled): Compiled => {
  const calculate = (a: number, b: number): number =>
    operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b;
  const larger = sizes.indexOf(one.type) > sizes.indexOf(other.type) ? one.type : other.type;
  const type =
    one.type === 'timestamptz' && other.type === 'timestamptz'
      ? 'interval'
      : one.type === 'timestamptz'
        ? 'timestamptz'
        : larger;
  return {
    type: type === 'unknown' ? one.type : type,
    of: (env) => {
      const a = one.of(env);
      const b = other.of(env);
      if (a === null || b === null) return null;
      const result = calculate(Number(a), Number(b));
      return operator === '/' && type.startsWith('int') ? Math.trunc(result) : result;
    },
  };
};

const fieldOf = (value: Value, key: Value): Value => {
  if (typeof value !== 'object' || value === null || key === null) return null;
  if (Array.isArray(value)) return (value[Number(key)] as Value | undefined) ?? null;
  return (value as Readonly<Record<string, Value>>)[String(key)] ?? null;
};

const contains = (whole: Value, part: Value): boolean => {
  if (Array.isArray(part))
    return (
      Array.isArray(whole) && part.every((one: Value) => whole.some((other: Value) => contains(other, one)))
    );
  if (typeof part === 'object' && part !== null)
    return Object.entries(part).every(
      ([key, one]) =>
        typeof whole === 'object' && whole !== null && contains(fieldOf(whole, key), one ?? null),
    );
  return whole === part;
};

const concatenate = (one: Compiled, other: Compiled): Compiled => {
  if (one.type === 'jsonb' || other.type === 'jsonb') {
    const [left, right] = [castTo(one, 'jsonb'), castTo(other, 'jsonb')];
    return {
      type: 'jsonb',
      of: (env) => {
        const a = left.of(env);
        const b = right.of(env);
        if (a === null || b === null) return null;
        if (Array.isArray(a) || Array.isArray(b)) return [a, b].flat() as Value;
        return { ...(a as object), ...(b as object) };
      },
    };
  }
  const [left, right] = [castTo(one, 'text'), castTo(other, 'text')];
  return {
    type: 'text',
    of: (env) => {
      const a = left.of(env);
      const b = right.of(env);
      return a === null || b === null ? null : String(a) + String(b);
    },
  };
};

const nullable = (
  type: SqlType,
  one: Compiled,
  other: Compiled,
  call: (a: Value, b: Value) => Value,
): Compiled => ({
  type,
  of: (env) => {
    const a = one.of(env);
    const b = other.of(env);
    return a === null || b === null ? null : call(a, b);
  },
});

const like = (pattern: string, folded: boolean): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/%/g, '.*')
      .replace(/_/g, '.')}$`,
    folded ? 'is' : 's',
  );

export const compileOperator = (operator: string, one: Compiled, other: Compiled): Compiled => {
  if (operator in comparisons) return compileComparison(operator, one, other);
  switch (operator) {
    case '->':
      return nullable('jsonb', one, other, fieldOf);
    case '->>':
      return nullable('text', one, other, (a, b) => plainText(fieldOf(a, b)));
    case '@>':
      return nullable('bool', castTo(one, 'jsonb'), castTo(other, 'jsonb'), contains);
    case '?':
      return nullable('bool', one, other, (a, b) => Array.isArray(a) && a.includes(b));
    case '||':
      return concatenate(one, other);
    case '~':
      return nullable('bool', one, other, (a, b) => new RegExp(String(b)).test(String(a)));
    case '~~':
      return nullable('bool', one, other, (a, b) => like(String(b), false).test(String(a)));
    case '~~*':
      return nullable('bool', one, other, (a, b) => like(String(b), true).test(String(a)));
    case '!~~':
      return nullable('bool', one, other, (a, b) => !like(String(b), false).test(String(a)));
    case '+':
    case '-':
    case '*':
    case '/':
      return compileArithmetic(operator, one, other);
    default:
      throw new Error(`the pretend PostgreSQL does not know the operator ${operator}`);
  }
};

export const anyOf = (list: Compiled, one: Compiled, operator: string): Compiled => {
  const typed = list.type === 'unknown' ? castTo(list, `${one.type}[]`) : list;
  const left = one.type === 'unknown' ? castTo(one, elementOf(typed.type)) : one;
  const judge = judgeOf(operator);
  const among = (env: Env): readonly Value[] => {
    const values = typed.of(env);
    return Array.isArray(values) ? (values as readonly Value[]) : [];
  };
  return {
    ...(operator === '=' ? equalsAmong(left, [typed], among) : {}),
    type: 'bool',
    of: (env) => {
      const value = left.of(env);
      const values = typed.of(env);
      if (value === null || !Array.isArray(values)) return null;
      return values.some((each: Value) => each !== null && judge(value, each));
    },
  };
};

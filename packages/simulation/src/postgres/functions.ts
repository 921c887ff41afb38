import type { Compiled, Env } from './scope.ts';
import { castFrom, castValue, compareValues, type Row, type SqlType, type Value } from './values.ts';

type Built = { readonly type: SqlType; readonly call: (values: readonly Value[], env: Env) => Value };
type Builder = (types: readonly SqlType[]) => Built;

const strict =
  (type: SqlType, call: (values: readonly Value[], env: Env) => Value): Builder =>
  () => ({ type, call: (values, env) => (values.includes(null) ? null : call(values, env)) });
const always =
  (type: SqlType, call: (values: readonly Value[], env: Env) => Value): Builder =>
  () => ({ type, call });

const text = (value: Value | undefined): string => String(value ?? '');
const session = (env: Env) => env.run.session;

const jsonBuildObject: Builder = () => ({
  type: 'jsonb',
  call: (values) => {
    const built: Record<string, Value> = {};
    for (let index = 0; index < values.length; index += 2)
      built[text(values[index])] = values[index + 1] ?? null;
    return built;
  },
});

/** A value within JSON: times are text there. */
const inJson = (value: Value, type: SqlType | undefined): Value =>
  type === 'timestamptz' && typeof value === 'number'
    ? new Date(value).toISOString().replace(/\.?0*Z$/, '+00:00')
    : value;

const jsonBuildArray: Builder = (types) => ({
  type: 'jsonb',
  call: (values) => values.map((value, index) => inJson(value, types[index])),
});

/** Functions with one value, of those that the shipped statements use. */
const scalars: Readonly<Record<string, Builder>> = {
  clock_timestamp: always('timestamptz', (_, env) => session(env).nowMs()),
  now: always('timestamptz', (_, env) => session(env).nowMs()),
  gen_random_uuid: always('uuid', (_, env) => session(env).randomUuid()),
  set_config: always('text', ([name, value], env) => {
    session(env).settings.set(text(name), text(value));
    return value ?? null;
  }),
  current_setting: always('text', ([name], env) => session(env).settings.get(text(name)) ?? null),
  pg_advisory_xact_lock: always('unknown', () => ''),
  hashtextextended: always('int8', () => 0),
  pg_current_xact_id: always('xid8', (_, env) => session(env).transactionId()),
  pg_current_snapshot: always('unknown', () => 'snapshot'),
  pg_snapshot_xmin: always('xid8', (_, env) => session(env).horizon()),
  pg_snapshot_xmax: always('xid8', (_, env) => session(env).nextTransactionId()),
  floor: strict('numeric', ([value]) => Math.floor(Number(value))),
  lower: strict('text', ([value]) => text(value).toLowerCase()),
  length: strict('int4', ([value]) => text(value).length),
  left: strict('text', ([value, count]) => text(value).slice(0, Number(count))),
  split_part: strict('text', ([value, by, nth]) => text(value).split(text(by))[Number(nth) - 1] ?? ''),
  extract: strict('numeric', ([, value]) => Number(value) / 1_000),
  jsonb_typeof: strict('text', ([value]) =>
    Array.isArray(value)
      ? 'array'
      : value === null || value === undefined
        ? 'null'
        : typeof value === 'boolean'
          ? 'boolean'
          : typeof value,
  ),
  jsonb_array_length: strict('int4', ([value]) => (Array.isArray(value) ? value.length : 0)),
  jsonb_build_object: jsonBuildObject,
  json_build_array: jsonBuildArray,
  jsonb_build_array: jsonBuildArray,
  to_jsonb: (types) => ({
    type: 'jsonb',
    call: ([value]) => inJson(value ?? null, types[0]),
  }),
  cardinality: strict('int4', ([value]) => (Array.isArray(value) ? value.length : 0)),
  array_remove: (types) => ({
    type: types[0] ?? 'unknown',
    call: ([list, gone]) => (Array.isArray(list) ? list.filter((one: Value) => one !== gone) : null),
  }),
  md5: strict('text', ([value]) => text(value)),
  decode: strict('bytea', ([value]) => text(value)),
};

export const buildScalar = (name: string, given: readonly Compiled[]): Compiled => {
  const builder = scalars[name];
  if (builder === undefined) throw new Error(`the pretend PostgreSQL does not know the function ${name}`);
  const { type, call } = builder(given.map((one) => one.type));
  const [first, second] = given.map(({ of }) => of);
  if (first === undefined) return { type, of: (env) => call([], env) };
  if (second === undefined) return { type, of: (env) => call([first(env)], env) };
  return {
    type,
    of: (env) =>
      call(
        given.map(({ of }) => of(env)),
        env,
      ),
  };
};

type Aggregate = {
  readonly type: (of: SqlType) => SqlType;
  /** Nulls are left out before. */
  readonly fold: (values: readonly Value[]) => Value;
};

const most =
  (sign: 1 | -1) =>
  (values: readonly Value[]): Value =>
    values.reduce<Value>(
      (best, one) => (best === null || compareValues(one, best) * sign > 0 ? one : best),
      null,
    );

const same = (of: SqlType): SqlType => of;

export const aggregates: Readonly<Record<string, Aggregate>> = {
  count: { type: () => 'int8', fold: (values) => values.length },
  sum: {
    type: (of) => (of === 'float8' ? 'float8' : of === 'int4' ? 'int8' : 'numeric'),
    fold: (values) =>
      values.length === 0 ? null : values.reduce<number>((total, one) => total + Number(one), 0),
  },
  min: { type: same, fold: most(-1) },
  max: { type: same, fold: most(1) },
  bool_or: { type: () => 'bool', fold: (values) => (values.length === 0 ? null : values.includes(true)) },
  bool_and: { type: () => 'bool', fold: (values) => (values.length === 0 ? null : !values.includes(false)) },
  array_agg: { type: (of) => `${of}[]`, fold: (values) => (values.length === 0 ? null : values) },
  jsonb_agg: { type: () => 'jsonb', fold: (values) => (values.length === 0 ? null : values) },
  string_agg: { type: () => 'text', fold: (values) => (values.length === 0 ? null : values.join(',')) },
};

export type RowFunction = {
  readonly columns: (types: readonly SqlType[]) => readonly SqlType[];
  readonly rows: (values: readonly Value[]) => readonly (readonly Value[])[];
};

const listIn = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? value : []);

/** Functions that come to rows of plain columns. */
export const rowFunctions: Readonly<Record<string, RowFunction>> = {
  unnest: {
    columns: (types) => types.map((type) => (type.endsWith('[]') ? type.slice(0, -2) : 'unknown')),
    rows: (values) => {
      const lists = values.map(listIn);
      const longest = Math.max(0, ...lists.map(({ length }) => length));
      return Array.from({ length: longest }, (_, index) => lists.map((list) => list[index] ?? null));
    },
  },
  jsonb_array_elements_text: {
    columns: () => ['text'],
    rows: ([value]) =>
      listIn(value).map((one) => [castValue(one, 'text', 'jsonb') === null ? null : plainText(one)]),
  },
  jsonb_array_elements: { columns: () => ['jsonb'], rows: ([value]) => listIn(value).map((one) => [one]) },
  jsonb_object_keys: {
    columns: () => ['text'],
    rows: ([value]) =>
      typeof value === 'object' && value !== null ? Object.keys(value).map((key) => [key]) : [],
  },
  generate_series: {
    columns: () => ['int4'],
    rows: ([from, to]) => {
      const count = Number(to) - Number(from) + 1;
      return Array.from({ length: Math.max(0, count) }, (_, index) => [Number(from) + index]);
    },
  },
};

/** As `->>` shows it. */
export const plainText = (value: Value | undefined): Value => {
  if (value === null || value === undefined) return null;
  return typeof value === 'string'
    ? value
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
};

/** An object's fields as the columns of a row: what a missing one is comes from its default only where it is inserted. */
export const recordsOf = (columns: ReadonlyMap<string, SqlType>): ((value: Value) => Row) => {
  const read = [...columns].map(([name, type]): [string, (field: Value) => Value] => {
    const cast = castFrom('unknown', type);
    if (type === 'jsonb') return [name, (field) => field];
    return [name, type === 'text' ? (field) => cast(plainText(field)) : cast];
  });
  return (value) => {
    const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
      Record<string, Value>
    >;
    const row: Record<string, Value> = {};
    for (const [name, cast] of read) row[name] = cast(given[name] ?? null);
    return row;
  };
};

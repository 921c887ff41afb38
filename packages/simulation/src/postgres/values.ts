/** Values as the pretend PostgreSQL holds them: times are milliseconds, JSON is itself, `null` is SQL's null. */
export type Value =
  null | string | number | boolean | readonly Value[] | { readonly [key: string]: Value | undefined };
export type Row = Readonly<Record<string, Value>>;

/** A type by PostgreSQL's own short name (`int8`, `timestamptz`, `text[]`); `unknown` is what still takes any. */
export type SqlType = string;

export class SqlTrouble extends Error {
  /** PostgreSQL's code: the shipped drivers decide by it. */
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'SqlTrouble';
    this.code = code;
  }
}

export const isNumeric = (type: SqlType): boolean => /^(int2|int4|int8|float8|numeric|xid8)$/.test(type);
export const elementOf = (type: SqlType): SqlType => (type.endsWith('[]') ? type.slice(0, -2) : 'unknown');

/** As PostgreSQL writes it, without noughts at the end of the fraction. */
const timestampText = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.?0*Z$/, '+00');

const textOf = (value: Value, from: SqlType): string => {
  if (from === 'timestamptz' && typeof value === 'number') return timestampText(value);
  if (from === 'jsonb') return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (Array.isArray(value)) return `{${value.map((one: Value) => textOf(one, elementOf(from))).join(',')}}`;
  return String(value);
};

const timeOf = (value: Value): number => {
  if (typeof value === 'number') return value;
  const ms = Date.parse(String(value).replace(' ', 'T').replace(/\+00$/, 'Z'));
  if (Number.isNaN(ms)) throw new SqlTrouble('22007', `no time: ${String(value)}`);
  return ms;
};

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const listOf = (value: Value, to: SqlType, from: SqlType): Value => {
  const given: readonly Value[] = Array.isArray(value)
    ? (value as readonly Value[])
    : String(value)
        .replace(/^\{|\}$/g, '')
        .split(',')
        .filter((part) => part !== '');
  return given.map((one) =>
    castValue(one, elementOf(to), Array.isArray(value) ? elementOf(from) : 'unknown'),
  );
};

/** Brings a value to a type, as PostgreSQL's casts do. */
export const castValue = (value: Value, to: SqlType, from: SqlType = 'unknown'): Value => {
  if (value === null || to === from || to === 'unknown') return value;
  if (to.endsWith('[]')) return listOf(value, to, from);
  switch (to) {
    case 'text':
      return textOf(value, from);
    case 'int2':
    case 'int4':
    case 'int8':
    case 'xid8':
    case 'float8':
    case 'numeric': {
      const number = Number(value);
      if (Number.isNaN(number)) throw new SqlTrouble('22P02', `no number: ${JSON.stringify(value)}`);
      return to.startsWith('int') ? Math.round(number) : number;
    }
    case 'bool':
      return typeof value === 'boolean' ? value : ['t', 'true', 'on', '1'].includes(String(value));
    case 'timestamptz':
      return timeOf(value);
    case 'jsonb':
      return from !== 'jsonb' && typeof value === 'string' ? (JSON.parse(value) as Value) : value;
    case 'uuid': {
      const folded = String(value).toLowerCase();
      if (!uuidShape.test(folded)) throw new SqlTrouble('22P02', `no uuid: ${folded}`);
      return folded;
    }
    default:
      return value;
  }
};

/** As the driver hands it out: eight-byte numbers and times as text. */
export const handedOut = (value: Value, type: SqlType): unknown => {
  if (value === null) return null;
  switch (type) {
    case 'int8':
    case 'numeric':
    case 'xid8':
      return String(value);
    case 'timestamptz':
      return typeof value === 'number' ? timestampText(value) : value;
    case 'bytea':
      return Buffer.from(String(value), 'hex');
    default:
      return value;
  }
};

const canonical = (value: Value): string => {
  if (Array.isArray(value)) return `[${value.map((one: Value) => canonical(one)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).filter(([, one]) => one !== undefined);
    pairs.sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${pairs.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one ?? null)}`).join(',')}}`;
  }
  return JSON.stringify(value);
};

/** The same text for equal values and for no others. */
export const keyOf = (values: readonly Value[]): string =>
  values.length === 1 && typeof values[0] === 'string' ? `"${values[0]}` : values.map(canonical).join(' ');

/** Orders two values that are not null. */
export const compareValues = (one: Value, other: Value): number => {
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
      const left = one[index] as Value | undefined;
      const right = other[index] as Value | undefined;
      if (left === undefined) return -1;
      if (right === undefined) return 1;
      const order = compareValues(left, right);
      if (order !== 0) return order;
    }
    return 0;
  }
  if (typeof one === 'object' || typeof other === 'object') {
    const [left, right] = [canonical(one), canonical(other)];
    return left === right ? 0 : left < right ? -1 : 1;
  }
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

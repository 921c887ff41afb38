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

/** What was worked out of a value before. It begins anew at times, so that it does not grow for ever. */
const remembered = <Key, Found>(find: (key: Key) => Found): ((key: Key) => Found) => {
  const known = new Map<Key, Found>();
  return (key) => {
    let found = known.get(key);
    if (found === undefined) {
      if (known.size > 5_000) known.clear();
      known.set(key, (found = find(key)));
    }
    return found;
  };
};

/** As PostgreSQL writes it, without noughts at the end of the fraction. */
const timestampText = remembered((ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.?0*Z$/, '+00'),
);

const textOf = (value: Value, from: SqlType): string => {
  if (from === 'timestamptz' && typeof value === 'number') return timestampText(value);
  if (from === 'jsonb') return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (Array.isArray(value)) return `{${value.map((one: Value) => textOf(one, elementOf(from))).join(',')}}`;
  return String(value);
};

const timeIn = remembered((text: string): number => {
  const ms = Date.parse(text.replace(' ', 'T').replace(/\+00$/, 'Z'));
  if (Number.isNaN(ms)) throw new SqlTrouble('22007', `no time: ${text}`);
  return ms;
});

const timeOf = (value: Value): number => (typeof value === 'number' ? value : timeIn(String(value)));

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

const numberOf = (value: Value): number => {
  const number = typeof value === 'number' ? value : Number(value);
  if (Number.isNaN(number)) throw new SqlTrouble('22P02', `no number: ${JSON.stringify(value)}`);
  return number;
};

const uuidOf = (value: Value): string => {
  const folded = String(value).toLowerCase();
  if (!uuidShape.test(folded)) throw new SqlTrouble('22P02', `no uuid: ${folded}`);
  return folded;
};

type Cast = (value: Value) => Value;

const unchanged: Cast = (value) => value;

/** Of values that are not null. */
const castNotNull = (to: SqlType, from: SqlType): Cast => {
  if (to.endsWith('[]')) return (value) => listOf(value, to, from);
  switch (to) {
    case 'text':
      return (value) => textOf(value, from);
    case 'int2':
    case 'int4':
    case 'int8':
      return (value) => Math.round(numberOf(value));
    case 'xid8':
    case 'float8':
    case 'numeric':
      return numberOf;
    case 'bool':
      return (value) =>
        typeof value === 'boolean' ? value : ['t', 'true', 'on', '1'].includes(String(value));
    case 'timestamptz':
      return timeOf;
    case 'jsonb':
      return (value) =>
        from !== 'jsonb' && typeof value === 'string' ? (JSON.parse(value) as Value) : value;
    case 'uuid':
      return uuidOf;
    default:
      return unchanged;
  }
};

const castsTo = remembered((to: SqlType) =>
  remembered((from: SqlType): Cast => {
    if (to === from || to === 'unknown') return unchanged;
    const cast = castNotNull(to, from);
    return cast === unchanged ? unchanged : (value) => (value === null ? null : cast(value));
  }),
);

/** What brings values of one type to another, as PostgreSQL's casts do. */
export const castFrom = (from: SqlType, to: SqlType): Cast => castsTo(to)(from);

export const castValue = (value: Value, to: SqlType, from: SqlType = 'unknown'): Value =>
  castsTo(to)(from)(value);

/** As the driver hands values of a type out: eight-byte numbers and times as text. */
export const handingOut = (type: SqlType): ((value: Value) => unknown) => {
  switch (type) {
    case 'int8':
    case 'numeric':
    case 'xid8':
      return (value) => (value === null ? null : String(value));
    case 'timestamptz':
      return (value) => (typeof value === 'number' ? timestampText(value) : value);
    case 'bytea':
      return (value) => (value === null ? null : Buffer.from(String(value), 'hex'));
    default:
      return unchanged;
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

const keyPart = (value: Value): string => {
  if (typeof value === 'string') return `${String(value.length)}:${value}`;
  return typeof value === 'object' && value !== null ? canonical(value) : `#${String(value)}`;
};

/** The same text for equal values and for no others. */
export const keyOf = (values: readonly Value[]): string => {
  let key = '';
  for (const value of values) key += `${keyPart(value)} `;
  return key;
};

/** Orders two values that are not null. */
export const compareValues = (one: Value, other: Value): number => {
  if (typeof one !== 'object' && typeof other !== 'object') return one === other ? 0 : one < other ? -1 : 1;
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
  const [left, right] = [canonical(one), canonical(other)];
  return left === right ? 0 : left < right ? -1 : 1;
};

/** Whether two values that are not null are equal. */
export const isSame = (one: Value, other: Value): boolean =>
  one === other ||
  ((typeof one === 'object' || typeof other === 'object') && compareValues(one, other) === 0);

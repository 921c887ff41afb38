/** What JSON can say. `undefined` members are left out, as `JSON.stringify` does. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue | undefined };

/**
 * RFC 8785 (JSON Canonicalization Scheme): the same text for the same value on every machine.
 * @throws where the value has no canonical form: NaN, infinities, half of a surrogate pair
 */
export const canonicalJson = (value: JsonValue): string => {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value === 'string') return canonicalText(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .filter((member): member is [string, JsonValue] => member[1] !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1)) // by UTF-16 code unit, as the RFC asks
    .map(([name, member]) => `${canonicalText(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
};

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

const canonicalNumber = (value: number): string => {
  if (!Number.isFinite(value)) throw new Error('a number without a JSON form has no canonical form');
  return JSON.stringify(value);
};

const canonicalText = (text: string): string => {
  if (/[\uD800-\uDFFF]/u.test(text)) throw new Error('half of a surrogate pair has no canonical form');
  return JSON.stringify(text);
};

/** What is taken out of texts, and what stands there instead. */
export type Erasure = {
  /** Whole names and other spellings: as they are written, between anything that is no letter and no figure. */
  readonly names: readonly string[];
  /** Addresses: however they are written. */
  readonly addresses: readonly string[];
  readonly pseudonym: string;
};

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
// The longest first: of "Ann" and "Ann Lee", the whole name goes before its part.
const longestFirst = (words: readonly string[]): readonly string[] =>
  [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))].toSorted(
    (one, other) => other.length - one.length,
  );

/** The text without them, and the same text where there is none in it. */
export const withoutWords = (text: string, { names, addresses, pseudonym }: Erasure): string => {
  let rest = text;
  for (const address of longestFirst(addresses)) {
    rest = rest.replace(new RegExp(literal(address), 'giu'), () => pseudonym);
  }
  for (const name of longestFirst(names)) {
    const pattern = literal(name).replace(/\s+/g, '\\s+');
    rest = rest.replace(new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'gu'), () => pseudonym);
  }
  return rest;
};

/** The same through everything that JSON can hold; keys stay. */
export const jsonWithoutWords = (value: unknown, erasure: Erasure): unknown => {
  if (typeof value === 'string') return withoutWords(value, erasure);
  if (Array.isArray(value)) return value.map((one) => jsonWithoutWords(one, erasure));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, jsonWithoutWords(one, erasure)]));
};

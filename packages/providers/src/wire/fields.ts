export type Fields = Readonly<Record<string, unknown>>;

/** What came over the wire is read field by field: a client library's types are promises that nobody checked. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

/**
 * A text as it can be kept: a NUL or half a character is refused by every column there is, and an answer that cannot be
 * written down would be evidence lost.
 */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.replace(/[\0\p{Surrogate}]/gu, '\uFFFD') : null;

/** The end of the year 9999: a later moment cannot be stored, and is nobody's. */
const lastMs = 253_402_300_799_999;

/** A time written as ISO 8601; `undefined` for what is none, or none that can be stored. */
export const isoTimeMs = (value: unknown): number | undefined => {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(atMs) && atMs > 0 && atMs <= lastMs ? atMs : undefined;
};

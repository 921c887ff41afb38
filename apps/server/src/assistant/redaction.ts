/** Takes out what need not leave, and puts it back into what returns. */
export type Redaction = {
  readonly out: (text: string) => string;
  /** For JSON: what is put back is escaped as its strings are. */
  readonly back: (json: string) => string;
};

const streetWords =
  'street|st|road|rd|avenue|ave|lane|ln|drive|court|square|boulevard|blvd|straße|strasse|straat|weg|laan|gasse|platz|allee';
const townBehind = String.raw`(?:,?\s+(?:[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|\d{4}\s?[A-Z]{2}|\d{4,5})(?:\s+\p{Lu}[\p{L}'-]+)?)?`;
const numberedBefore = String.raw`\d{1,5}[a-z]?,?\s+(?:\p{Lu}[\p{L}'-]*\s+){1,3}(?:${streetWords})(?![\p{L}])${townBehind}`;
const joinedName = String.raw`\p{Lu}[\p{L}'-]*(?:straße|strasse|str\.|straat|weg|laan|gasse|platz|allee)\s+\d{1,5}[a-z]?${townBehind}`;
const romanceStreet = String.raw`(?:\d{1,4},?\s+)?(?:rue|avenue|boulevard|place|calle|avenida|plaza|paseo)\s+(?:(?:de|du|des|la|las|los|el|l['’])\s*)*\p{Lu}[\p{L}'-]*(?:\s+\p{Lu}[\p{L}'-]*)*(?:,?\s+\d{1,4}(?!\d))?${townBehind}`;

const patterns: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['e-mail', /[^\s@<>"',;]+@[^\s@<>"',;]+[^\s@<>"',;.!?)]/gu],
  ['address', new RegExp(`(?<![\\p{L}\\d])(?:${romanceStreet}|${numberedBefore}|${joinedName})`, 'giu')],
  ['account', /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3,7}(?:\s?[A-Z0-9]{1,3})?(?![\p{L}\p{N}])/gu],
  // Cards and telephones: nine digits and more.
  ['number', /\+?\d(?:[ ./-]?\d){8,}/g],
];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const anyApostrophe = (name: string): string => escaped(name).replace(/['’]/g, "['’]");

/** Names whole before their parts, so that "Marta Villanueva" is one customer. */
const nameParts = (names: readonly string[]): readonly string[] =>
  [...new Set(names.flatMap((name) => [name.trim(), ...name.split(/[\s,]+/)]))]
    .filter((name) => name.length > 2)
    .toSorted((one, other) => other.length - one.length);

/**
 * @param names customers' names, which leave in no case
 * @param mayLeave IDs that are sent beside the text: a long number that is one of them is no card
 */
export const redaction = (names: readonly string[], mayLeave: readonly string[]): Redaction => {
  const taken = new Map<string, string>();
  const kinds = new Map<string, number>();
  const placeholderOf = (what: string, original: string): string => {
    const known = taken.get(`${what} ${original}`);
    if (known !== undefined) return known;
    const number = (kinds.get(what) ?? 0) + 1;
    kinds.set(what, number);
    const placeholder = `[${what}-${String(number)}]`;
    taken.set(`${what} ${original}`, placeholder);
    return placeholder;
  };
  const all = nameParts(names).map(
    (name) =>
      ['customer', new RegExp(`(?<![\\p{L}\\p{N}])${anyApostrophe(name)}(?![\\p{L}\\p{N}])`, 'giu')] as const,
  );
  return {
    out: (text) =>
      [...patterns, ...all].reduce(
        (rest, [what, pattern]) =>
          rest.replace(pattern, (found) => (mayLeave.includes(found) ? found : placeholderOf(what, found))),
        text.normalize('NFC'),
      ),
    back: (json) =>
      [...taken].reduce((rest, [key, placeholder]) => {
        const original = key.slice(key.indexOf(' ') + 1);
        return rest.replaceAll(placeholder, () => JSON.stringify(original).slice(1, -1));
      }, json),
  };
};

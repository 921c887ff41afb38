/** Stripe's form encoding, flat: `metadata[order]` is one name. The last of two equal names wins. */
export type Parameters = ReadonlyMap<string, string>;

export function readParameters(encoded: string): Parameters {
  return new Map(new URLSearchParams(encoded));
}

/** `metadata[a]=1&metadata[b]=2` → {a: '1', b: '2'}. An empty value removes the pair, as at Stripe. */
export function readPairs(parameters: Parameters, name: string): Record<string, string> {
  const pairs: [string, string][] = [];
  for (const [field, value] of parameters) {
    const inner = innerName(field, name);
    if (inner !== null && value !== '') pairs.push([inner, value]);
  }
  return Object.fromEntries(pairs);
}

/** `types[0]=a&types[1]=b` and `types[]=a` → ['a', 'b']. */
export function readList(parameters: Parameters, name: string): string[] {
  return [...parameters].filter(([field]) => innerName(field, name) !== null).map(([, value]) => value);
}

export function outerName(field: string): string {
  const bracket = field.indexOf('[');
  return bracket === -1 ? field : field.slice(0, bracket);
}

function innerName(field: string, name: string): string | null {
  return field.startsWith(`${name}[`) && field.endsWith(']') ? field.slice(name.length + 1, -1) : null;
}

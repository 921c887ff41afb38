/**
 * A mistake that somebody could make in shipped source: one piece of text of one file, and what stands in its place.
 * The text has to be there exactly once, so that a mutant cannot quietly stop being one.
 */
export type Mutant = {
  readonly name: string;
  /** From the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Whether the mistake is in a statement of SQL. */
  readonly sql?: true;
  /** A seed that is known to find it: tried first. */
  readonly seed?: number;
};

export const plantIn = (source: string, { name, find, put }: Mutant): string => {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error(`mutant "${name}": its text is there ${String(parts.length - 1)} times, not once`);
  return parts.join(put);
};

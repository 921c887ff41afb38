import type { SwarmName } from '../world/swarms.ts';

/** One piece of text of one file, and what stands in its place. */
export type Place = {
  /** From the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly put: string;
};

/**
 * A mistake that somebody could make in shipped source. The text has to be there exactly once, so that a mutant cannot
 * quietly stop being one.
 */
export type Mutant = Place & {
  readonly name: string;
  /** Whether the mistake is in what is asked of the database. */
  readonly sql?: true;
  /** Guards behind the first one, which have to go too before anything can go wrong. */
  readonly also?: readonly Place[];
  /** The histories that it is hunted in; ordinary ones where none is named. */
  readonly swarm?: SwarmName;
  /** A seed that is known to find it: tried first. */
  readonly seed?: number;
};

export const placesOf = (mutant: Mutant): readonly Place[] => [mutant, ...(mutant.also ?? [])];

export const plantIn = (source: string, name: string, { find, put }: Place): string => {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error(`mutant "${name}": its text is there ${String(parts.length - 1)} times, not once`);
  return parts.join(put);
};

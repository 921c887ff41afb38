/** Everything that is left to chance in one history, from one seed. */
export type Chance = {
  /** From 0 up to, not including, 1. */
  readonly next: () => number;
  /** A whole number from 0 up to, not including, `end`. */
  readonly below: (end: number) => number;
  readonly between: (least: number, most: number) => number;
  readonly happens: (share: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item | undefined;
  /** A stream of its own: what is drawn from one changes nothing in the others. */
  readonly fork: (name: string) => Chance;
};

const hashOf = (text: string): number => {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  }
  return hash >>> 0;
};

/** Mulberry32 over the hash of the seed and the stream's name. */
export const createChance = (seed: number, name = 'world'): Chance => {
  let state = hashOf(`${String(seed)} ${name}`);
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    happens: (share) => next() < share,
    pick: (items) => items[below(items.length)],
    fork: (part) => createChance(seed, `${name} ${part}`),
  };
};

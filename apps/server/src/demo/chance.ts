/** Chance that is the same for the same seed, so that every demo shows the same shop. */
export type Chance = {
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number;
  readonly one: <Item>(items: readonly [Item, ...Item[]]) => Item;
  /** True about `percent` times of a hundred. */
  readonly happens: (percent: number) => boolean;
};

/** Mulberry32: small, even enough for a demo, and never used for anything secret. */
export const chanceFrom = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    one: (items) => items[below(items.length)] ?? items[0],
    happens: (percent) => next() * 100 < percent,
  };
};

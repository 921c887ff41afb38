/** Chance from a seed: the same seed draws the same, in the order in which it is asked. */
export type Chance = {
  /** At least 0, below 1. */
  readonly next: () => number;
  readonly between: (least: number, most: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
};

/** mulberry32: 32 bits of state, good enough to choose what to break next. */
export const createChance = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    pick: (values) => {
      const value = values[between(0, values.length - 1)];
      if (value === undefined) throw new Error('there is nothing to pick from');
      return value;
    },
  };
};

/** Chance from a seed: the same run each time (mulberry32). */
export const createChance = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

export const pickOf = <Item>(chance: () => number, items: readonly Item[]): Item | undefined =>
  items[Math.floor(chance() * items.length)];

/** A tab, a worker, or the wire. It goes on only when its turn comes: never once it is killed, late when frozen. */
export type Actor = { readonly name: string; isKilled: boolean; isFrozen: boolean };

export const createActor = (name: string): Actor => ({ name, isKilled: false, isFrozen: false });

const allElse = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Everything that waits anywhere waits here, and goes on one at a time, in an order that the seed decides. */
export class Turns {
  readonly #chance: () => number;
  #waiting: { readonly actor: Actor; readonly go: () => void }[] = [];

  constructor(chance: () => number) {
    this.#chance = chance;
  }

  /** Never resolves for an actor that is killed meanwhile: nothing after it runs. */
  wait(actor: Actor): Promise<void> {
    return new Promise((go) => {
      if (!actor.isKilled) this.#waiting.push({ actor, go });
    });
  }

  /** Lets all go on until nobody waits that can go. @param between what happens after each turn */
  async run(between: () => Promise<void> | void): Promise<void> {
    for (;;) {
      await allElse();
      this.#waiting = this.#waiting.filter(({ actor }) => !actor.isKilled);
      const next = pickOf(
        this.#chance,
        this.#waiting.filter(({ actor }) => !actor.isFrozen),
      );
      if (next === undefined) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      next.go();
      const happening = between();
      if (happening) await happening;
    }
  }
}

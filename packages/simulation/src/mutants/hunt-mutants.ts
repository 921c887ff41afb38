import { createSharedDatabase } from '../world/database.ts';
import type { HistoryDatabase } from '../world/history-database.ts';
import { planOf, type Plan } from '../world/plan.ts';
import { runHistory } from '../run/run-history.ts';
import type { Mutant } from './mutant.ts';
import { openPlantedWorld } from './planted-world.ts';

export type Hunted = {
  readonly mutant: Mutant;
  readonly found: boolean;
  /** How many histories it took. */
  readonly histories: number;
  readonly seed: number | null;
  /** What was broken, or what went instead. */
  readonly because: string;
};

export type HuntOptions = {
  /** The most histories for one mutant, and the seed of the first. */
  readonly seeds: number;
  readonly from: number;
  /** Whether a seed that is known to find it is tried before them. */
  readonly usesKnownSeeds: boolean;
};

const seedsFor = ({ seed }: Mutant, { seeds, from, usesKnownSeeds }: HuntOptions): readonly number[] => [
  ...(usesKnownSeeds && seed !== undefined ? [seed] : []),
  ...Array.from({ length: seeds }, (_, index) => from + index),
];

/**
 * Without a mistake few histories take more than a minute to come to rest; one that does has to do so here too, or
 * finds nothing. What a mistake leaves open stays open, and is not waited for any longer.
 */
const healingMs = 150_000;

/** Whether a history is sound without any mistake. Several mutants may be found in the same one. */
type IsSound = (plan: Plan) => Promise<boolean>;

const soundIn = (shipped: HistoryDatabase): IsSound => {
  const known = new Map<string, Promise<boolean>>();
  return (plan) => {
    const key = JSON.stringify(plan);
    const sound =
      known.get(key) ??
      runHistory(plan, shipped, false, healingMs).then(({ violation }) => violation === null);
    known.set(key, sound);
    return sound;
  };
};

/** The first history that breaks with the mutant and not without it; one that breaks anyway finds nothing. */
const hunt = async (mutant: Mutant, options: HuntOptions, isSound: IsSound): Promise<Hunted> => {
  let because = 'nothing was broken';
  let histories = 0;
  try {
    const world = await openPlantedWorld(mutant);
    const database = await world.createSharedDatabase();
    for (const seed of seedsFor(mutant, options)) {
      histories += 1;
      const plan = planOf(seed, mutant.swarm);
      const { violation } = await world.runHistory(plan, database, false, healingMs);
      if (violation === null) continue;
      const told = `${violation.kind}: ${violation.message}`;
      if (await isSound(plan)) {
        return { mutant, found: true, seed, histories, because: told };
      }
      because = `seed ${String(seed)} breaks without it too: ${told}`;
    }
  } catch (error) {
    because = error instanceof Error ? error.message : String(error);
  }
  return { mutant, found: false, histories, seed: null, because };
};

/** @param part counted from 1 on, of so many: every so many-th of them, so that several processes can share them */
export const partOf = <Item>(
  items: readonly Item[],
  [part, parts]: readonly [number, number],
): readonly Item[] => items.filter((_, index) => index % parts === part - 1);

/** Plants each mutant in a world of its own, and lives histories in it until one breaks. */
export const huntMutants = async (
  mutants: readonly Mutant[],
  options: HuntOptions,
  onHunted: (hunted: Hunted) => void,
): Promise<readonly Hunted[]> => {
  const isSound = soundIn(await createSharedDatabase());
  const all: Hunted[] = [];
  for (const mutant of mutants) {
    const hunted = await hunt(mutant, options, isSound);
    all.push(hunted);
    onHunted(hunted);
  }
  return all;
};

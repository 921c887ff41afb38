import { createChance, type Chance } from './chance.ts';

/** What may go wrong in a history. Each history has only some of it: where everything fails, little is reached. */
export const troubles = [
  'crashes',
  'freezes',
  'database',
  'network',
  'lost-answers',
  'late-requests',
  'refusals',
  'server-errors',
  'pending',
  'late-failures',
  'listing-lag',
  'webhooks',
  'refunds-by-hand',
  'disputes',
  'holds',
  'policy',
  'restore',
  'clocks',
  'tabs',
  'operators',
  'lenient-provider',
] as const;
export type Trouble = (typeof troubles)[number];

/** One history before it happens: everything else follows from the seed. The shrinker makes it smaller. */
export type Plan = {
  readonly seed: number;
  readonly troubles: readonly Trouble[];
  readonly orders: number;
  readonly refunds: number;
  readonly workers: number;
  readonly devices: number;
  /** How long everything may go wrong, before all is healed. Milliseconds of the history's own time. */
  readonly faultsForMs: number;
  /** How much of what may go wrong does. */
  readonly intensity: number;
};

const share: Readonly<Record<Trouble, number>> = {
  crashes: 0.5,
  freezes: 0.25,
  database: 0.3,
  network: 0.5,
  'lost-answers': 0.6,
  'late-requests': 0.35,
  refusals: 0.35,
  'server-errors': 0.35,
  pending: 0.3,
  'late-failures': 0.25,
  'listing-lag': 0.35,
  webhooks: 0.5,
  'refunds-by-hand': 0.3,
  disputes: 0.2,
  holds: 0.2,
  policy: 0.2,
  restore: 0.12,
  clocks: 0.3,
  tabs: 0.4,
  operators: 0.3,
  'lenient-provider': 0.5,
};

export const planOf = (seed: number): Plan => {
  const chance: Chance = createChance(seed, 'plan');
  return {
    seed,
    troubles: troubles.filter((trouble) => chance.happens(share[trouble])),
    orders: chance.between(1, 2),
    refunds: chance.between(1, 7),
    workers: chance.between(1, 2),
    devices: chance.between(2, 3),
    faultsForMs: chance.between(20, 90) * 1_000,
    intensity: chance.pick([0.3, 0.6, 1]) ?? 1,
  };
};

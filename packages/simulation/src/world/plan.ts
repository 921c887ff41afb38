import { createChance, type Chance } from './chance.ts';
import { swarms, type Swarm, type SwarmName } from './swarms.ts';

/** What may go wrong in a history. Each history has only some of it: where everything fails, little is reached. */
export const troubles = [
  'crashes',
  'freezes',
  'frozen-claims',
  'database',
  'network',
  'lost-answers',
  'late-requests',
  'refusals',
  'unkept-refusals',
  'server-errors',
  'pending',
  'late-failures',
  'listing-lag',
  'stale-records',
  'crossed-answers',
  'other-amounts',
  'trusted-absence',
  'webhooks',
  'no-webhooks',
  'refunds-by-hand',
  'disputes',
  'holds',
  'policy',
  'two-approvals',
  'wrong-taps',
  'restore',
  'clocks',
  'clock-jumps',
  'sessions',
  'strangers',
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
  /** How long the provider keeps a key. Milliseconds; 0: it knows none. */
  readonly keyWindowMs: number;
  /** What was captured of each payment; `null`: chance says. Minor units. */
  readonly capturedMinor: number | null;
};

const share: Readonly<Record<Trouble, number>> = {
  crashes: 0.5,
  freezes: 0.25,
  'frozen-claims': 0.1,
  database: 0.3,
  network: 0.5,
  'lost-answers': 0.6,
  'late-requests': 0.35,
  refusals: 0.35,
  'unkept-refusals': 0.15,
  'server-errors': 0.35,
  pending: 0.3,
  'late-failures': 0.25,
  'listing-lag': 0.35,
  'stale-records': 0.1,
  'crossed-answers': 0.08,
  'other-amounts': 0.08,
  'trusted-absence': 0.25,
  webhooks: 0.5,
  'no-webhooks': 0.3,
  'refunds-by-hand': 0.3,
  disputes: 0.2,
  holds: 0.2,
  policy: 0.2,
  'two-approvals': 0.15,
  'wrong-taps': 0.1,
  restore: 0.12,
  clocks: 0.3,
  'clock-jumps': 0.2,
  sessions: 0.2,
  strangers: 0.2,
  tabs: 0.4,
  operators: 0.3,
  'lenient-provider': 0.5,
};

/**
 * What no provider and no operator is promised to cope with together: records that are shown so late that an absence
 * which the contract calls final, or a database put back meanwhile, cannot know of them.
 */
const isPromised = (trouble: Trouble, _: number, all: readonly Trouble[]): boolean =>
  trouble !== 'stale-records' || !(all.includes('trusted-absence') || all.includes('restore'));

/** How many of the histories are of one of the swarms. */
const shareOfSwarms = 0.3;

const swarmOf = (chance: Chance): Swarm => {
  const names = Object.keys(swarms) as SwarmName[];
  const name = chance.happens(shareOfSwarms) ? chance.pick(names) : undefined;
  return name === undefined ? {} : swarms[name];
};

/** @param only a swarm that it has to be of; else chance decides whether it is of any */
export const planOf = (seed: number, only?: SwarmName): Plan => {
  const chance: Chance = createChance(seed, 'plan');
  const plan: Plan = {
    seed,
    troubles: troubles
      // Each from a stream of its own: a trouble that is new here leaves the others where they were.
      .filter((trouble) => chance.fork(trouble).happens(share[trouble])),
    orders: chance.between(1, 2),
    refunds: chance.between(1, 7),
    workers: chance.between(1, 2),
    devices: chance.between(2, 3),
    faultsForMs: chance.between(20, 90) * 1_000,
    intensity: chance.pick([0.3, 0.6, 1]) ?? 1,
    keyWindowMs: chance.pick([0, 25_000, 60_000, 300_000, 300_000]) ?? 60_000,
    capturedMinor: null,
    ...(only === undefined ? swarmOf(chance.fork('swarm')) : swarms[only]),
  };
  // Two have to approve, so two are there who can.
  const devices = plan.troubles.includes('two-approvals') ? 4 : plan.devices;
  return { ...plan, devices, troubles: plan.troubles.filter(isPromised) };
};

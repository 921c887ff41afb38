import type { Plan } from './plan.ts';

/** What a history has for certain; the rest of it is left to chance as ever. */
export type Swarm = Partial<Omit<Plan, 'seed'>>;

/**
 * Histories of which chance alone makes too few: a few troubles that only together show something. Some of the ordinary
 * runs are of these, and each planted mistake may name the one that it is hunted in.
 */
export const swarms = {
  'one payment, many refunds': {
    troubles: ['lost-answers', 'no-webhooks', 'pending', 'lenient-provider', 'operators'],
    ...{ orders: 1, refunds: 9, workers: 2, devices: 3, intensity: 1, keyWindowMs: 60_000 },
  },
  'one rich payment, two workers': {
    troubles: ['lost-answers', 'no-webhooks'],
    ...{ orders: 1, refunds: 14, workers: 2, devices: 4, intensity: 1, faultsForMs: 60_000 },
    ...{ keyWindowMs: 300_000, capturedMinor: 100_000 },
  },
  'frozen between claim and request': {
    troubles: ['frozen-claims', 'refunds-by-hand', 'no-webhooks'],
    ...{ orders: 4, refunds: 12, workers: 2, devices: 3, intensity: 1, faultsForMs: 90_000 },
    ...{ keyWindowMs: 300_000, capturedMinor: 60_000 },
  },
  'on hold while a claim stands still': {
    troubles: ['frozen-claims', 'holds'],
    ...{ orders: 4, refunds: 12, workers: 2, devices: 3, intensity: 1.5, faultsForMs: 90_000 },
  },
  'records shown long after': {
    troubles: ['lost-answers', 'stale-records', 'no-webhooks'],
    ...{ orders: 4, refunds: 12, devices: 3, intensity: 1.6, faultsForMs: 90_000, keyWindowMs: 25_000 },
  },
  'lost, and looked at meanwhile': {
    troubles: ['lost-answers', 'no-webhooks', 'refunds-by-hand', 'disputes', 'holds', 'server-errors'],
    ...{ orders: 2, refunds: 9, devices: 3, intensity: 1, faultsForMs: 90_000, keyWindowMs: 300_000 },
  },
  'refused after an answer was lost': {
    troubles: ['lost-answers', 'no-webhooks', 'late-requests', 'unkept-refusals', 'listing-lag'],
    ...{ orders: 4, refunds: 12, devices: 3, intensity: 1, keyWindowMs: 300_000 },
  },
  'an absence that is believed': {
    troubles: ['lost-answers', 'no-webhooks', 'late-requests', 'listing-lag', 'trusted-absence'],
    ...{ orders: 4, refunds: 12, devices: 3, intensity: 1, faultsForMs: 90_000, keyWindowMs: 0 },
  },
  'claims that vanish': {
    troubles: ['crashes', 'lost-answers', 'no-webhooks', 'late-requests', 'refusals', 'stale-records'],
    ...{ orders: 4, refunds: 12, workers: 2, devices: 3, intensity: 1, faultsForMs: 90_000, keyWindowMs: 0 },
  },
  'refunds that do not last': {
    troubles: ['pending', 'late-failures', 'webhooks', 'refunds-by-hand', 'listing-lag'],
    ...{ orders: 3, refunds: 10, workers: 2, devices: 3, intensity: 1, faultsForMs: 60_000 },
  },
  'nobody tells of it': {
    troubles: ['pending', 'late-failures', 'no-webhooks', 'lost-answers', 'listing-lag'],
    ...{ orders: 3, refunds: 10, workers: 2, devices: 3, intensity: 1, faultsForMs: 60_000 },
  },
  'rules that become tighter': {
    troubles: ['policy', 'holds', 'two-approvals', 'refusals'],
    ...{ orders: 4, refunds: 12, intensity: 1, faultsForMs: 60_000 },
  },
  'rules that change on hold': {
    troubles: ['policy', 'holds', 'refusals', 'lost-answers'],
    ...{ orders: 4, refunds: 12, devices: 3, intensity: 1, faultsForMs: 120_000 },
  },
  'put back': {
    troubles: ['restore', 'network', 'sessions'],
    ...{ orders: 2, refunds: 10, devices: 3, intensity: 1.5, faultsForMs: 90_000, keyWindowMs: 0 },
    capturedMinor: 60_000,
  },
  'answers overtaken by newer ones': {
    troubles: ['network'],
    ...{ orders: 3, refunds: 12, devices: 4, intensity: 1.5, faultsForMs: 60_000, capturedMinor: 50_000 },
  },
  'clocks that jump': {
    troubles: ['clock-jumps', 'refusals', 'lost-answers', 'no-webhooks', 'network'],
    ...{ orders: 3, refunds: 8, workers: 1, devices: 3, intensity: 1, faultsForMs: 60_000 },
  },
  'answers of others': {
    troubles: ['crossed-answers', 'other-amounts', 'operators', 'lost-answers'],
    ...{ orders: 1, refunds: 7, intensity: 1, faultsForMs: 60_000 },
  },
  'bad screens and bad networks': {
    troubles: ['wrong-taps', 'sessions', 'strangers', 'network', 'tabs', 'clock-jumps'],
    ...{ orders: 1, refunds: 9, devices: 3, intensity: 1, faultsForMs: 60_000, capturedMinor: 60_000 },
  },
} satisfies Record<string, Swarm>;

export type SwarmName = keyof typeof swarms;

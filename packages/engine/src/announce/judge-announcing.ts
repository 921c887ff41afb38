/**
 * What came of one attempt. `refused`: an answer that is not 2xx. `not-secure`: no connection that can be trusted.
 * `secret-unreadable`: this process cannot read what it would sign with, so nothing was sent.
 */
export const deliveryOutcomes = [
  'delivered',
  'refused',
  'redirected',
  'timed-out',
  'address-not-allowed',
  'name-unknown',
  'unreachable',
  'not-secure',
  'secret-unreadable',
] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** `status`: of the answer, where there was one. */
export type Attempted = {
  readonly outcome: DeliveryOutcome;
  readonly status: number | null;
  readonly durationMs: number;
};

export const outcomeOfStatus = (status: number): DeliveryOutcome => {
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 300 && status < 400 ? 'redirected' : 'refused';
};

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Pauses after the first failure, the second …; the last one repeats for ever: nothing is given up. */
const pausesMs = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute, hour] as const;

/** @param chance of [0, 1): up to a fifth more, so that what failed together does not come back together */
export const pauseAfterMs = (failures: number, chance: number): number => {
  const base = pausesMs[Math.min(failures, pausesMs.length) - 1] ?? pausesMs[0];
  return Math.round(base * (1 + chance / 5));
};

/** After so long without a success an endpoint counts as failing, and admins are told. */
export const failingAfterMs = 24 * hour;

export type EndpointHealth = {
  /** Failures since its last success. */
  readonly failures: number;
  readonly failingSinceMs: number | null;
  readonly markedFailingAtMs: number | null;
};

export type HealthVerdict = {
  readonly failures: number;
  readonly failingSinceMs: number | null;
  readonly nextTryMs: number | null;
  readonly markedFailingAtMs: number | null;
  /** It became failing, or well, just now. */
  readonly turned: 'failing' | 'well' | null;
};

/** What an attempt means for its endpoint: while it fails it is asked by one event at a time, at growing distances. */
export const judgeEndpoint = (
  health: EndpointHealth,
  outcome: DeliveryOutcome,
  nowMs: number,
  chance: number,
): HealthVerdict => {
  if (outcome === 'delivered') {
    const turned = health.markedFailingAtMs === null ? null : 'well';
    return { failures: 0, failingSinceMs: null, nextTryMs: null, markedFailingAtMs: null, turned };
  }
  const failures = health.failures + 1;
  const failingSinceMs = health.failingSinceMs ?? nowMs;
  const fails = health.markedFailingAtMs === null && nowMs - failingSinceMs >= failingAfterMs;
  return {
    failures,
    failingSinceMs,
    nextTryMs: nowMs + pauseAfterMs(failures, chance),
    markedFailingAtMs: fails ? nowMs : health.markedFailingAtMs,
    turned: fails ? 'failing' : null,
  };
};

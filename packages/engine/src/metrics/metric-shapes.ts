import { operationStates, unfinishedStates } from '@holdfast/operation';
import type { MetricSample, MetricsSnapshot } from '../engine-interface.ts';

/** Upper bounds in seconds of the time from an unknown outcome to its settling. */
export const reconciliationBounds = [1, 2, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400] as const;
/** By what an unknown outcome is settled. */
export const settledHow = ['response', 'webhook', 'look-up', 'listing', 'operator'] as const;
export const absorbedAt = ['intake', 'command', 'webhook', 'provider'] as const;
export const attemptResults = [
  'under-way',
  'not-sent',
  'deferred',
  'rejected',
  'in-flight-elsewhere',
  'unknown',
  'accepted',
] as const;

/** A key that may still be sent for less than this is at risk of never being sent again. Milliseconds. */
export const replayWindowAtRiskMs = 2 * 60 * 60 * 1000;

/** How long an event of ours waits to be told before it counts here. With 0, all that wait. */
export const undeliveredOlderThanSeconds = [0, 300, 3_600, 86_400] as const;

/** What was read from the tables; what is missing in a map is zero. */
export type MetricFacts = {
  readonly operations: ReadonlyMap<string, number>;
  readonly unresolved: { readonly needsPerson: number; readonly others: number };
  readonly oldestUnresolvedSeconds: number;
  readonly oldestSeconds: ReadonlyMap<string, number>;
  readonly attempts: readonly {
    readonly provider: string;
    readonly result: string;
    readonly count: number;
  }[];
  readonly replayWindowAtRisk: number;
  readonly unappliedEventsOldestSeconds: number;
  readonly clockSkewSeconds: number;
  /** The most that one person, key or assistant proposed in the last ten minutes. */
  readonly mostProposalsOfOne: number;
  /** What other programs were not told yet: how many wait longer than each of the bounds, in their order. */
  readonly undelivered: { readonly older: readonly number[]; readonly oldestSeconds: number };
  /**
   * Since the last sweep ended that compared both sides whole; since the organisation began where none has. 0 while no
   * account of it was looked at: there is nothing to compare.
   */
  readonly lastSweepSeconds: number;
  /** Counters by name and label. */
  readonly counted: readonly { readonly name: string; readonly label: string; readonly total: number }[];
  readonly reconciliation: readonly {
    readonly how: string;
    readonly le: readonly number[];
    readonly sum: number;
    readonly count: number;
  }[];
};

/** Every metric there is, zeros included, so that an alert on a missing one never has to be guessed. */
export const snapshotOf = (facts: MetricFacts): MetricsSnapshot => {
  const sample = (
    name: string,
    value: number,
    labels: Readonly<Record<string, string>> = {},
  ): MetricSample => ({
    name: `holdfast_${name}`,
    labels,
    value,
  });
  const total = (name: string, label = ''): number =>
    facts.counted.find((one) => one.name === name && one.label === label)?.total ?? 0;
  return {
    samples: [
      ...operationStates.map((state) => sample('operations', facts.operations.get(state) ?? 0, { state })),
      sample('unresolved', facts.unresolved.needsPerson, { needs_person: 'true' }),
      sample('unresolved', facts.unresolved.others, { needs_person: 'false' }),
      sample('oldest_unresolved_seconds', facts.oldestUnresolvedSeconds),
      ...unfinishedStates.map((state) =>
        sample('oldest_seconds', facts.oldestSeconds.get(state) ?? 0, { state }),
      ),
      sample('duplicate_actions_total', total('duplicate_actions')),
      ...absorbedAt.map((at) => sample('replays_absorbed_total', total('replays_absorbed', at), { at })),
      ...attemptSamples(facts, sample),
      sample('foreign_actions_total', total('foreign_actions')),
      sample('replay_window_at_risk', facts.replayWindowAtRisk),
      sample('late_reversals_total', total('late_reversals')),
      sample('unapplied_events_oldest_seconds', facts.unappliedEventsOldestSeconds),
      sample('clock_skew_seconds', facts.clockSkewSeconds),
      sample('most_proposals_of_one', facts.mostProposalsOfOne),
      sample('assistant_calls_held_back_total', total('assistant_calls_held_back')),
      ...undeliveredOlderThanSeconds.map((bound, index) =>
        sample('webhook_undelivered', facts.undelivered.older[index] ?? 0, {
          older_than_seconds: String(bound),
        }),
      ),
      sample('webhook_undelivered_oldest_seconds', facts.undelivered.oldestSeconds),
      sample('last_sweep_seconds', facts.lastSweepSeconds),
    ],
    reconciliationSeconds: reconciliation(facts),
  };
};

const attemptSamples = (
  { attempts }: MetricFacts,
  sample: (name: string, value: number, labels: Readonly<Record<string, string>>) => MetricSample,
): readonly MetricSample[] => {
  const providers = [...new Set(['stripe', ...attempts.map(({ provider }) => provider)])];
  return providers.flatMap((provider) =>
    attemptResults.map((result) => {
      const found = attempts.find((one) => one.provider === provider && one.result === result);
      return sample('attempts_total', found?.count ?? 0, { provider, result });
    }),
  );
};

const reconciliation = (facts: MetricFacts): MetricsSnapshot['reconciliationSeconds'] => {
  const known = [...new Set([...settledHow, ...facts.reconciliation.map(({ how }) => how)])];
  return known.map((how) => {
    const found = facts.reconciliation.find((one) => one.how === how);
    return {
      how,
      buckets: reconciliationBounds.map((le, index) => ({ le, count: found?.le[index] ?? 0 })),
      sum: found?.sum ?? 0,
      count: found?.count ?? 0,
    };
  });
};

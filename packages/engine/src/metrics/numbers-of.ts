import { ageBuckets, unfinishedStates, type Numbers, type OperationState } from '@holdfast/operation';
import type { MetricsSnapshot } from '../engine-interface.ts';
import { absorbedAt } from './metric-shapes.ts';

export type Day = { readonly day: string; readonly begins: Date; readonly ends: Date };
/** `day` counts from 1; `null`: of all days together. */
export type Measured = {
  readonly day: number | null;
  readonly count: number;
  readonly median: number | null;
  readonly p95: number | null;
};

/** What was read of the days asked for; what is missing in a list is zero. */
export type LatelyRead = {
  readonly at: Date;
  readonly zone: string;
  readonly since: Date;
  readonly lastSweepAt: Date | null;
  readonly days: readonly Day[];
  readonly counted: readonly { readonly name: string; readonly label: string; readonly total: number }[];
  readonly attempts: readonly {
    readonly provider: string;
    readonly result: string;
    readonly count: number;
  }[];
  /** `bucket` counts from 1. */
  readonly ages: readonly { readonly bucket: number; readonly count: number; readonly needsPerson: number }[];
  readonly reconciliation: readonly Measured[];
  readonly latency: readonly Measured[];
};

const byDays = (days: readonly Day[], read: readonly Measured[]): Numbers['latencyMs'] => {
  const of = (number: number | null) => {
    const { count, median, p95 } = read.find(({ day }) => day === number) ?? {
      ...{ count: 0, median: null, p95: null },
    };
    return { count, median, p95 };
  };
  return {
    all: of(null),
    days: days.map(({ day, begins, ends }, index) => ({
      ...{ day, begins: begins.toISOString(), ends: ends.toISOString() },
      ...of(index + 1),
    })),
  };
};

/** The figures for people: totals are the metrics' own, so that the two never differ. */
export const numbersOf = ({ samples }: MetricsSnapshot, read: LatelyRead): Numbers => {
  const total = (name: string, labels: Readonly<Record<string, string>> = {}): number =>
    samples.find(
      (one) =>
        one.name === `holdfast_${name}` &&
        Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    )?.value ?? 0;
  const lately = (name: string, label = ''): number =>
    read.counted.find((one) => one.name === name && one.label === label)?.total ?? 0;
  const [first, last] = [read.days[0], read.days.at(-1)];
  if (first === undefined || last === undefined) throw new Error('figures are of one day at least');
  const isUnfinished = (state: string): boolean => unfinishedStates.some((one) => one === state);
  return {
    at: read.at.toISOString(),
    zone: read.zone,
    from: first.begins.toISOString(),
    until: last.ends.toISOString(),
    since: read.since.toISOString(),
    duplicates: {
      total: total('duplicate_actions_total'),
      lately: lately('duplicate_actions'),
      lastSweepAt: read.lastSweepAt?.toISOString() ?? null,
    },
    states: samples
      .filter(({ name }) => name === 'holdfast_operations')
      .map(({ labels, value }) => {
        const state = (labels['state'] ?? '') as OperationState;
        const oldest = isUnfinished(state) && value > 0 ? total('oldest_seconds', { state }) : null;
        return { state, count: value, oldestSeconds: oldest };
      }),
    unresolved: {
      needsPerson: total('unresolved', { needs_person: 'true' }),
      others: total('unresolved', { needs_person: 'false' }),
      byAge: ageBuckets.map((bucket, index) => {
        const found = read.ages.find((one) => one.bucket === index + 1);
        return { ...bucket, count: found?.count ?? 0, needsPerson: found?.needsPerson ?? 0 };
      }),
    },
    reconciliationSeconds: byDays(read.days, read.reconciliation),
    absorbed: absorbedAt.map((at) => ({
      at,
      total: total('replays_absorbed_total', { at }),
      lately: lately('replays_absorbed', at),
    })),
    attempts: samples
      .filter(({ name }) => name === 'holdfast_attempts_total')
      .map(({ labels, value }) => {
        const [provider, result] = [labels['provider'] ?? '', labels['result'] ?? ''];
        const found = read.attempts.find((one) => one.provider === provider && one.result === result);
        return { provider, result, total: value, lately: found?.count ?? 0 };
      }),
    lateReversals: { total: total('late_reversals_total'), lately: lately('late_reversals') },
    latencyMs: byDays(read.days, read.latency),
  };
};

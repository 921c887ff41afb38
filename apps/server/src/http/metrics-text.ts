import type { MetricsSnapshot } from '@holdfast/engine';

const helps: Readonly<Record<string, string>> = {
  holdfast_operations: 'Operations by state',
  holdfast_unresolved: 'Operations whose outcome is not established, by whether they stand before a person',
  holdfast_oldest_unresolved_seconds: 'Age of the oldest outcome that is not established',
  holdfast_oldest_seconds: 'Age of the oldest operation in each unfinished state',
  holdfast_reconciliation_seconds: 'From unknown to settled, by how',
  holdfast_duplicate_actions_total: 'Two provider records for one operation',
  holdfast_replays_absorbed_total: 'Things that arrived again and changed nothing, by where',
  holdfast_attempts_total: 'Requests to the provider, by their result',
  holdfast_foreign_actions_total: "Actions in the provider's ledger that were not made here",
  holdfast_replay_window_at_risk: 'Unknown, with less than two hours in which the same key may be sent',
  holdfast_late_reversals_total: 'Succeeded, then did not last',
  holdfast_unapplied_events_oldest_seconds: 'Age of the oldest event that is stored and not applied',
  holdfast_most_proposals_of_one: 'The most that one person, key or assistant proposed in ten minutes',
  holdfast_assistant_calls_held_back_total: 'Calls of assistants that their limit held back',
  holdfast_webhook_undelivered: 'Events that other programs were not told yet, waiting for at least so long',
  holdfast_webhook_undelivered_oldest_seconds:
    'Age of the oldest event that another program was not told yet',
  holdfast_last_sweep_seconds:
    "Since a sweep last compared the provider's ledger with ours to its end; since the organisation began where none has",
  holdfast_clock_skew_seconds: "The provider's clock less the database's",
};

const escape = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const labelText = (labels: Readonly<Record<string, string>>): string => {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
};

const heading = (name: string, type: 'counter' | 'gauge' | 'histogram'): string[] => [
  `# HELP ${name} ${helps[name] ?? name}`,
  `# TYPE ${name} ${type}`,
];

const sampleLines = (snapshot: MetricsSnapshot): string[] => {
  const names = [...new Set(snapshot.samples.map((sample) => sample.name))];
  return names.flatMap((name) => [
    ...heading(name, name.endsWith('_total') ? 'counter' : 'gauge'),
    ...snapshot.samples
      .filter((sample) => sample.name === name)
      .map((sample) => `${name}${labelText(sample.labels)} ${String(sample.value)}`),
  ]);
};

const histogram = 'holdfast_reconciliation_seconds';

const histogramLines = (snapshot: MetricsSnapshot): string[] => [
  ...heading(histogram, 'histogram'),
  ...snapshot.reconciliationSeconds.flatMap(({ how, buckets, sum, count }) => [
    ...buckets.map(
      (bucket) => `${histogram}_bucket${labelText({ how, le: String(bucket.le) })} ${String(bucket.count)}`,
    ),
    `${histogram}_bucket${labelText({ how, le: '+Inf' })} ${String(count)}`,
    `${histogram}_sum${labelText({ how })} ${String(sum)}`,
    `${histogram}_count${labelText({ how })} ${String(count)}`,
  ]),
];

/** One organisation's metrics in the Prometheus text format. They come from the database, whichever process counted. */
export const metricsText = (snapshot: MetricsSnapshot): string =>
  [...sampleLines(snapshot), ...histogramLines(snapshot), ''].join('\n');

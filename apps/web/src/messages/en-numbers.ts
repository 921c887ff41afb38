import { stateWords } from './en-thread.ts';

const places: Readonly<Record<string, string | undefined>> = {
  intake: 'A proposal that had arrived already',
  command: 'A decision that had arrived already',
  webhook: 'A message of the provider that had arrived already',
  provider: 'A request that the provider had carried out already',
};

const results: Readonly<Record<string, string | undefined>> = {
  'under-way': 'Under way',
  'not-sent': 'Proved not sent',
  deferred: 'Put off by the provider',
  rejected: 'Refused by the provider',
  'in-flight-elsewhere': 'Same request still under way',
  unknown: 'Answer not heard',
  accepted: 'Accepted',
};

const many = (count: number, one: string, more: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : more}`;

/** "0.4 s", "12 s", "3 min", "2 h": as exact as it is of use. */
const secondsText = (seconds: number): string => {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
};
const millisecondsText = (milliseconds: number): string =>
  milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : secondsText(milliseconds / 1_000);

const edge = (seconds: number): string => {
  if (seconds < 3_600) return `${seconds / 60} min`;
  return seconds < 86_400 ? `${seconds / 3_600} h` : `${seconds / 86_400} d`;
};

export const numbers = {
  title: 'Numbers',
  lead: 'What has happened, in figures that a monitoring system reads as well. Each leads to the operations behind it.',
  hold: 'Hold',
  daysLabel: 'Days shown',
  days: (days: number): string => `${days} days`,
  zone: (zone: string, offset: string): string => `Days are those of ${zone} (${offset}).`,
  asOf: 'As of',
  refresh: 'Read again',
  reading: 'Reading the numbers',
  failed: 'The numbers could not be read',
  unreachable: 'Holdfast cannot be reached. These are the numbers of the last time it was.',
  unreachableEmpty: 'Holdfast cannot be reached, and this device has no numbers of an earlier time.',
  empty:
    'Nothing yet. As soon as refunds are proposed, approved and carried out, what became of them stands here in figures.',
  none: 'none',
  duplicates: {
    title: 'Duplicate actions',
    some: (count: number): string =>
      `The provider holds more than one record for ${many(count, 'operation', 'operations')}.`,
    looked: 'The last sweep that could have found one ended',
    notLooked: 'None was found. No sweep has run yet that could have found one.',
    since: 'Counted since',
  },
  absorbed: {
    title: 'Double actions that did not happen',
    sentence: (total: number): string =>
      `${many(total, 'thing arrived again and changed', 'things arrived again and changed')} nothing.`,
    place: (at: string): string => places[at] ?? at,
    column: 'What arrived again',
  },
  unresolved: {
    title: 'Outcomes not known',
    sentence: (needsPerson: number, others: number): string =>
      needsPerson + others === 0
        ? 'Every outcome is known.'
        : `${many(others, 'is', 'are')} being checked, ${many(needsPerson, 'waits', 'wait')} for a person.`,
    column: 'Unknown for',
    age: (from: number, below: number | null): string =>
      below === null
        ? `${edge(from)} or longer`
        : from === 0
          ? `less than ${edge(below)}`
          : `${edge(from)} to ${edge(below)}`,
    person: 'of these for a person',
  },
  reversals: {
    title: 'Refunds that did not last',
    sentence: (total: number): string =>
      total === 0
        ? 'None that had succeeded is known not to have lasted.'
        : 'They had succeeded, and the money came back.',
  },
  states: {
    title: 'Operations by state',
    column: 'State',
    word: (state: keyof typeof stateWords): string => stateWords[state],
    oldest: 'Oldest',
    count: 'Operations',
  },
  reconciliation: {
    title: 'Time to reconciliation',
    sentence: (count: number, median: number | null, p95: number | null): string =>
      count === 0 || median === null || p95 === null
        ? 'No outcome was unknown and then settled in these days.'
        : `${many(count, 'outcome was', 'outcomes were')} unknown and then settled: half of them within ${secondsText(median)}, 95 of 100 within ${secondsText(p95)}.`,
    value: secondsText,
    counted: 'Settled',
  },
  attempts: {
    title: 'Requests to the provider',
    sentence: (lately: number): string =>
      `${many(lately, 'request', 'requests')} in these days, by their result.`,
    column: 'Result',
    result: (result: string): string => results[result] ?? result,
  },
  latency: {
    title: 'How long the provider takes',
    sentence: (count: number, median: number | null, p95: number | null): string =>
      count === 0 || median === null || p95 === null
        ? 'The provider answered no request in these days.'
        : `Of ${many(count, 'answer', 'answers')}, half came within ${millisecondsText(median)}, 95 of 100 within ${millisecondsText(p95)}.`,
    value: millisecondsText,
    counted: 'Answers',
  },
  lately: 'In these days',
  ever: 'Ever',
  chart: {
    median: 'Half within',
    p95: '95 of 100 within',
    day: 'Day',
    table: 'As a table',
    described: (title: string, days: number): string =>
      `${title}: a line chart over ${days} days. The same stands in the table below it.`,
  },
  behind: {
    back: 'Numbers',
    of: {
      duplicates: 'Operations that the provider holds twice',
      absorbed: 'Operations of which something arrived again',
      reconciled: 'Operations whose outcome was unknown and was settled',
      reversed: 'Refunds that did not last',
      attempts: 'Operations with requests of this result',
      answered: 'Operations with answered requests',
      unknown: 'Operations whose outcome is not known',
    },
    from: (from: string, until: string): string => `From ${from} to ${until}.`,
    empty:
      'None is found here. What was counted before this was kept does not say of which operation it was.',
    more: 'Show older operations',
    offline: 'Holdfast cannot be reached. This list is read on the server only.',
    columns: { amount: 'Amount', state: 'State', order: 'Order', sentence: 'What is so', updated: 'Changed' },
  },
} as const;

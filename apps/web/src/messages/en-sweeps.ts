import type { SweepState } from '../screens/sweeps/sweep-answers.ts';

const number = (count: number): string => count.toLocaleString('en');
const counted = (count: number, one: string): string => `${number(count)} ${one}${count === 1 ? '' : 's'}`;

const states: Readonly<Record<SweepState, string>> = {
  waiting: 'Waits for a worker',
  running: 'Comparing',
  done: 'Compared',
  'no-answer': 'Broke off',
  'not-home': 'Not compared',
  'given-up': 'Given up',
};

const kinds: Readonly<Record<string, { readonly word: string; readonly meaning: string } | undefined>> = {
  duplicate: {
    word: 'Second refund',
    meaning: 'The provider has a further refund for an operation that has one.',
  },
  foreign: {
    word: 'Made elsewhere',
    meaning: 'Nobody here made this refund. Ask who made it at the provider.',
  },
  unaccounted: {
    word: 'Unaccounted',
    meaning: 'A refund of ours, while its operation is unknown here or had ended without it.',
  },
  'amount-differs': { word: 'Other amount', meaning: 'The provider’s amount is not the operation’s.' },
  'failed-at-provider': {
    word: 'Failed later',
    meaning:
      'It was confirmed, and then the provider could not complete it. The customer does not have the money.',
  },
  'not-at-provider': {
    word: 'Missing there',
    meaning: 'It counts as done here, and the provider does not know it.',
  },
};

const hours = (ms: number): string => {
  const count = Math.round(ms / 3_600_000);
  return count >= 1 ? counted(count, 'hour') : counted(Math.max(1, Math.round(ms / 60_000)), 'minute');
};

export const sweeps = {
  title: 'Sweeps',
  lead: 'The provider’s ledger compared with ours, line by line. “0 duplicates” is true up to the last one.',
  back: 'All sweeps',
  state: (state: SweepState): string => states[state],
  kind: (kind: string): string => kinds[kind]?.word ?? kind,
  meaning: (kind: string): string => kinds[kind]?.meaning ?? '',
  now: 'Sweep now',
  asking: 'Asking…',
  underWay: 'A sweep is under way or waits already; it is the first below.',
  reach: 'How far back',
  reaches: [
    { hours: 24, text: 'One day' },
    { hours: 24 * 7, text: 'One week' },
    { hours: 24 * 30, text: '30 days' },
  ],
  empty:
    'Nothing has been compared yet. A sweep reads the provider’s refunds page by page and holds each against ours: doubled ones, ones made elsewhere, missing ones, and ones that failed later. It changes no money.',
  schedule: {
    off: 'There is no schedule: a sweep is made when somebody asks for one.',
    every: (ms: number): string => `One is made every ${hours(ms)}.`,
    next: 'The next one',
  },
  columns: {
    when: 'When',
    by: 'By',
    state: 'State',
    since: 'Since',
    read: 'Read',
    found: 'Found',
    kind: 'What',
    operation: 'Operation',
    refund: 'Refund at the provider',
    amount: 'Amount',
    first: 'First found',
  },
  read: (refunds: number, operations: number): string =>
    `${counted(refunds, 'refund')}, ${counted(operations, 'operation')}`,
  missed: (count: number): string => `${counted(count, 'event')} fetched that nobody had told`,
  /** "Nothing" is the word of a comparison that was made to the end; before it, nothing is known of the rest. */
  found: (state: SweepState, count: number): string => {
    if (state === 'done') return count === 0 ? 'Nothing' : counted(count, 'finding');
    const isUnderWay = state === 'waiting' || state === 'running';
    if (count === 0) return isUnderWay ? 'Not known yet' : 'Not known';
    return `${counted(count, 'finding')} ${isUnderWay ? 'so far' : 'until then'}`;
  },
  notEnded: 'It has not ended: what was not read yet may differ.',
  clean: 'Both sides say the same.',
  progress: (
    phase: 'refunds' | 'operations' | 'events',
    refunds: number,
    operations: number,
    events: number,
  ): string => {
    switch (phase) {
      case 'refunds':
        return `Reading the provider’s refunds: ${number(refunds)} so far.`;
      case 'operations':
        return `${counted(refunds, 'refund')} read. Asking about ours that were not among them: ${number(operations)} so far.`;
      case 'events':
        return `${counted(refunds, 'refund')} and ${counted(operations, 'operation')} compared. Reading events: ${number(events)} so far.`;
    }
  },
  cutOff: 'Its process has not been heard of for a while. The next worker goes on with it where it is.',
  waiting: 'A worker begins it within seconds.',
  because: (because: string | null): string =>
    `The provider did not answer to the end${because === null ? '' : ` (${because})`}. Nothing is known of what was not read.`,
  keyRefused: 'The key may not read refunds.',
  notHome: 'The key is not of this organisation’s account, so nothing was compared.',
  givenUp: 'Its process was gone, and another sweep was begun in its place.',
  noOperation: 'None here',
  download: 'Download as CSV',
  more: 'Show more',
  older: 'Show older sweeps',
  failed: 'The sweeps could not be read',
  unreachable: 'Holdfast cannot be reached. Sweeps are read on the server only.',
  missing: 'There is no sweep of this ID.',
  latest: 'The last whole one',
  ours: (amount: string): string => `here ${amount}`,
};

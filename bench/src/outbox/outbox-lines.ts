import { median } from '../percentile.ts';
import type { Aim, Line } from '../table.ts';
import type { CaughtUp, Drained, Pair } from './page-results.ts';

/** What is promised of the outbox: how many times as long as the bare thing. */
export const outboxAims = {
  saved: { atMost: 2 },
  drained: { atMost: 3 },
  caughtUp: { atMost: 3 },
} as const satisfies Record<string, Aim>;

const line = (what: string, value: number | null, unit: string, aim: Aim | null = null): Line => ({
  ...{ part: 'outbox', what, value, unit, aim },
});

const ratioOf = ({ bareMs, productMs }: Pair): number => productMs / bareMs;

/** Ratios first: the median of the pairs', and the worst. Then each side's median, which belongs to the machine. */
const compared = (name: string, bareName: string, pairs: readonly Pair[], aim: Aim): Line[] => [
  line(`${name}: of ${bareName}, median of pairs`, median(pairs.map(ratioOf)), '×', aim),
  line(`${name}: of ${bareName}, worst pair`, Math.max(...pairs.map(ratioOf)), '×'),
  line(`${name}: median`, median(pairs.map(({ productMs }) => productMs)), 'ms'),
  line(`${name}: ${bareName}, median`, median(pairs.map(({ bareMs }) => bareMs)), 'ms'),
];

export const linesOfSaved = (pairs: readonly Pair[]): Line[] =>
  compared('tap to saved', 'one strict write', pairs, outboxAims.saved);

export type DrainedRun = Drained & { readonly requests: number };

const transactionLines = (name: string, runs: readonly Pick<Drained, 'transactions'>[]): Line[] => [
  line(`${name}: writing transactions`, median(runs.map(({ transactions }) => transactions.readwrite)), ''),
  line(`${name}: reading transactions`, median(runs.map(({ transactions }) => transactions.readonly)), ''),
];

export const linesOfDrained = (count: number, runs: readonly DrainedRun[]): Line[] => {
  const name = `sending ${count.toLocaleString('en')} items`;
  return [
    ...compared(name, 'one fetch and one write', runs, outboxAims.drained),
    line(`${name}: requests`, median(runs.map(({ requests }) => requests)), ''),
    ...transactionLines(name, runs),
    line(`${name}: commands`, median(runs.map(({ sentBytes }) => sentBytes)) / 1024, 'KiB'),
  ];
};

export const linesOfCaughtUp = (count: number, runs: readonly CaughtUp[]): Line[] => {
  const name = `catching up on ${count.toLocaleString('en')} changes`;
  return [
    ...compared(name, 'one fetch and one write', runs, outboxAims.caughtUp),
    ...transactionLines(name, runs),
    line(`${name}: heard`, median(runs.map(({ heardBytes }) => heardBytes)) / 1024, 'KiB'),
  ];
};

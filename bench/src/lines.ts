import { median, percentile } from './percentile.ts';
import { perSecond, type MeasuredRun } from './run.ts';
import type { Aim, Line } from './table.ts';
import type { Comparison } from './throughput.ts';

/** What is promised of throughput. */
export const aims = {
  loopOfBare: { atLeast: 0.4 },
  burstOfLoop: { atLeast: 2 },
  commitsInLoop: { atMost: 4 },
  commitsInBurst: { atMost: 0.5 },
  duplicates: { atMost: 0 },
} as const satisfies Record<string, Aim>;

const writer =
  (part: string) =>
  (what: string, value: number | null, unit: string, aim: Aim | null = null): Line => ({
    ...{ part, what, value, unit, aim },
  });

const each = (seconds: number | null, operations: number): number | null =>
  seconds === null ? null : (seconds * 1000) / operations;

const costLines = (part: string, who: string, run: MeasuredRun): Line[] => {
  const line = writer(part);
  const { cost, operations } = run;
  const product = who === 'product';
  return [
    line(`${who}: latency, median`, median(run.latenciesMs), 'ms'),
    line(`${who}: latency, 99th percentile`, percentile(run.latenciesMs, 0.99), 'ms'),
    line(`${who}: WAL an operation`, cost.walBytes / operations, 'bytes'),
    ...(product ? [line('product: processor, server', each(cost.serverSeconds, operations), 'ms/op')] : []),
    line(`${who}: processor, database`, each(cost.databaseSeconds, operations), 'ms/op'),
    line(`${who}: processor, this program as client`, each(cost.clientSeconds, operations), 'ms/op'),
    ...(product
      ? [line('product: processor, provider', each(cost.providerSeconds, operations), 'ms/op')]
      : []),
  ];
};

const common = (part: string, found: Comparison, commits: Aim): Line[] => {
  const line = writer(part);
  const { bare, product } = found;
  return [
    line(
      'product: commits an operation',
      product.cost.writingCommits / product.operations,
      'commits',
      commits,
    ),
    line('product: transactions an operation, reads too', found.transactions / product.operations, ''),
    line('duplicates at the provider', found.duplicates, '', aims.duplicates),
    ...costLines(part, 'product', product),
    line('bare SQL: commits an operation', bare.cost.writingCommits / bare.operations, 'commits'),
    ...costLines(part, 'bare SQL', bare),
  ];
};

export const linesOfLoop = (found: Comparison): Line[] => {
  const line = writer('loop');
  return [
    line('bare SQL', perSecond(found.bare), 'ops/s'),
    line('product', perSecond(found.product), 'ops/s'),
    line('product of bare SQL, median of pairs', median(found.ratios), '×', aims.loopOfBare),
    line('product of bare SQL, worst pair', Math.min(...found.ratios), '×'),
    ...common('loop', found, aims.commitsInLoop),
  ];
};

export const linesOfBurst = (found: Comparison, loop: Comparison): Line[] => {
  const line = writer('burst');
  return [
    line('bare SQL', perSecond(found.bare), 'ops/s'),
    line('product', perSecond(found.product), 'ops/s'),
    line('product of bare SQL', median(found.ratios), '×'),
    line(
      "product of the loop's rate",
      perSecond(found.product) / perSecond(loop.product),
      '×',
      aims.burstOfLoop,
    ),
    ...common('burst', found, aims.commitsInBurst),
  ];
};

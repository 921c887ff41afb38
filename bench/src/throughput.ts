import type { Settings } from './arguments.ts';
import { bareBurst } from './bare/bare-burst.ts';
import { bareLoop } from './bare/bare-loop.ts';
import { measureCost, statisticsLagMs, transactionsOf } from './facts/cost.ts';
import type { House } from './house/house.ts';
import { pause } from './program.ts';
import { openApiClient } from './product/api-client.ts';
import { followFeed } from './product/feed-follower.ts';
import { productBurst } from './product/product-burst.ts';
import { productLoop } from './product/product-loop.ts';
import { together, type MeasuredRun, type Run } from './run.ts';

/** The same work done by bare SQL and by the product, in pairs, one after the other. */
export type Comparison = {
  readonly bare: MeasuredRun;
  readonly product: MeasuredRun;
  /** Of each pair: the product's operations per second over the bare SQL's. */
  readonly ratios: readonly number[];
  /** Of the product, those that only read included. */
  readonly transactions: number;
  /** Refunds beyond the first of an operation in the provider's ledger. */
  readonly duplicates: number;
};

export type Shape = {
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly rounds: number;
  readonly burst: number;
  readonly burstRounds: number;
};

export const shapeOf = ({ quick, rounds, burst }: Pick<Settings, 'quick' | 'rounds' | 'burst'>): Shape => ({
  ...(quick ? { warmUpMs: 2_000, durationMs: 4_000 } : { warmUpMs: 5_000, durationMs: 10_000 }),
  rounds: rounds ?? (quick ? 2 : 5),
  burst: burst ?? (quick ? 1_000 : 5_000),
  burstRounds: 1,
});

export type Rig = {
  readonly house: House;
  readonly loop: (clients: number, durationMs: number) => Promise<Run>;
  readonly burst: (operations: number) => Promise<Run>;
  readonly close: () => Promise<void>;
};

/** What drives the product: connections, and one reader of the feed for all clients. */
export const openRig = async (
  house: House,
  connections: number,
  cursor?: string,
): Promise<Rig & { cursor: string }> => {
  const api = openApiClient(house.origin, connections);
  const feed = await followFeed(house.origin, house.keys.agent, cursor);
  return {
    house,
    loop: (clients, durationMs) => productLoop(house, api, feed, clients, durationMs),
    burst: (operations) => productBurst(house, api, feed, operations),
    cursor: feed.cursor(),
    close: () => {
      feed.close();
      api.close();
      return Promise.resolve();
    },
  };
};

const measured = async (house: House, work: () => Promise<Run>): Promise<MeasuredRun> => {
  const { result, cost } = await measureCost(house, work);
  return { ...result, cost };
};

const compare = async (
  house: House,
  rounds: number,
  work: { readonly bare: () => Promise<Run>; readonly product: () => Promise<Run> },
): Promise<Comparison> => {
  const bare: MeasuredRun[] = [];
  const product: MeasuredRun[] = [];
  const duplicatesBefore = (await house.providerSummary()).duplicates;
  await pause(statisticsLagMs);
  const transactionsBefore = await transactionsOf(house);
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await measured(house, work.bare));
    product.push(await measured(house, work.product));
  }
  await pause(statisticsLagMs);
  const transactions = (await transactionsOf(house)) - transactionsBefore;
  const ratios = product.map((run, round) => {
    const pair = bare[round];
    return pair === undefined ? Number.NaN : rate(run) / rate(pair);
  });
  const duplicates = (await house.providerSummary()).duplicates - duplicatesBefore;
  return { bare: together(bare), product: together(product), ratios, transactions, duplicates };
};

const rate = ({ operations, seconds }: Run): number => operations / seconds;

export const compareLoop = async (rig: Rig, clients: number, shape: Shape): Promise<Comparison> => {
  const { house } = rig;
  const warm = await bareLoop(house, clients, shape.warmUpMs / 2);
  // Three times what the cold rate would use up: once warm it goes faster.
  const measuredSeconds = (shape.rounds * shape.durationMs + shape.warmUpMs) / 1000;
  await house.stock.add(Math.ceil(3 * rate(warm) * measuredSeconds) + 2 * shape.burst * shape.burstRounds);
  await rig.loop(clients, shape.warmUpMs);
  return compare(house, shape.rounds, {
    bare: () => bareLoop(house, clients, shape.durationMs),
    product: () => rig.loop(clients, shape.durationMs),
  });
};

export const compareBurst = (rig: Rig, shape: Shape): Promise<Comparison> =>
  compare(rig.house, shape.burstRounds, {
    bare: () => bareBurst(rig.house, shape.burst),
    product: () => rig.burst(shape.burst),
  });

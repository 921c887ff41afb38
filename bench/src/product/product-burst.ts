import type { House } from '../house/house.ts';
import type { Run } from '../run.ts';
import { uuidV7 } from '../uuid-v7.ts';
import type { ApiClient } from './api-client.ts';
import type { FeedFollower } from './feed-follower.ts';
import { demandConfirmed, proposalOf } from './product-loop.ts';

/** As many commands as one request may carry. */
const batchSize = 500;
/** Requests under way at once. */
const lanes = 4;

type Command = { readonly commandId: string } & Readonly<Record<string, unknown>>;
type Result = {
  readonly commandId: string;
  readonly status: string;
  readonly operation?: { readonly id: string; readonly fingerprint: string };
  readonly problem?: unknown;
};

const applied = async (api: ApiClient, key: string, commands: readonly Command[]): Promise<Result[]> => {
  const answer = await api.ask('POST', '/v1/commands', key, { commands });
  if (answer.status !== 200)
    throw new Error(`a batch was answered ${String(answer.status)}: ${JSON.stringify(answer.body)}`);
  const { results } = answer.body as { readonly results: Result[] };
  const refused = results.find(({ status }) => status !== 'applied');
  if (refused !== undefined)
    throw new Error(`a command of a batch was not applied: ${JSON.stringify(refused)}`);
  return results;
};

/** Proposes and approves this many at once, in batches, and waits for every one's end. */
export const productBurst = async (
  house: House,
  api: ApiClient,
  feed: FeedFollower,
  operations: number,
): Promise<Run> => {
  const latenciesMs: number[] = [];
  const begin = performance.now();
  const hearEnd = async (operationId: string, sentAt: number): Promise<void> => {
    demandConfirmed(await feed.untilEnd(operationId), operationId);
    latenciesMs.push(performance.now() - sentAt);
  };
  const sendBatch = async (size: number): Promise<void> => {
    const sentAt = performance.now();
    const proposals = Array.from({ length: size }, () => {
      const operationId = uuidV7();
      return {
        ...{ commandId: operationId, type: 'propose', operationId },
        ...proposalOf(house.stock.nextForProduct()),
      };
    });
    const ends = Promise.all(proposals.map(({ operationId }) => hearEnd(operationId, sentAt)));
    // Heard below; should a command be refused before that, the refusal is what is told.
    ends.catch(() => undefined);
    const proposed = await applied(api, house.keys.agent, proposals);
    const approvals = proposed.map(({ commandId, operation }) => ({
      ...{ commandId: uuidV7(), type: 'approve', operationId: commandId },
      fingerprint: operation?.fingerprint,
    }));
    await applied(api, house.keys.approver, approvals);
    allEnds.push(ends);
  };
  const allEnds: Promise<unknown>[] = [];
  const sizes: number[] = [];
  for (let left = operations; left > 0; left -= batchSize) sizes.push(Math.min(batchSize, left));
  const waiting = sizes.values();
  const lane = async (): Promise<void> => {
    for (const size of waiting) await sendBatch(size);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await Promise.all(allEnds);
  return { operations, seconds: (performance.now() - begin) / 1000, latenciesMs };
};

import type { House } from '../house/house.ts';
import { amountMinor, orderOf, returnOf } from '../house/stock.ts';
import { closedLoop, type Run } from '../run.ts';
import { uuidV7 } from '../uuid-v7.ts';
import type { Answer, ApiClient } from './api-client.ts';
import type { FeedFollower } from './feed-follower.ts';

export const proposalOf = (order: number) => ({
  kind: 'refund',
  orderId: orderOf(order),
  amount: { minor: amountMinor, currency: 'EUR' },
  reason: 'returned',
  returnId: returnOf(order),
});

const demand = (wanted: number, answer: Answer, what: string): unknown => {
  if (answer.status === wanted) return answer.body;
  throw new Error(`${what} was answered ${String(answer.status)}: ${JSON.stringify(answer.body)}`);
};

export const demandConfirmed = (state: string, operationId: string): void => {
  if (state !== 'confirmed') throw new Error(`operation ${operationId} ended ${state}, not confirmed`);
};

/** One refund as a client lives through it: propose, approve, hear from the feed that it is confirmed. */
const onceThrough = async (house: House, api: ApiClient, feed: FeedFollower): Promise<void> => {
  const operationId = uuidV7();
  const path = `/v1/operations/${operationId}`;
  const proposed = await api.ask('PUT', path, house.keys.agent, proposalOf(house.stock.nextForProduct()));
  const { fingerprint } = demand(201, proposed, 'a proposal') as { readonly fingerprint: string };
  const ended = feed.untilEnd(operationId);
  const approval = { commandId: uuidV7(), fingerprint };
  const approved = await api.ask('POST', `${path}/approve`, house.keys.approver, approval);
  demand(200, approved, 'an approval');
  demandConfirmed(await ended, operationId);
};

export const productLoop = (
  house: House,
  api: ApiClient,
  feed: FeedFollower,
  clients: number,
  durationMs: number,
): Promise<Run> => closedLoop(clients, durationMs, () => onceThrough(house, api, feed));

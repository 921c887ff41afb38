import { lookupResponseSchema, protocolVersion } from '@holdfast/operation';
import type { Operation } from '@holdfast/operation';
import type { Cancellation } from '../ports.ts';
import type { Transport } from './transport.ts';
import { parsedJson, reasonForNothing } from './verdict.ts';
import type { Delivery, Kept } from './verdict.ts';

export const operationsPerLookUp = 500;

export type LookedUp =
  { readonly kind: 'told'; readonly operations: ReadonlyMap<string, Operation | null> } | Kept;

const isJson = (delivery: Extract<Delivery, { kind: 'answered' }>): boolean =>
  (delivery.contentType ?? '').split(';')[0]?.trim().toLowerCase() === 'application/json';

const readAnswer = (delivery: Delivery, nowMs: number): LookedUp => {
  if (delivery.kind === 'answered' && delivery.status === 200 && !delivery.redirected && isJson(delivery)) {
    const body = lookupResponseSchema.safeParse(parsedJson(delivery.text));
    if (body.success) return { kind: 'told', operations: new Map(Object.entries(body.data.operations)) };
  }
  return reasonForNothing(delivery, nowMs);
};

/** Asks the server what it holds under these IDs, in as many requests as it takes. Stops at the first failure. */
export const lookUp = async (
  world: { transport: Transport; timeoutMs: number; nowMs: () => number; cancellation: Cancellation },
  ids: readonly string[],
): Promise<LookedUp> => {
  const told = new Map<string, Operation | null>();
  for (let from = 0; from < ids.length; from += operationsPerLookUp) {
    const body = JSON.stringify({ ids: ids.slice(from, from + operationsPerLookUp) });
    const request = { path: '/v1/operations/lookup', body, protocol: protocolVersion } as const;
    const delivery = await world.transport.send(
      { ...request, timeoutMs: world.timeoutMs },
      world.cancellation,
    );
    const answer = readAnswer(delivery, world.nowMs());
    if (answer.kind === 'kept') return answer;
    for (const [id, operation] of answer.operations) told.set(id, operation);
  }
  return { kind: 'told', operations: told };
};

import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { RequestOutcome } from '../ledger/journal-entry.ts';
import { apiVersion } from '../stripe/event-object.ts';
import { type Parameters, readParameters } from '../stripe/parameters.ts';
import type { World } from '../world.ts';
import { type Answer, type Ending, sendAnswer } from './answer.ts';

export type ApiContext = Context<{ Bindings: HttpBindings }>;

export interface Received {
  requestId: string;
  /** Null for reads, which are counted but not logged. */
  number: number | null;
  path: string;
  key: string | null;
  parameters: Parameters;
  authorization: string | undefined;
  receivedMs: number;
}

/** A request that changes things is in the log from its arrival on, also when no answer ever leaves. */
export async function receive(world: World, context: ApiContext): Promise<Received> {
  const requestId = world.mint('req');
  const { path, method } = context.req;
  const call = `${method} ${path.replace(/\/(re|pi|ch|evt|dp)_[^/]+$/, '/{id}')}`;
  world.calls.set(call, (world.calls.get(call) ?? 0) + 1);
  const key = context.req.header('idempotency-key') || null;
  const receivedMs = world.nowMs();
  const about = { requestId, path, key, authorization: context.req.header('authorization'), receivedMs };
  if (method !== 'POST') {
    return { ...about, number: null, parameters: readParameters(new URL(context.req.url).search) };
  }
  const body = await context.req.text();
  const number = world.ledger.requestCount + 1;
  const open = { status: null, replayed: false, executed: null, fault: null };
  const request = {
    number,
    id: requestId,
    atMs: receivedMs,
    method,
    path,
    idempotencyKey: key,
    body,
    ...open,
  };
  void world.commit([{ kind: 'request.received', request }]);
  return { ...about, number, parameters: readParameters(body) };
}

/** The last step of every call: nothing leaves before the disk has what the answer speaks of. */
export async function conclude(
  world: World,
  context: ApiContext,
  received: Received,
  answer: Answer,
  ending: Ending,
  outcome: Omit<RequestOutcome, 'status'>,
): Promise<Response> {
  const silent = ending.how === 'drop' || ending.how === 'hang';
  if (received.number !== null) {
    const status = silent ? 'dropped' : answer.status;
    void world.commit([
      { kind: 'request.answered', number: received.number, outcome: { ...outcome, status } },
    ]);
  }
  await world.durable();
  const headers = {
    ...answer.headers,
    date: new Date(world.nowMs()).toUTCString(),
    'request-id': received.requestId,
    'stripe-version': context.req.header('stripe-version') ?? apiVersion,
    ...(received.key === null ? {} : { 'idempotency-key': received.key }),
  };
  return sendAnswer(context.env, { ...answer, headers }, ending);
}

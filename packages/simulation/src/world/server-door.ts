import type { Engine, Principal, SubmittedCommand } from '@holdfast/engine';
import {
  commandBatchSchema,
  commandSchema,
  lookupRequestSchema,
  type FeedReset,
  type Operation,
  type Order,
  type Ticket,
} from '@holdfast/operation';
import type { FeedBatch } from '@holdfast/outbox/decisions';
import { organisationId, type Person } from './database.ts';

/** What a server answers, as text on the wire. */
export type WireAnswer = { readonly status: number; readonly contentType: string; readonly text: string };

export const principalOf = ({ id, role }: Person): Principal => ({
  organisationId,
  actor: { id, name: id, role, assistant: false, via: 'session' },
});

const json = (value: unknown): WireAnswer => ({
  status: 200,
  contentType: 'application/json',
  text: JSON.stringify(value),
});

/** What the server says to whoever's session has ended. */
export const signInNeeded: WireAnswer = {
  status: 401,
  contentType: 'application/problem+json',
  text: JSON.stringify({
    ...{ type: 'https://holdfast.test/problems/unauthenticated', title: 'Sign in', status: 401 },
    ...{ detail: 'Sign in, or send an API key as a bearer token.', final: false },
  }),
};

const trouble: WireAnswer = { status: 503, contentType: 'text/plain', text: 'no' };

/** Each command is judged by itself: a malformed one spoils no other. */
const submitted = (raw: unknown): SubmittedCommand => {
  const parsed = commandSchema.safeParse(raw);
  if (parsed.success) return { ok: true, command: parsed.data };
  throw new Error(`a device sent what is no command: ${JSON.stringify(raw)}`);
};

/** The server's routes, as far as a device uses them. What breaks within is trouble of the server's, never a verdict. */
export const answerRequest = async (
  engine: Engine,
  who: Person,
  path: string,
  body: string,
): Promise<WireAnswer> => {
  const principal = principalOf(who);
  try {
    if (path === '/v1/commands') {
      const { commands } = commandBatchSchema.parse(JSON.parse(body));
      return json({ results: await engine.apply(principal, commands.map(submitted)) });
    }
    if (path === '/v1/operations/lookup') {
      const { ids } = lookupRequestSchema.parse(JSON.parse(body));
      return json(await engine.lookUp(principal, ids));
    }
    return { status: 404, contentType: 'text/plain', text: 'no such route' };
  } catch {
    return trouble;
  }
};

/** So few that a catch-up comes in pages also where little has happened. */
const pageOfFeed = 2;

const batch = (changes: Partial<FeedBatch>): FeedBatch => ({
  ...{ operations: [], orders: [], tickets: [], cursor: null, live: null, reset: null, unreadable: [] },
  ...changes,
});

type Change = { readonly event: 'operation' | 'order' | 'ticket'; readonly data: Operation | Order | Ticket };

const told = (changes: readonly Change[]): Partial<FeedBatch> => ({
  operations: changes.flatMap(({ event, data }) => (event === 'operation' ? [data as Operation] : [])),
  orders: changes.flatMap(({ event, data }) => (event === 'order' ? [data as Order] : [])),
  tickets: changes.flatMap(({ event, data }) => (event === 'ticket' ? [data as Ticket] : [])),
});

/** As many as the server's route takes at once. */
const pageOfStream = 200;

/** What a stream that stays open brings next. Throws where the server ends it, as when history began anew. */
export const followFeed = async (
  engine: Engine,
  who: Person,
  cursor: string,
): Promise<readonly FeedBatch[]> => {
  const found = await engine.feed.changesAfter(principalOf(who), cursor, pageOfStream);
  return [batch({ ...told(found.changes), cursor: found.cursor })];
};

/** A stream's beginning, through to where it is caught up, in the order in which the server's route tells it. */
export const pollFeed = async (
  engine: Engine,
  who: Person,
  cursor: string | null,
): Promise<readonly FeedBatch[]> => {
  const principal = principalOf(who);
  const batches: FeedBatch[] = [];
  let from: string | null = null;
  if (cursor !== null) {
    const judged = await engine.feed.resume(principal, cursor);
    if (judged.kind === 'resume') from = judged.cursor;
    else return [batch({ reset: { reason: judged.reason } satisfies FeedReset })];
  }
  if (from === null) {
    for await (const page of engine.feed.snapshot(principal)) {
      batches.push(batch(told(page.changes)));
      from = page.cursor ?? from;
    }
    const live = await engine.feed.generation(organisationId);
    return [...batches, batch({ live, cursor: from })];
  }
  for (;;) {
    const found: Awaited<ReturnType<Engine['feed']['changesAfter']>> = await engine.feed.changesAfter(
      principal,
      from,
      pageOfFeed,
    );
    if (found.cursor === from) break;
    from = found.cursor;
    batches.push(batch({ ...told(found.changes), cursor: from }));
  }
  return [...batches, batch({ live: await engine.feed.generation(organisationId), cursor: from })];
};

import type { Engine, FeedChange, FeedCursor, Principal } from '@holdfast/engine';
import { z } from 'zod';
import type { Identify, Identity } from '../../sign-in/identify.ts';
import { makeBell } from '../bell.ts';
import { openEventStream, type EventWriter, type StreamEvent } from '../event-stream.ts';
import { problemOf, Refusal } from '../problem.ts';
import { guarded, type GuardedRoute } from '../route.ts';

const heartbeatMs = 10_000;
const batchSize = 200;
/** A changed role or a sign-out shows in a busy stream within this time, in an idle one within a heartbeat. */
const rightsTrustedForMs = 1_000;

/** Streams that are open, so that a stop, a sign-out or a changed role can end them. */
export type OpenStreams = {
  readonly add: (close: () => void) => () => void;
  /** No further stream may be opened for now. */
  readonly isFull: () => boolean;
  readonly closeAll: () => void;
  /** Makes every stream look at once whether its principal is still who it was. */
  readonly recheck: () => void;
  readonly onRecheck: (look: () => void) => () => void;
};

/** @param most streams that may be open at once in this process */
export const openStreams = (most = Number.POSITIVE_INFINITY): OpenStreams => {
  const closers = new Set<() => void>();
  const lookers = new Set<() => void>();
  const member = (set: Set<() => void>, item: () => void) => {
    set.add(item);
    return () => {
      set.delete(item);
    };
  };
  return {
    add: (close) => member(closers, close),
    isFull: () => closers.size >= most,
    closeAll: () => {
      for (const close of closers) close();
    },
    recheck: () => {
      for (const look of lookers) look();
    },
    onRecheck: (look) => member(lookers, look),
  };
};

const sameRights = (one: Principal, other: Principal): boolean =>
  one.organisationId === other.organisationId &&
  one.actor.id === other.actor.id &&
  one.actor.role === other.actor.role &&
  one.actor.assistant === other.actor.assistant;

/** Asks anew whether the sender of a request that goes on is still who it was, with the same rights. */
export const staysWho =
  (identify: Identify, request: Request, { subject, principal }: Identity): (() => Promise<boolean>) =>
  async () => {
    const now = await identify(request.headers);
    return typeof now === 'object' && now.subject === subject && sameRights(now.principal, principal);
  };

const eventOf = (change: FeedChange, id?: string): StreamEvent => ({
  event: change.event,
  data: change.data,
  ...(id === undefined ? {} : { id }),
});

/** That the caller now has everything up to the cursor. */
const sendLive = async (engine: Engine, who: Principal, cursor: FeedCursor, writer: EventWriter) => {
  const generation = await engine.feed.generation(who.organisationId);
  await writer.send([{ event: 'live', data: { generation }, id: cursor }]);
};

/** Everything the caller may see, then `live`, which carries the first cursor. Nothing before it carries one. */
const sendSnapshot = async (
  engine: Engine,
  who: Principal,
  writer: EventWriter,
): Promise<FeedCursor | undefined> => {
  let cursor: FeedCursor | null = null;
  for await (const part of engine.feed.snapshot(who)) {
    await writer.send(part.changes.map((change) => eventOf(change)));
    if (writer.closed()) return undefined;
    cursor = part.cursor ?? cursor;
  }
  if (cursor === null) throw new Error('the snapshot ended without a cursor');
  await sendLive(engine, who, cursor, writer);
  return cursor;
};

/** `cursor` undefined: the reader left. `saidLive`: it was told everything that is, and that this was all. */
type Beginning = { readonly cursor: FeedCursor | undefined; readonly saidLive: boolean };

/** Where the stream begins: after a good cursor, or with `reset` and everything anew. */
const begin = async (
  engine: Engine,
  who: Principal,
  given: string | undefined,
  writer: EventWriter,
): Promise<Beginning> => {
  if (given !== undefined && given !== '') {
    const judged = await engine.feed.resume(who, given);
    if (judged.kind === 'resume') return { cursor: judged.cursor, saidLive: false };
    await writer.send([{ event: 'reset', data: { reason: judged.reason }, id: '' }]);
  }
  return { cursor: await sendSnapshot(engine, who, writer), saidLive: true };
};

type FollowParts = {
  readonly engine: Engine;
  readonly who: Principal;
  readonly stillAllowed: () => Promise<boolean>;
  readonly streams: OpenStreams;
  /** The stream ends as soon as there is nothing more to tell, with `live` as its last word. */
  readonly untilCaughtUp: boolean;
};

/**
 * Follows the feed from a cursor. Each event's `id:` is a cursor that resumes without a gap: within a batch the
 * one from before it, so that a connection cut in the middle brings the batch again, and at its end the new one.
 */
const follow = async (start: FeedCursor, parts: FollowParts, writer: EventWriter): Promise<void> => {
  const { engine, who, stillAllowed, streams, untilCaughtUp } = parts;
  const bell = makeBell();
  let askAgain = true;
  const unwatch = engine.feed.watch(who.organisationId, bell.ring);
  const unlisten = streams.onRecheck(() => {
    askAgain = true;
    bell.ring();
  });
  writer.onClose(bell.ring);
  let cursor = start;
  let askedAtMs = 0;
  try {
    while (!writer.closed()) {
      const batch = await engine.feed.changesAfter(who, cursor, batchSize);
      // After the fetch and before the send, so that nothing leaves that was read just before the rights went.
      if (askAgain || Date.now() - askedAtMs > rightsTrustedForMs) {
        askAgain = false;
        if (!(await stillAllowed())) return;
        askedAtMs = Date.now();
      }
      const last = batch.changes.length - 1;
      await writer.send(
        batch.changes.map((change, index) => eventOf(change, index === last ? batch.cursor : cursor)),
      );
      // Several changes of one thing are told once, so a short batch may have more behind it: only a cursor that
      // stands still says that there is nothing left.
      const caughtUp = batch.cursor === cursor;
      cursor = batch.cursor;
      if (caughtUp && untilCaughtUp) return await sendLive(engine, who, cursor, writer);
      if (caughtUp) await bell.wait(heartbeatMs);
    }
  } finally {
    unwatch();
    unlisten();
  }
};

export type FeedParts = {
  readonly identify: Identify;
  readonly streams: OpenStreams;
  /** For who finds no room: when to come back. */
  readonly retryAfter: () => string;
  readonly onFailure: (error: unknown) => void;
};

type FeedQuery = { readonly cursor?: string | undefined; readonly until?: 'caught-up' | undefined };

const stream = (engine: Engine, identity: Identity, request: Request, query: FeedQuery, parts: FeedParts) => {
  if (parts.streams.isFull()) {
    const full = problemOf(
      'unavailable',
      'As many event streams are open here as may be. Open one again later.',
    );
    throw new Refusal(full, { 'retry-after': parts.retryAfter() });
  }
  const who = identity.principal;
  const stillAllowed = staysWho(parts.identify, request, identity);
  // Last-Event-ID wins: it is newer than the address the client was first given.
  const given = request.headers.get('last-event-id') ?? query.cursor;
  const untilCaughtUp = query.until === 'caught-up';
  let forget: () => void = () => undefined;
  const opened = openEventStream(
    async (writer) => {
      // Whoever ends it: a stream that is over takes nobody's room.
      writer.onClose(() => {
        forget();
      });
      const { cursor, saidLive } = await begin(engine, who, given, writer);
      if (cursor === undefined || (untilCaughtUp && saidLive)) return;
      const { streams } = parts;
      await follow(cursor, { engine, who, stillAllowed, streams, untilCaughtUp }, writer);
    },
    heartbeatMs,
    parts.onFailure,
  );
  forget = parts.streams.add(opened.close);
  request.signal.addEventListener('abort', () => {
    forget();
    opened.close();
  });
  return opened.response;
};

export const feedRoutes = (parts: FeedParts): GuardedRoute[] => [
  guarded({
    method: 'get',
    path: '/v1/feed',
    summary:
      'Every change, as Server-Sent Events. `Last-Event-ID` or `cursor` resumes without a gap. ' +
      'With `until=caught-up` the answer ends once everything up to now was told, with `live` as its last event: ' +
      'for a caller behind a proxy that lets no stream through, who asks again later from its cursor.',
    needs: 'any',
    query: z.object({
      cursor: z.string().max(2_000).optional(),
      until: z.enum(['caught-up']).optional(),
    }),
    answers: {
      200: {
        description: 'Events `operation`, `order`, `ticket`, `live` and `reset`',
        schema: z.string(),
        mediaType: 'text/event-stream',
      },
    },
    handle: ({ engine, identity, request, query }) =>
      Promise.resolve().then(() => stream(engine, identity, request, query, parts)),
  }),
];

import type { Engine } from '@holdfast/engine';
import { outsideId, plainText } from '@holdfast/operation';
import { z } from 'zod';
import { builtInTurn, type Turn } from '../../assistant/built-in-turn.ts';
import type { AskModel } from '../../assistant/model-reading.ts';
import type { Identity } from '../../sign-in/identify.ts';
import { openEventStream, type StreamEvent } from '../event-stream.ts';
import { inPlaces } from '../in-places.ts';
import type { Overload } from '../overload.ts';
import { problemOf, Refusal } from '../problem.ts';
import type { RateLimiter } from '../rate-limit.ts';
import { guarded, type GuardedRoute } from '../route.ts';
import type { OpenStreams } from './feed-routes.ts';

export type AssistantParts = {
  readonly limiter: RateLimiter;
  readonly during: Overload['during'];
  readonly retryAfter: () => string;
  readonly streams: OpenStreams;
  readonly onFailure: (error: unknown) => void;
  readonly askModel: AskModel | undefined;
};

const turnSchema = z.object({
  text: plainText(2_000),
  orderId: z.optional(outsideId),
  ticketId: z.optional(outsideId),
  before: z.optional(z.object({ orderId: outsideId, operationId: z.optional(outsideId) })),
  decimalMark: z.enum(['.', ',']).optional(),
});
type Asked = z.infer<typeof turnSchema>;

const heartbeatMs = 10_000;

/** What went wrong in the middle of a turn: the stream has begun, so it is said there. */
const problemEvent = (error: unknown): StreamEvent => ({
  event: 'problem',
  data:
    error instanceof Refusal
      ? error.problem
      : problemOf('unavailable', 'The assistant cannot answer at the moment.'),
});

const demandRoom = ({ limiter, streams, retryAfter }: AssistantParts, identity: Identity): void => {
  const seconds = limiter.take(identity.credential);
  if (seconds !== undefined) {
    throw new Refusal(problemOf('rate-limited', `Ask the assistant again in ${String(seconds)} seconds.`), {
      'retry-after': String(seconds),
    });
  }
  if (!streams.isFull()) return;
  throw new Refusal(
    problemOf('unavailable', 'As many event streams are open here as may be. Ask again later.'),
    {
      'retry-after': retryAfter(),
    },
  );
};

const stream = (
  parts: AssistantParts,
  engine: Engine,
  { identity, request, body }: { identity: Identity; request: Request; body: Asked },
): Response => {
  demandRoom(parts, identity);
  const { text, ...beside } = body;
  let forget: () => void = () => undefined;
  const opened = openEventStream(
    async (writer) => {
      const stop = new AbortController();
      writer.onClose(() => {
        stop.abort();
        forget();
      });
      const turn: Turn = {
        engine: inPlaces(engine, parts.during),
        who: identity.principal,
        text,
        beside: { ...beside, decimalMark: beside.decimalMark ?? '.' },
        isStopped: writer.closed,
        askModel: parts.askModel,
        stop: stop.signal,
      };
      try {
        for (const event of await builtInTurn(turn)) {
          if (writer.closed()) return;
          await writer.send([event]);
        }
      } catch (error) {
        if (!(error instanceof Refusal)) parts.onFailure(error);
        await writer.send([problemEvent(error)]);
      }
    },
    heartbeatMs,
    parts.onFailure,
  );
  forget = parts.streams.add(opened.close);
  request.signal.addEventListener('abort', () => {
    opened.close();
  });
  return opened.response;
};

export const assistantRoutes = (parts: AssistantParts): GuardedRoute[] => [
  guarded({
    method: 'post',
    path: '/v1/assistant',
    summary:
      'One turn of the assistant, as Server-Sent Events: `looked-up`, `text`, `draft`, `question`, `report`, `missing`, `quoted`, `problem`, `done`. It drafts and never proposes; closing the connection stops it.',
    needs: ['agent'],
    scope: 'propose',
    body: turnSchema,
    // It streams; what it asks of the database takes a place by itself.
    place: 'none',
    answers: {
      200: { description: 'The turn', schema: z.string(), mediaType: 'text/event-stream' },
    },
    handle: ({ engine, identity, request, body }) =>
      Promise.resolve().then(() => stream(parts, engine, { identity, request, body })),
  }),
];

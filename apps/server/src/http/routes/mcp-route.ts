import type { Principal } from '@holdfast/engine';
import { z } from 'zod';
import type { Identify, Identity } from '../../sign-in/identify.ts';
import type { Caller, ToolParts } from '../../mcp/mcp-tools.ts';
import { openWaits, type OpenWaits } from '../../mcp/open-waits.ts';
import { readsTogether, type ReadTogether } from '../../mcp/reads-together.ts';
import { inPlaces } from '../in-places.ts';
import type { Overload } from '../overload.ts';
import { guarded, type GuardedRoute } from '../route.ts';
import { staysWho, type OpenStreams } from './feed-routes.ts';

export type McpParts = Omit<ToolParts, 'engine'> & {
  readonly during: Overload['during'];
  readonly streams: OpenStreams;
  /** No message is worked on for longer, whatever it waits for. */
  readonly longestMs?: number;
};

const message = z.looseObject({ jsonrpc: z.literal('2.0') });
/** A batch is read so that it can be told what is wrong with it. */
const messages = z.union([message, z.array(z.unknown())]);

const wait = z.looseObject({
  method: z.literal('tools/call'),
  params: z.looseObject({ name: z.literal('wait_for_outcome') }),
});

/** A wait may be asked to last 50 seconds. */
const longestWorkMs = 60_000;

/** As the protocol says an error, so that a program finds it where it looks for its answer. */
const protocolError = (status: number, id: unknown, code: number, said: string): Response =>
  Response.json({ jsonrpc: '2.0', id: id ?? null, error: { code, message: said } }, { status });

/**
 * One message would be worth fifty otherwise, in what is limited and in what waits; and one that takes back another of
 * its own batch leaves a request that is never answered. The protocol has had no batches since its version of June 2025.
 */
const refusedBatch = (): Response =>
  protocolError(400, null, -32_600, 'Batches are not taken here: send one message a request.');

/** Whoever comes by this door is a model's program, whatever its key says: it is marked, and decides nothing. */
export const asAssistant = ({ principal }: Pick<Identity, 'principal'>): Principal => ({
  ...principal,
  actor: { ...principal.actor, assistant: true },
});

const callerOf = (identity: Identity): Caller => ({ who: asAssistant(identity), keyId: identity.credential });

/** Loaded when it is first asked for: it costs every start, of commands too, and most never need it. */
const protocol = async () => {
  const [{ WebStandardStreamableHTTPServerTransport }, { mcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('../../mcp/mcp-server.ts'),
  ]);
  return { WebStandardStreamableHTTPServerTransport, mcpServer };
};

/** A stream of answers that tells when it is over, whichever side ended it. */
const withEnd = (answered: Response, onEnd: () => void): Response => {
  const reader = answered.body?.getReader();
  if (reader === undefined) {
    onEnd();
    return answered;
  }
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const part = await reader.read().catch((error: unknown) => {
        onEnd();
        throw error;
      });
      if (!part.done) {
        controller.enqueue(part.value);
        return;
      }
      onEnd();
      controller.close();
    },
    cancel: async (reason) => {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: answered.status, headers: answered.headers });
};

type Asked = { readonly identity: Identity; readonly request: Request; readonly body: unknown };

/** What all requests of this process share. */
type Shared = {
  readonly identify: Identify;
  readonly waits: OpenWaits;
  readonly read: ReadTogether;
};

/** Ends what is left of a request, once, whichever comes first: its answer, its caller's leaving, or its time. */
const openUntil = (request: Request, longestMs: number, onEnd: () => void) => {
  let isOver = false;
  let giveUp = (): void => undefined;
  const over = new Promise<undefined>((resolve) => {
    giveUp = () => {
      resolve(undefined);
    };
  });
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    request.signal.removeEventListener('abort', end);
    giveUp();
    onEnd();
  };
  const timer = setTimeout(end, longestMs);
  request.signal.addEventListener('abort', end);
  return { end, over };
};

/** A caller that takes no stream gets one answer, as plain HTTP has it. */
const served = async (
  parts: McpParts,
  shared: Shared,
  engine: ToolParts['engine'],
  { identity, request, body }: Asked,
): Promise<Response> => {
  if (Array.isArray(body)) return refusedBatch();
  const { WebStandardStreamableHTTPServerTransport, mcpServer } = await protocol();
  const stop = new AbortController();
  const leave = wait.safeParse(body).success
    ? shared.waits.enter(identity.credential, () => {
        stop.abort();
      })
    : undefined;
  const takesStreams = (request.headers.get('accept') ?? '').includes('text/event-stream');
  const isStream = takesStreams && leave !== undefined;
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !isStream });
  const server = mcpServer({ ...parts, engine: inPlaces(engine, parts.during) }, callerOf(identity), {
    isFull: leave === undefined,
    stop: stop.signal,
    read: shared.read,
    stillAllowed: staysWho(shared.identify, request, identity),
    onRecheck: parts.streams.onRecheck,
  });
  const { end, over } = openUntil(request, parts.longestMs ?? longestWorkMs, () => {
    leave?.();
    stop.abort();
    server.close().catch(parts.onFailure);
  });
  let goesOn = false;
  try {
    await server.connect(transport);
    const headers = new Headers(request.headers);
    headers.set('accept', 'application/json, text/event-stream');
    headers.set('content-type', 'application/json');
    const asked = new Request(request.url, { method: 'POST', headers });
    const answered = await Promise.race([transport.handleRequest(asked, { parsedBody: body }), over]);
    if (answered === undefined) {
      const { id } = body as { readonly id?: unknown };
      return protocolError(
        200,
        id,
        -32_603,
        'There was no answer in time. What was asked for may have happened.',
      );
    }
    goesOn = isStream;
    return isStream ? withEnd(answered, end) : answered;
  } finally {
    if (!goesOn) end();
  }
};

const mcpRoute = (parts: McpParts, shared: Shared): GuardedRoute =>
  guarded({
    method: 'post',
    path: '/mcp',
    summary:
      'Model Context Protocol over streamable HTTP: find orders and tickets, propose a refund, ask what became of it. One message a request, no batches. No tool approves, denies or settles.',
    needs: ['agent'],
    scope: 'propose',
    body: messages,
    // It waits for outcomes; what it asks of the database takes a place by itself.
    place: 'none',
    forbids: (identity) => (identity.byCookie ? 'This is for programs: ask with an API key.' : undefined),
    answers: {
      200: { description: "The protocol's answers, as JSON, or as events where the caller takes a stream" },
      202: { description: 'A notification was taken' },
      400: { description: 'The protocol refuses the message, or it was a batch' },
    },
    handle: ({ engine, identity, request, body }) =>
      served(parts, shared, engine, { identity, request, body }),
  });

export const mcpRoutes = (parts: McpParts, identify: Identify): GuardedRoute[] => {
  const shared = { identify, waits: openWaits(parts.streams), read: readsTogether() };
  return [mcpRoute(parts, shared)];
};

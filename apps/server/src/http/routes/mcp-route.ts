import type { Principal } from '@holdfast/engine';
import { z } from 'zod';
import type { Identity } from '../../sign-in/identify.ts';
import type { Caller, ToolParts } from '../../mcp/mcp-tools.ts';
import { inPlaces } from '../in-places.ts';
import type { Overload } from '../overload.ts';
import { guarded, type GuardedRoute } from '../route.ts';
import type { OpenStreams } from './feed-routes.ts';

export type McpParts = Omit<ToolParts, 'engine'> & {
  readonly during: Overload['during'];
  readonly streams: OpenStreams;
};

const message = z.looseObject({ jsonrpc: z.literal('2.0') });
const messages = z.union([message, z.array(message).min(1).max(50)]);

const waitsLong = (body: unknown): boolean => JSON.stringify(body).includes('"wait_for_outcome"');

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

/** A caller that takes no stream gets one answer, as plain HTTP has it. */
const served = async (
  parts: McpParts,
  engine: ToolParts['engine'],
  { identity, request, body }: { identity: Identity; request: Request; body: unknown },
): Promise<Response> => {
  const { WebStandardStreamableHTTPServerTransport, mcpServer } = await protocol();
  const takesStreams = (request.headers.get('accept') ?? '').includes('text/event-stream');
  const isStream = takesStreams && waitsLong(body) && !parts.streams.isFull();
  const stop = new AbortController();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !isStream });
  const server = mcpServer(
    { ...parts, engine: inPlaces(engine, parts.during) },
    callerOf(identity),
    stop.signal,
  );
  const forget = parts.streams.add(() => {
    stop.abort();
  });
  const end = (): void => {
    forget();
    stop.abort();
    server.close().catch(parts.onFailure);
  };
  request.signal.addEventListener('abort', end);
  try {
    await server.connect(transport);
    const headers = new Headers(request.headers);
    headers.set('accept', 'application/json, text/event-stream');
    headers.set('content-type', 'application/json');
    const asked = new Request(request.url, { method: 'POST', headers });
    const answered = await transport.handleRequest(asked, { parsedBody: body });
    if (isStream) return withEnd(answered, end);
    end();
    return answered;
  } catch (error) {
    end();
    throw error;
  }
};

export const mcpRoutes = (parts: McpParts): GuardedRoute[] => [
  guarded({
    method: 'post',
    path: '/mcp',
    summary:
      'Model Context Protocol over streamable HTTP: find orders and tickets, propose a refund, ask what became of it. No tool approves, denies or settles.',
    needs: ['agent'],
    scope: 'propose',
    body: messages,
    // It waits for outcomes; what it asks of the database takes a place by itself.
    place: 'none',
    forbids: (identity) => (identity.byCookie ? 'This is for programs: ask with an API key.' : undefined),
    answers: {
      200: { description: "The protocol's answers, as JSON, or as events where the caller takes a stream" },
      202: { description: 'A notification was taken' },
      400: { description: 'The protocol refuses the message' },
    },
    handle: ({ engine, identity, request, body }) => served(parts, engine, { identity, request, body }),
  }),
];

import type { IncomingMessage } from 'node:http';
import { parseOperationId } from '@holdfast/operation';
import { Hono, type Context } from 'hono';
import { clientAddress, type TrustedProxies } from './client-address.ts';
import { docsPage } from './docs-page.ts';
import { failureResponse, type FailureLog } from './failure.ts';
import { openApiDocument } from './openapi.ts';
import { serve, type PipelineParts } from './pipeline.ts';
import { problemOf, problemResponse, refuse } from './problem.ts';
import { json, type Route } from './route.ts';
import { pagePolicy, securityHeaders } from './security-headers.ts';
import type { ServeStatic } from './static-files.ts';

export type AppParts = PipelineParts & {
  readonly routes: readonly Route[];
  readonly trustedProxies: TrustedProxies;
  readonly serveStatic: ServeStatic;
  readonly logFailure: FailureLog;
  readonly logRequest: (line: RequestLine) => void;
};

/**
 * What may be told of a request. Of its address only what is ours: people and shops choose IDs and words in addresses
 * themselves, and put names and e-mail addresses there.
 */
export type RequestLine = {
  readonly method: string;
  /** As the contract writes it; `*` where it is none of the contract's. */
  readonly route: string;
  readonly operationId?: string;
  readonly status: number;
  readonly tookMs: number;
};

/** Addresses of the interface: never answered with the web app's page. */
const isInterface = (path: string): boolean => /^\/(v1|api|mcp)(\/|$)/.test(path);

/** Hono writes `:id` where OpenAPI writes `{id}`. */
const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const lastSegmentAsId = (route: Route, request: Request): string => {
  const at = route.path.split('/').indexOf('{id}');
  if (at < 0) return '';
  const segment = new URL(request.url).pathname.split('/')[at] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

const withHeaders = (response: Response, headers: Record<string, string>): Response => {
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
};

const methodNotAllowed = (allowed: readonly string[]): Response =>
  problemResponse(problemOf('invalid', `This address takes ${allowed.join(', ')}.`, { status: 405 }), {
    allow: allowed.join(', '),
  });

/** Asked without a port there is no socket, and nobody's address. */
const addressOf = (context: Context, trusted: TrustedProxies): string => {
  const { incoming } = (context.env ?? {}) as { readonly incoming?: IncomingMessage };
  return clientAddress(
    incoming?.socket.remoteAddress,
    context.req.raw.headers.get('x-forwarded-for'),
    trusted,
  );
};

type Asked = Pick<RequestLine, 'route' | 'operationId'>;

const askedFor = ({ path, pathId }: Route & { readonly pathId?: string }, id: string): Asked => {
  const operationId = pathId === 'operation' ? parseOperationId(id) : undefined;
  return { route: path, ...(operationId === undefined ? {} : { operationId }) };
};

const mountRoutes = (
  app: Hono,
  { routes, trustedProxies, ...parts }: AppParts,
  asked: WeakMap<Request, Asked>,
): void => {
  for (const route of routes) {
    app.on(route.method.toUpperCase(), honoPath(route.path), (context) => {
      const id = lastSegmentAsId(route, context.req.raw);
      asked.set(context.req.raw, askedFor(route, id));
      return serve(route, context.req.raw, id, parts, addressOf(context, trustedProxies));
    });
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const allowed = routes.filter((route) => route.path === path).map((route) => route.method.toUpperCase());
    app.all(honoPath(path), () => methodNotAllowed(allowed));
  }
};

const mountContract = (app: Hono, { routes, publicOrigin }: AppParts): void => {
  const document = openApiDocument(routes, publicOrigin);
  const page = docsPage(document);
  app.get('/openapi.json', () => json(200, document, { 'cache-control': 'no-cache' }));
  app.get(
    '/docs',
    () =>
      new Response(page, {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
          'content-security-policy': pagePolicy(page),
        },
      }),
  );
};

/** The whole of HTTP as one function from request to response: it can be asked without opening a port. */
export const buildApp = (parts: AppParts): Hono => {
  const app = new Hono();
  const headers = securityHeaders(parts.publicOrigin);
  const asked = new WeakMap<Request, Asked>();
  app.use(async (context, next) => {
    const startedMs = performance.now();
    await next();
    withHeaders(context.res, headers);
    parts.logRequest({
      method: context.req.method,
      ...(asked.get(context.req.raw) ?? { route: '*' }),
      status: context.res.status,
      tookMs: Math.round(performance.now() - startedMs),
    });
  });
  mountRoutes(app, parts, asked);
  mountContract(app, parts);
  app.get('*', async (context) => {
    const path = new URL(context.req.url).pathname;
    const file = isInterface(path) ? undefined : await parts.serveStatic(context.req.raw);
    if (file === undefined) throw refuse('not-found', 'There is nothing at this address.');
    return file;
  });
  app.notFound(() => problemResponse(problemOf('not-found', 'There is nothing at this address.')));
  app.onError((error) =>
    withHeaders(failureResponse(error, parts.logFailure, parts.overload.retryAfter), headers),
  );
  return app;
};

import type { Engine } from '@holdfast/engine';
import {
  outsideId,
  parseOperationId,
  protocolHeader,
  roleMay,
  servedProtocolVersions,
  subjectHeader,
  type Problem,
} from '@holdfast/operation';
import { z } from 'zod';
import type { Identify, Identity } from '../sign-in/identify.ts';
import { scopeCovers } from '../sign-in/key-rules.ts';
import { readBody } from './body.ts';
import { countedAs } from './client-address.ts';
import { invalidFields, problemOf, Refusal, refuse, unreadable } from './problem.ts';
import type { Overload } from './overload.ts';
import type { RateLimiter } from './rate-limit.ts';
import { placeOf, type GuardedRoute, type OpenRoute, type Route, type Schema } from './route.ts';
import { comesFromOurselves } from './same-origin.ts';

export type PipelineParts = {
  readonly engine: Engine;
  readonly identify: Identify;
  readonly limiter: RateLimiter;
  /** What comes from an address without anybody being known by it. */
  readonly strangers: RateLimiter;
  readonly overload: Overload;
  readonly publicOrigin: string;
};

/** Whoever guesses at keys and sessions is slowed down; those who are known never wait because of their neighbours. */
const authenticate = async (
  request: Request,
  { identify, strangers }: PipelineParts,
  address: string,
): Promise<Identity> => {
  const identity = await identify(request.headers);
  if (identity === 'no-membership') {
    throw refuse(
      'unauthenticated',
      'You belong to no organisation here any more. An admin can invite you again.',
    );
  }
  if (identity !== undefined) return identity;
  limit(countedAs(address), strangers);
  throw new Refusal(problemOf('unauthenticated', 'Sign in, or send an API key as a bearer token.'), {
    'www-authenticate': 'Bearer',
  });
};

const limit = (credential: string, limiter: RateLimiter): void => {
  const seconds = limiter.take(credential);
  if (seconds === undefined) return;
  throw new Refusal(problemOf('rate-limited', `Ask again in ${String(seconds)} seconds.`), {
    'retry-after': String(seconds),
  });
};

const demandOwnOrigin = (request: Request, publicOrigin: string): void => {
  if (comesFromOurselves((name) => request.headers.get(name) ?? undefined, publicOrigin)) return;
  throw refuse('forbidden', 'A request of a browser that changes something must come from our own pages.', {
    final: false,
  });
};

const mayUse = (route: GuardedRoute, identity: Identity): boolean =>
  route.needs === 'any' || route.needs.some((needed) => roleMay(identity.principal.actor.role, needed));

const demandRole = (route: GuardedRoute, identity: Identity): void => {
  if (!mayUse(route, identity)) {
    const needed = route.needs === 'any' ? '' : route.needs.join(' or ');
    throw refuse('forbidden', `This needs the role ${needed}; yours is ${identity.principal.actor.role}.`);
  }
  if (route.peopleOnly === true && identity.principal.actor.via !== 'session') {
    throw refuse('forbidden', 'This is for people who are signed in: no key may do it.');
  }
  const scope = route.scope ?? (route.method === 'get' ? 'read' : 'role');
  if (scopeCovers(identity.scope, scope)) return;
  throw refuse(
    'forbidden',
    `This key may ${identity.scope === 'propose' ? 'read and propose' : 'only read'}.`,
  );
};

/** A page that still shows another organisation than its session is in says so with each request, and is stopped. */
const demandSubject = (request: Request, identity: Identity): void => {
  const meant = request.headers.get(subjectHeader);
  if (meant === null || meant === identity.subject) return;
  throw refuse(
    'wrong-subject',
    'This was meant for another person or organisation than this session is for now.',
  );
};

const demandProtocol = (request: Request): void => {
  const header = request.headers.get(protocolHeader);
  if (header === null || servedProtocolVersions.includes(Number(header))) return;
  throw refuse(
    'unsupported-protocol',
    `This server speaks ${protocolHeader} ${servedProtocolVersions.join(', ')}.`,
    {
      versions: servedProtocolVersions,
    },
  );
};

const readId = (route: GuardedRoute, pathId: string): string => {
  if (route.pathId === undefined) return '';
  if (route.pathId === 'operation') {
    const id = parseOperationId(pathId);
    if (id === undefined) throw unreadable('The ID in the path is not a UUIDv7.');
    return id;
  }
  const parsed = outsideId.safeParse(pathId);
  if (!parsed.success) throw unreadable('The ID in the path is not usable.');
  return parsed.data;
};

/** UTF-8 is checked too: a body that is not text is not JSON. */
const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw unreadable('The body is not JSON.');
  }
};

const demandJsonType = (request: Request): void => {
  const type = request.headers.get('content-type') ?? '';
  if (/^application\/json\b/i.test(type)) return;
  throw unreadable('The body must be sent as application/json.');
};

const judgeFields = (schema: Schema | undefined, value: unknown): unknown => {
  if (schema === undefined) return undefined;
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw new Refusal(
    invalidFields(
      parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
    ),
  );
};

const queryOf = (request: Request): Record<string, string> =>
  Object.fromEntries([...new URL(request.url).searchParams].filter(([, value]) => value !== ''));

/** Names what a refusal is about, so that a client can match it without its own bookkeeping. */
const about = (problem: Problem, id: string | undefined): Problem =>
  id === undefined || problem.operationId !== undefined ? problem : { ...problem, operationId: id };

const serveGuarded = async (
  route: GuardedRoute,
  request: Request,
  pathId: string,
  parts: PipelineParts,
  address: string,
): Promise<Response> => {
  const changes = route.method !== 'get';
  const { during } = parts.overload;
  const identity = await during('request', () => authenticate(request, parts, address));
  limit(identity.credential, parts.limiter);
  const bytes = changes ? await readBody(request, route.maximumBytes) : new Uint8Array();
  if (changes && identity.byCookie) demandOwnOrigin(request, parts.publicOrigin);
  demandSubject(request, identity);
  demandRole(route, identity);
  demandProtocol(request);
  const id = readId(route, pathId);
  if (changes && identity.byCookie && bytes.length > 0) demandJsonType(request);
  const raw = route.body === undefined ? undefined : parseJson(bytes);
  const forbidden = route.forbids?.(identity, raw);
  if (forbidden !== undefined) throw refuse('forbidden', forbidden);
  const call = {
    identity,
    who: identity.principal,
    id,
    body: judgeFields(route.body, raw),
    query: judgeFields(route.query, queryOf(request)),
    request,
    engine: parts.engine,
    inPlace: <Answer>(work: () => Promise<Answer>): Promise<Answer> => during('request-going-on', work),
  };
  // A body takes as long as its sender likes to arrive, so no place is held while it does.
  return placeOf(route) === 'none'
    ? route.handle(call)
    : during('request-going-on', () => route.handle(call));
};

const isProbe = ({ path }: Route): boolean => path === '/healthz' || path === '/readyz';

const serveOpen = async (
  route: OpenRoute,
  request: Request,
  { overload, publicOrigin, strangers }: PipelineParts,
  address: string,
): Promise<Response> => {
  // Probes come often, and the provider's events in bursts; each of those guards itself.
  if (placeOf(route) !== 'webhook' && !isProbe(route) && route.countsItself !== true) {
    limit(countedAs(address), strangers);
  }
  // Signing somebody in or out is a change as well. A provider's events have no page that they come from.
  if (route.method !== 'get' && placeOf(route) !== 'webhook') demandOwnOrigin(request, publicOrigin);
  const body = await readBody(request, route.maximumBytes);
  const from = { address, headers: request.headers };
  route.judge?.(body, from);
  const handle = (): Promise<Response> => route.handle(request, body, from);
  const place = placeOf(route);
  return place === 'none' ? handle() : overload.during(place, handle);
};

/** Serves one request of one route, in the documented order of judgement. Throws `Refusal` for every "no". */
export const serve = async (
  route: Route,
  request: Request,
  pathId: string,
  parts: PipelineParts,
  address = '',
): Promise<Response> => {
  if (route.needs === 'nobody') return serveOpen(route, request, parts, address);
  try {
    return await serveGuarded(route, request, pathId, parts, address);
  } catch (error) {
    if (!(error instanceof Refusal) || route.pathId !== 'operation') throw error;
    throw new Refusal(about(error.problem, parseOperationId(pathId)), error.headers);
  }
};

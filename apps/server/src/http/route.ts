import type { Engine, Principal } from '@holdfast/engine';
import type { Role } from '@holdfast/operation';
import type { z } from 'zod';
import type { Identity } from '../sign-in/identify.ts';
import type { From } from '../sign-in/sign-in-tries.ts';
import type { KeyScope } from '../sign-in/key-rules.ts';

/** Roles a route asks for. `any` signed-in principal; nothing is open unless it says so. */
export type Needs = 'nobody' | 'any' | readonly Role[];

/** What a route's handler gets once everything before it has been judged. */
export type Call<Body, Query> = {
  readonly identity: Identity;
  readonly who: Principal;
  /** The `{id}` of the path: folded and checked where it is an operation's. Empty where the path has none. */
  readonly id: string;
  readonly body: Body;
  readonly query: Query;
  readonly request: Request;
  readonly engine: Engine;
  /** Does work in a place at the database, for a handler that takes none (`place: 'none'`) while it waits elsewhere. */
  readonly inPlace: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
};

/** The wire's schemas are the small kind that browsers load, the server's own the chained kind: a route takes both. */
export type Schema<Output = unknown> = z.core.$ZodType<Output>;

export type Answer = { readonly description: string; readonly schema?: Schema; readonly mediaType?: string };

type Described = {
  readonly method: 'get' | 'post' | 'put';
  /** As OpenAPI writes it: `/v1/operations/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly answers: Readonly<Record<number, Answer>>;
  /**
   * Whose places at the database its handler takes while it runs, where its address does not say it. `none`: the
   * handler asks nothing of the database, or waits for something else for long and bounds by itself what it asks.
   */
  readonly place?: 'request' | 'webhook' | 'sign-in' | 'none';
};

/** A route for principals: the pipeline judges 401, 429, 413, 403, 400, 422 in this order before `handle`. */
export type GuardedRoute = Described & {
  readonly needs: Exclude<Needs, 'nobody'>;
  /** What the path's `{id}` is: an operation's UUIDv7, or an ID from outside. */
  readonly pathId?: 'operation' | 'outside';
  readonly body?: Schema;
  readonly query?: Schema;
  readonly maximumBytes: number;
  /** The narrowest key that may ask it. Without it: one that only reads for `get`, a whole one for all others. */
  readonly scope?: KeyScope;
  /** People alone: no key may, whatever its role. */
  readonly peopleOnly?: boolean;
  /** A refusal that depends on what is asked, not only on the role: 403, with the sentence that says why. */
  readonly forbids?: (identity: Identity, body: unknown) => string | undefined;
  readonly handle: (call: Call<unknown, unknown>) => Promise<Response>;
};

/** A route anybody may ask: it guards itself (a signature, a token) or tells nothing. */
export type OpenRoute = Described & {
  readonly needs: 'nobody';
  readonly body?: Schema;
  readonly maximumBytes: number;
  /**
   * It counts its callers in its own way, in `judge` or by what it costs: whoever floods the rest from the same address
   * must not keep people from signing in on a device that is known, or from signing out.
   */
  readonly countsItself?: true;
  /** Refuses before a place at the database is waited for. */
  readonly judge?: (body: Uint8Array, from: From) => void;
  readonly handle: (request: Request, body: Uint8Array, from: From) => Promise<Response>;
};

export type Route = GuardedRoute | OpenRoute;

/** Health says how the database is, so it does not wait in line for it; readiness has a time limit of its own. */
const withoutPlace = ['/healthz', '/readyz'];

export const placeOf = ({
  place,
  path,
}: Pick<Route, 'place' | 'path'>): 'request' | 'webhook' | 'sign-in' | 'none' => {
  if (place !== undefined) return place;
  if (withoutPlace.includes(path)) return 'none';
  return path.startsWith('/v1/webhooks/') ? 'webhook' : 'request';
};

type Typed<Body, Query> = Omit<GuardedRoute, 'body' | 'query' | 'handle' | 'maximumBytes'> & {
  readonly body?: Schema<Body>;
  readonly query?: Schema<Query>;
  readonly maximumBytes?: number;
  readonly handle: (call: Call<Body, Query>) => Promise<Response>;
};

const ordinaryBodyBytes = 256 * 1024;

/** Binds a handler to its schemas. The pipeline gives `handle` only what these schemas accepted. */
export const guarded = <Body = undefined, Query = undefined>(route: Typed<Body, Query>): GuardedRoute => ({
  maximumBytes: ordinaryBodyBytes,
  ...route,
  handle: (call) => route.handle(call as Call<Body, Query>),
});

export const json = (status: number, value: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  });

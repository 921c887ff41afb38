import type Stripe from 'stripe';
import { exchangeOnce, type WireHeaders, type WireResult, type WireTarget } from '../wire/exchange-once.ts';

/** What is known of the one exchange beneath a call of the client library, whatever the library made of it. */
export type WireTrace =
  | { readonly kind: 'never-called' }
  | { readonly kind: 'not-sent'; readonly because: string }
  | {
      readonly kind: 'lost';
      readonly because: string;
      readonly requestLeft: boolean;
      readonly status: number | null;
      readonly headers: WireHeaders;
    }
  | { readonly kind: 'answered'; readonly status: number; readonly headers: WireHeaders };

/** The bytes stored with an operation's first attempt: they leave unchanged, whatever the library would encode. */
export type StoredBody = { readonly contentType: string; readonly body: string };

export type OneRequest = {
  readonly target: WireTarget;
  readonly pathPrefix: string;
  readonly deadlineMs: number;
  readonly nowMs: () => number;
  readonly storedBody: StoredBody | null;
};

/** A page of 100 refunds with all metadata that Stripe allows stays under three megabytes. */
const maximumBodyBytes = 8 * 1024 * 1024;

/** What the library may see of the answer's headers: all it needs, and nothing it would print. */
const shownHeaders = ['request-id', 'stripe-version', 'idempotency-key'];

/** Deliberately without a `code`: the library sends again, once and unasked, when it sees ECONNRESET or EPIPE. */
class ExchangeFailed extends Error {
  override readonly name = 'ExchangeFailed';
}

const parseObject = (bytes: Uint8Array): unknown => {
  const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  // The library writes a property onto the body: on a number or a text that would throw where nobody can catch it.
  if (typeof value !== 'object' || value === null) throw new SyntaxError('The body is not a JSON object.');
  return value;
};

const toResponse = ({
  status,
  headers,
  body,
}: WireResult & { kind: 'answered' }): Stripe.HttpClientResponse => ({
  getStatusCode: () => status,
  getHeaders: () =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => shownHeaders.includes(name))),
  getRawResponse: () => ({}),
  toStream: () => {
    throw new Error('Answers are read whole, never as a stream.');
  },
  // `async`, so that a body that is no JSON is a rejection, which the library expects.
  toJSON: async () => parseObject(body),
});

const traceOf = (result: WireResult): WireTrace =>
  result.kind === 'answered' ? { kind: 'answered', status: result.status, headers: result.headers } : result;

const headersToSend = (
  given: Readonly<Record<string, string | number | string[]>>,
  target: WireTarget,
  stored: StoredBody | null,
  length: number,
): Record<string, string | number | string[]> => {
  const standard = target.port === (target.secure ? 443 : 80);
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  const own = { Host: standard ? host : `${host}:${target.port}`, Connection: 'close' };
  if (stored === null) return { ...given, ...own };
  return { ...given, ...own, 'Content-Type': stored.contentType, 'Content-Length': length };
};

/**
 * An HTTP client for the library that makes exactly one request in its life. Used for one call and thrown away:
 * should the library ever come back for a second try, it gets a refusal and no byte leaves. (`ExchangeFailed` keeps it
 * from coming back; either alone would do.)
 */
export const createOneRequestClient = (
  one: OneRequest,
): { readonly httpClient: Stripe.HttpClient; readonly trace: () => WireTrace } => {
  let trace: WireTrace = { kind: 'never-called' };
  let used = false;
  const httpClient: Stripe.HttpClient = {
    getClientName: () => 'holdfast',
    // `async`, so that nothing is thrown into the library's own promise chain, where it would be lost.
    makeRequest: async (_host, _port, path, method, headers, encoded) => {
      if (used) throw new ExchangeFailed('one request a call');
      used = true;
      const body = new TextEncoder().encode(one.storedBody?.body ?? encoded);
      const result = await exchangeOnce({
        target: one.target,
        method,
        path: one.pathPrefix + path,
        headers: headersToSend(headers, one.target, one.storedBody, body.byteLength),
        body,
        deadlineMs: one.deadlineMs,
        nowMs: one.nowMs,
        maximumBodyBytes,
      });
      trace = traceOf(result);
      if (result.kind !== 'answered') throw new ExchangeFailed(result.because);
      return toResponse(result);
    },
  };
  return { httpClient, trace: () => trace };
};

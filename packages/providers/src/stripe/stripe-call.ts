import Stripe from 'stripe';
import type { WireTarget } from '../wire/exchange-once.ts';
import { createOneRequestClient, type StoredBody, type WireTrace } from './one-request-client.ts';

/** Where and as whom we call. `pathPrefix` is the path of the API base, without a slash at its end. */
export type StripeAccess = {
  readonly secretKey: string;
  readonly apiVersion: string;
  readonly target: WireTarget;
  readonly pathPrefix: string;
  readonly nowMs: () => number;
};

/** What the library returned or raised, beside what really happened on the wire. */
export type StripeCallOutcome = { readonly trace: WireTrace } & (
  { readonly kind: 'returned'; readonly body: unknown } | { readonly kind: 'raised'; readonly error: unknown }
);

export type StripeCall = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly deadlineMs: number;
  readonly apiVersion?: string;
  readonly idempotencyKey?: string;
  readonly storedBody?: StoredBody;
};

/**
 * One call of the client library over one request of ours. The library adds its headers and turns the answer into
 * its typed errors; a client of its own for each call (a fifth of a millisecond) is what ties a call to its one
 * exchange. Never throws.
 */
export const callStripe = async (access: StripeAccess, call: StripeCall): Promise<StripeCallOutcome> => {
  const { httpClient, trace } = createOneRequestClient({
    target: access.target,
    pathPrefix: access.pathPrefix,
    deadlineMs: call.deadlineMs,
    nowMs: access.nowMs,
    storedBody: call.storedBody ?? null,
  });
  const apiVersion = call.apiVersion ?? access.apiVersion;
  try {
    const stripe = new Stripe(access.secretKey, { httpClient, maxNetworkRetries: 0, telemetry: false });
    const body: unknown = await stripe.rawRequest(call.method, call.path, undefined, {
      apiVersion,
      ...(call.idempotencyKey === undefined ? {} : { idempotencyKey: call.idempotencyKey }),
    });
    return { kind: 'returned', body, trace: trace() };
  } catch (error) {
    return { kind: 'raised', error, trace: trace() };
  }
};

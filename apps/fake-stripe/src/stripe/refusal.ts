import type Stripe from 'stripe';

/** Stripe's error body, and whether it is saved under the idempotency key (only once execution had begun). */
export interface Refusal {
  status: number;
  error: StripeErrorBody;
  saved: boolean;
}

export interface StripeErrorBody {
  type: Stripe.RawErrorType;
  message: string;
  code?: string;
  param?: string;
}

export function invalidRequest(message: string, more: { param?: string; code?: string } = {}): Refusal {
  return { status: 400, error: { type: 'invalid_request_error', message, ...more }, saved: false };
}

export function unknownParameter(name: string): Refusal {
  return invalidRequest(`Received unknown parameter: ${name}`, { param: name, code: 'parameter_unknown' });
}

/** A refusal by the endpoint itself: it had begun to execute, so the answer stays with the key. */
export function refusedByEndpoint(message: string, more: { param?: string; code?: string } = {}): Refusal {
  return { ...invalidRequest(message, more), saved: true };
}

export function missingResource(kind: string, id: string, param: string): Refusal {
  const refusal = invalidRequest(`No such ${kind}: '${id}'`, { param, code: 'resource_missing' });
  return { ...refusal, status: 404 };
}

export function unauthenticated(message: string): Refusal {
  return { status: 401, error: { type: 'invalid_request_error', message }, saved: false };
}

export const keyMismatch: Refusal = {
  status: 400,
  error: {
    type: 'idempotency_error',
    message:
      'Keys for idempotent requests can only be used with the same parameters and endpoint they were first used with. Try using a key other than the one given if you meant to execute a different request.',
  },
  saved: false,
};

export const keyInUse: Refusal = {
  status: 409,
  error: {
    type: 'invalid_request_error',
    code: 'idempotency_key_in_use',
    message:
      'There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through).',
  },
  saved: false,
};

export const keyTooLong = invalidRequest('Idempotency-Key: at most 255 characters');

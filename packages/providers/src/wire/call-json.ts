import { exchangeOnce, type WireHeaders, type WireResult } from './exchange-once.ts';
import { fieldsOf, type Fields } from './fields.ts';
import type { WireBase } from './read-base.ts';

/** Where and as whom an API that speaks JSON is called. `headers`: what every request carries, credentials included. */
export type JsonAccess = WireBase & {
  readonly headers: Readonly<Record<string, string>>;
  readonly nowMs: () => number;
};

export type JsonCall = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bytes as they were stored, never encoded anew. */
  readonly body?: { readonly contentType: string; readonly text: string };
  readonly deadlineMs: number;
};

/** `body`: the JSON object that was answered; `undefined` for anything else, HTML and half a body included. */
export type JsonAnswered = {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: Fields | undefined;
};
export type JsonResult = Exclude<WireResult, { kind: 'answered' }> | JsonAnswered;

const maximumBodyBytes = 8 * 1024 * 1024;

const parse = (bytes: Uint8Array): Fields | undefined => {
  try {
    return fieldsOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
  } catch {
    return undefined;
  }
};

const hostOf = ({ target: { secure, host, port } }: WireBase): string => {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === (secure ? 443 : 80) ? name : `${name}:${String(port)}`;
};

/** One request, one answer. Never throws, never sends twice. */
export const callJson = async (access: JsonAccess, call: JsonCall): Promise<JsonResult> => {
  const bytes = new TextEncoder().encode(call.body?.text ?? '');
  const result = await exchangeOnce({
    target: access.target,
    method: call.method,
    path: access.pathPrefix + call.path,
    headers: {
      Accept: 'application/json',
      ...access.headers,
      ...call.headers,
      Host: hostOf(access),
      Connection: 'close',
      ...(call.body === undefined
        ? {}
        : { 'Content-Type': call.body.contentType, 'Content-Length': bytes.byteLength }),
    },
    body: bytes,
    deadlineMs: call.deadlineMs,
    nowMs: access.nowMs,
    maximumBodyBytes,
  });
  return result.kind === 'answered' ? { ...result, body: parse(result.body) } : result;
};

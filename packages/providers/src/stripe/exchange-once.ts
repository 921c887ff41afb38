import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';

export type WireTarget = { readonly secure: boolean; readonly host: string; readonly port: number };

export type WireRequest = {
  readonly target: WireTarget;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number | string[]>>;
  readonly body: Uint8Array;
  /** Absolute, milliseconds since the epoch by `nowMs`: from before the name look-up to the last byte of the answer. */
  readonly deadlineMs: number;
  readonly nowMs: () => number;
  readonly maximumBodyBytes: number;
};

export type WireHeaders = Readonly<Record<string, string>>;

/** How one exchange ended. `not-sent` is said only while no byte of the request was handed to a connection. */
export type WireResult =
  | { readonly kind: 'not-sent'; readonly because: string }
  | {
      readonly kind: 'lost';
      readonly because: string;
      readonly status: number | null;
      readonly headers: WireHeaders;
    }
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: WireHeaders;
      readonly body: Uint8Array;
    };

/** Longest delay that a timer of Node takes without wrapping round to "at once". */
const longestTimerMs = 2 ** 31 - 1;

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code !== '') return code;
  return error instanceof Error ? error.name : 'error';
};

const flat = (headers: IncomingHttpHeaders): WireHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const openSocket = ({ secure, host, port }: WireTarget): Socket => {
  if (!secure) return connectPlain({ host, port });
  return connectSecure({
    host,
    port,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) ? {} : { servername: host }),
  });
};

/**
 * One request on one fresh connection, and nothing else: no retry, no redirect, no connection used again (an old
 * one may be closing on the other side, and then nobody can say whether the request was read). Never rejects.
 */
export const exchangeOnce = (request: WireRequest): Promise<WireResult> => {
  const remainingMs = request.deadlineMs - request.nowMs();
  if (!(remainingMs > 0)) return Promise.resolve({ kind: 'not-sent', because: 'deadline had passed' });
  return new Promise((resolve) => {
    let finished = false;
    let mayHaveLeft = false;
    let response: IncomingMessage | null = null;
    const socket = openSocket(request.target);

    const finish = (result: WireResult): void => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const fail = (because: string): void => {
      if (!mayHaveLeft) return finish({ kind: 'not-sent', because });
      const headers = response === null ? {} : flat(response.headers);
      finish({ kind: 'lost', because, status: response?.statusCode ?? null, headers });
    };
    const timer = setTimeout(() => fail('deadline'), Math.min(remainingMs, longestTimerMs));

    const receive = (incoming: IncomingMessage): void => {
      response = incoming;
      const chunks: Uint8Array[] = [];
      let length = 0;
      incoming.on('data', (chunk: Uint8Array) => {
        chunks.push(chunk);
        length += chunk.byteLength;
        if (length > request.maximumBodyBytes) fail('body too large');
      });
      incoming.on('error', () => fail('body cut off'));
      incoming.on('close', () => fail('body cut off'));
      incoming.on('end', () => {
        if (!incoming.complete) return fail('body cut off');
        const body = Buffer.concat(chunks);
        finish({ kind: 'answered', status: incoming.statusCode ?? 0, headers: flat(incoming.headers), body });
      });
    };

    const send = (): void => {
      if (finished) return;
      // The process may have slept since the timer was set: the clock is asked once more, last of all.
      if (request.nowMs() >= request.deadlineMs) return fail('deadline before the first byte');
      const { method, path, headers, target } = request;
      try {
        const outgoing = httpRequest({
          method,
          path,
          headers,
          host: target.host,
          createConnection: () => socket,
        });
        outgoing.on('error', (error) => fail(reasonOf(error)));
        outgoing.on('response', receive);
        // A protocol switch would never become a response.
        outgoing.on('upgrade', () => fail('not an HTTP answer'));
        mayHaveLeft = true;
        outgoing.end(request.body);
      } catch (error) {
        fail(reasonOf(error));
      }
    };

    socket.on('error', (error) => fail(reasonOf(error)));
    socket.on('close', () => fail('connection closed'));
    socket.once(request.target.secure ? 'secureConnect' : 'connect', send);
  });
};

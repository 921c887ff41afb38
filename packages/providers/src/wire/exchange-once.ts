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

/**
 * How one exchange ended. `not-sent` is said only while no byte of the request was handed to a connection.
 * `requestLeft`: the whole request certainly left this process (it was handed over, or something was answered).
 */
export type WireResult =
  | { readonly kind: 'not-sent'; readonly because: string }
  | {
      readonly kind: 'lost';
      readonly because: string;
      readonly requestLeft: boolean;
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
  if (request.nowMs() >= request.deadlineMs) {
    return Promise.resolve({ kind: 'not-sent', because: 'deadline had passed' });
  }
  return new Promise((resolve) => new Exchange(request, resolve).begin());
};

class Exchange {
  readonly #request: WireRequest;
  readonly #resolve: (result: WireResult) => void;
  readonly #socket: Socket;
  #timer: NodeJS.Timeout | undefined;
  #finished = false;
  /** From here on nobody can say that nothing was sent. */
  #mayHaveLeft = false;
  #handedOver = false;
  #response: IncomingMessage | null = null;

  constructor(request: WireRequest, resolve: (result: WireResult) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#socket = openSocket(request.target);
  }

  begin(): void {
    const { deadlineMs, nowMs, target } = this.#request;
    const remainingMs = Math.min(deadlineMs - nowMs(), longestTimerMs);
    this.#timer = setTimeout(() => this.#fail('deadline'), remainingMs);
    this.#socket.on('error', (error) => this.#fail(reasonOf(error)));
    this.#socket.on('close', () => this.#fail('connection closed'));
    this.#socket.once(target.secure ? 'secureConnect' : 'connect', () => this.#send());
  }

  #finish(result: WireResult): void {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#timer);
    this.#socket.destroy();
    this.#resolve(result);
  }

  #fail(because: string): void {
    if (!this.#mayHaveLeft) return this.#finish({ kind: 'not-sent', because });
    const response = this.#response;
    this.#finish({
      kind: 'lost',
      because,
      requestLeft: this.#handedOver || response !== null,
      status: response?.statusCode ?? null,
      headers: response === null ? {} : flat(response.headers),
    });
  }

  #send(): void {
    if (this.#finished) return;
    const { method, path, headers, target, body, deadlineMs, nowMs } = this.#request;
    // The process may have slept since the timer was set: the clock is asked once more, last of all.
    if (nowMs() >= deadlineMs) return this.#fail('deadline before the first byte');
    try {
      const createConnection = (): Socket => this.#socket;
      const outgoing = httpRequest({ method, path, headers, host: target.host, createConnection });
      outgoing.on('error', (error) => this.#fail(reasonOf(error)));
      outgoing.on('response', (incoming) => this.#receive(incoming));
      outgoing.on('finish', () => {
        this.#handedOver = true;
      });
      this.#mayHaveLeft = true;
      outgoing.end(body);
    } catch (error) {
      this.#fail(reasonOf(error));
    }
  }

  #receive(incoming: IncomingMessage): void {
    this.#response = incoming;
    const chunks: Uint8Array[] = [];
    let length = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > this.#request.maximumBodyBytes) this.#fail('body too large');
    });
    incoming.on('error', () => this.#fail('body cut off'));
    // Node says `end` of a whole body only: one that is cut off is an error, or the socket's close.
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      this.#finish({
        kind: 'answered',
        status: incoming.statusCode ?? 0,
        headers: flat(incoming.headers),
        body,
      });
    });
  }
}

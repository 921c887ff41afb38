import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { problemOf } from '../http/problem.ts';

/**
 * Bad networks to try in the demo: a browser that carries the cookie is served as if its network, or its session, were
 * broken. The connection is really cut, the answer really lost. Mounted in the demo alone.
 */
export const demoFaultCookie = 'holdfast_demo_fault';
export const demoFaults = ['offline', 'flapping', 'lost-answers', 'portal', 'expired', 'slow'] as const;
export type DemoFault = (typeof demoFaults)[number];

const slowMs = 3_000;
const flapMs = 2_000;

const cookieIn = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((part) => part.trim().split('='))
    .find(([found]) => found === name)
    ?.slice(1)
    .join('=');

export const demoFaultIn = (cookieHeader: string | undefined): DemoFault | undefined => {
  const named = cookieIn(cookieHeader, demoFaultCookie);
  return demoFaults.find((fault) => fault === named);
};

/** The page and its scripts stay reachable, so that the fault can be switched off where it was switched on. */
const isInterface = (path: string): boolean => /^\/(v1|api|mcp)(\/|\?|$)/.test(path);

/** Signing in goes on working while sessions end, or nobody could see what comes after it. */
const isSignIn = (path: string): boolean => /^\/(api\/auth|v1\/demo|v1\/set-password)(\/|\?|$)/.test(path);

const isStream = (path: string): boolean => /^\/v1\/feed(\?|$)/.test(path);

/** Down and up by turns of the server's clock. */
const isDown = (nowMs: number): boolean => Math.floor(nowMs / flapMs) % 2 === 1;

const portalPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Hotel Wi-Fi</title>
<h1>Hotel Wi-Fi</h1><p>Accept the terms and enter your room number to use this network.</p></html>`;

const answerAsPortal = (request: IncomingMessage, response: ServerResponse): void => {
  request.resume();
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    response.end(portalPage);
    return;
  }
  response.writeHead(302, { location: '/v1/hotel-wi-fi', 'cache-control': 'no-store' });
  response.end();
};

const answerAsExpired = (request: IncomingMessage, response: ServerResponse): void => {
  request.resume();
  const problem = problemOf('unauthenticated', 'The session has ended. Sign in again.');
  response.writeHead(401, { 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(problem));
};

/** The request is carried out; at the first byte of its answer the connection is gone. */
const loseAnswer = (response: ServerResponse): void => {
  const { socket } = response;
  response.writeHead = () => {
    socket?.destroy();
    return response;
  };
};

/** Streams that are open, by browser: a fault cuts what was opened before it. */
class OpenStreams {
  readonly #sockets = new Map<string, Set<Socket>>();

  add(browser: string, socket: Socket): void {
    const own = this.#sockets.get(browser) ?? new Set();
    own.add(socket);
    this.#sockets.set(browser, own);
    socket.once('close', () => {
      own.delete(socket);
      if (own.size === 0) this.#sockets.delete(browser);
    });
  }

  cut(browser: string): void {
    for (const socket of this.#sockets.get(browser) ?? []) socket.destroy();
  }
}

type Served = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly go: () => void;
};

const serveWith = (fault: DemoFault, { request, response, go }: Served, nowMs: () => number): void => {
  const path = request.url ?? '/';
  switch (fault) {
    case 'offline':
      request.socket.destroy();
      return;
    case 'flapping': {
      if (isDown(nowMs())) {
        request.socket.destroy();
        return;
      }
      // What is still open when the network goes down again is cut with it.
      const leftMs = flapMs - (nowMs() % flapMs);
      const { socket } = request;
      const timer = setTimeout(() => socket.destroy(), leftMs);
      response.once('close', () => {
        clearTimeout(timer);
      });
      go();
      return;
    }
    case 'lost-answers':
      loseAnswer(response);
      go();
      return;
    case 'portal':
      answerAsPortal(request, response);
      return;
    case 'expired':
      if (isSignIn(path)) go();
      else answerAsExpired(request, response);
      return;
    case 'slow': {
      const timer = setTimeout(go, slowMs);
      request.socket.once('close', () => {
        clearTimeout(timer);
      });
    }
  }
};

/** Which browser it is, as far as its session says so. */
const browserOf = (request: IncomingMessage): string =>
  cookieIn(request.headers.cookie, 'holdfast.session_token') ?? '';

/** Puts the demo's bad networks before everything else that the server does. */
export const mountDemoFaults = (server: Server, nowMs: () => number): void => {
  const streams = new OpenStreams();
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    const go = (): void => {
      if (isStream(path)) streams.add(browserOf(request), request.socket);
      for (const listener of listeners) listener.call(server, request, response);
    };
    const fault = isInterface(path) ? demoFaultIn(request.headers.cookie) : undefined;
    if (fault === undefined) {
      go();
      return;
    }
    if (fault !== 'slow' && fault !== 'flapping') streams.cut(browserOf(request));
    serveWith(fault, { request, response, go }, nowMs);
  });
};

import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Endings } from '../house/endings.ts';
import {
  feedFromStart,
  feedOfChanges,
  lastIdOf,
  lookedUpFor,
  resultsFor,
  signInNeeded,
} from './prepared-answers.ts';

export type PreparedServer = {
  readonly origin: string;
  /** Requests for commands since the last asking. */
  readonly takeRequests: () => number;
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** Kept ready: making ten thousand events takes longer than sending them. */
const feedTexts = (): ((cursor: string, count: number) => string) => {
  const made = new Map<string, string>();
  return (cursor, count) => {
    const key = `${cursor === '' ? 'start' : 'changes'} ${String(count)}`;
    const text = made.get(key) ?? (cursor === '' ? feedFromStart(count) : feedOfChanges(count));
    made.set(key, text);
    return text;
  };
};

type Call = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
  readonly count: number;
};

const answer = (response: ServerResponse, status: number, text: string): void => {
  const type = status === 200 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type }).end(text);
};

const eventStream = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
const cursorOf = ({ headers }: IncomingMessage): string => String(headers['last-event-id'] ?? '');

type State = { isSignedOut: boolean; feedCount: number; requests: number };

const routesOf = (state: State): Readonly<Record<string, (call: Call) => void>> => {
  const feedText = feedTexts();
  return {
    '/v1/commands': ({ response, body }) => {
      state.requests += 1;
      if (state.isSignedOut) answer(response, 401, signInNeeded);
      else answer(response, 200, resultsFor(body));
    },
    '/v1/operations/lookup': ({ response, body }) => answer(response, 200, lookedUpFor(body)),
    // Like the real one it stays open.
    '/v1/feed': ({ request, response }) => {
      response.writeHead(200, eventStream).write(feedText(cursorOf(request), state.feedCount));
    },
    '/bench/sign-out': ({ response }) => {
      state.isSignedOut = true;
      answer(response, 200, '{}');
    },
    '/bench/sign-in': ({ response }) => {
      state.isSignedOut = false;
      answer(response, 200, '{}');
    },
    '/bench/feed-of': ({ response, count }) => {
      state.feedCount = count;
      for (const cursor of ['', 'c-start']) feedText(cursor, count);
      answer(response, 200, '{}');
    },
    // The same bytes, with an end.
    '/bench/feed': ({ request, response, count }) => {
      response.writeHead(200, eventStream).end(feedText(cursorOf(request), count));
    },
    '/bench/last-id': ({ response, count }) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(lastIdOf(count));
    },
  };
};

const serveFile = async (folder: string, pathname: string, response: ServerResponse): Promise<void> => {
  const file = path.join(folder, pathname === '/' ? 'index.html' : path.normalize(pathname));
  const bytes = await readFile(file);
  response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'text/plain' }).end(bytes);
};

/**
 * Serves the page, and answers what an outbox asks at once with prepared texts: so the time that is measured is the
 * outbox's own. The bare side asks the same server for the same bytes.
 */
export const startPreparedServer = async (folder: string, endings: Endings): Promise<PreparedServer> => {
  const state: State = { isSignedOut: false, feedCount: 0, requests: 0 };
  const routes = routesOf(state);
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bench');
    const body = await readBody(request);
    const route = routes[pathname];
    if (route === undefined) await serveFile(folder, pathname, response);
    else route({ request, response, body, count: Number(searchParams.get('count') ?? 0) });
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.writeHead(404).end());
  });
  endings.add(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    takeRequests: () => {
      const { requests } = state;
      state.requests = 0;
      return requests;
    },
  };
};

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StripeAccounts = {
  readonly base: string;
  /** Answers nothing any more until switched on again: the provider is away. */
  readonly away: (isAway: boolean) => void;
  readonly stop: () => Promise<void>;
};

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const forward = async (fakeBase: string, request: IncomingMessage, response: ServerResponse) => {
  const body = await read(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length', 'accept-encoding'].includes(name),
    ),
  ) as Record<string, string>;
  const answer = await fetch(`${fakeBase}${request.url ?? ''}`, {
    method: request.method ?? 'GET',
    headers,
    ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
  });
  const text = await answer.text();
  response.writeHead(answer.status, { 'content-type': 'application/json', date: new Date().toUTCString() });
  response.end(text);
};

/** A Stripe-compatible base before the bundled fake, where the key `sk_test_NAME` is of the account `acct_NAME`. */
export const startStripeAccounts = async (fakeBase: string): Promise<StripeAccounts> => {
  let isAway = false;
  const server = createServer((request, response) => {
    if (isAway) {
      response.writeHead(503).end();
      return;
    }
    const name = /sk_test_(\w+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (request.url === '/v1/account' && name !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: `acct_${name}`, object: 'account' }));
      return;
    }
    forward(fakeBase, request, response).catch(() => {
      response.writeHead(502).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    base: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    away: (now) => {
      isAway = now;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};

import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** One request as its bytes came in. */
export type ReceivedRequest = { readonly head: string; readonly body: string };

export type RawServer = {
  readonly port: number;
  readonly base: string;
  readonly requests: readonly ReceivedRequest[];
  /** Connections opened, also ones on which nothing was asked. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
};

/** What the server does once a request has come in whole. `number` counts from 1. */
export type RawBehaviour = (socket: Socket, request: ReceivedRequest, number: number) => void;

const separator = '\r\n\r\n';

const wholeRequest = (bytes: Buffer): ReceivedRequest | undefined => {
  const text = bytes.toString('utf8');
  const end = text.indexOf(separator);
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  const body = text.slice(end + separator.length);
  return Buffer.byteLength(body) >= length ? { head, body } : undefined;
};

/** A server below HTTP: it sees the bytes of each request and answers with whatever bytes a test wants, or none. */
export const startRawServer = async (behave: RawBehaviour): Promise<RawServer> => {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let received = Buffer.alloc(0);
    let answered = false;
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const request = answered ? undefined : wholeRequest(received);
      if (request === undefined) return;
      answered = true;
      requests.push(request);
      behave(socket, request, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    base: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};

/** A whole HTTP answer as bytes. */
export const answer = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string => {
  const lines = Object.entries({
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Request-Id': 'req_raw',
    Date: 'Sun, 29 Nov 2026 12:00:00 GMT',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} Whatever`, ...lines, '', body].join('\r\n');
};

export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): string => answer(status, JSON.stringify(value), headers);
